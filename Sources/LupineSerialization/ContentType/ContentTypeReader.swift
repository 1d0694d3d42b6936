internal import LupineCore

/// Reads the parts of a media type (RFC 9110 sections 5.6.2, 5.6.4, 5.6.6, 8.3.1).
struct ContentTypeReader {
    private var rest: Substring.UTF8View

    init(_ text: String) { rest = text.trimmingOWS.utf8 }

    var isAtEnd: Bool { rest.isEmpty }
    var next: UInt8? { rest.first }

    mutating func take(_ byte: UInt8) -> Bool {
        guard rest.first == byte else { return false }
        rest.removeFirst()
        return true
    }

    mutating func skipWhitespace() {
        while let byte = rest.first, byte == 0x20 || byte == 0x09 { rest.removeFirst() }
    }

    /// `nil` when no token begins here.
    mutating func readToken() -> String? {
        let token = rest.prefix(while: \.isHTTPTokenByte)
        rest = rest[token.endIndex...]
        return token.isEmpty ? nil : String(decoding: token, as: UTF8.self)
    }

    /// The next parameter that can be read, after the `;` before it. `nil` at the end.
    mutating func readParameter() -> ContentType.Parameter? {
        while take(UInt8(ascii: ";")) {
            // White space around the "=" is not in the grammar, yet it is sent and means nothing else.
            let name = readText { $0 != UInt8(ascii: ";") && $0 != UInt8(ascii: "=") }
            guard take(UInt8(ascii: "=")) else { continue }
            skipWhitespace()
            let isQuoted = rest.first == UInt8(ascii: "\"")
            // Without quotes too a value may be more than a token: boundaries with ":" or "/" in them are common.
            let value = isQuoted ? readQuotedString() : readText { $0 != UInt8(ascii: ";") }
            // What follows a quoted string belongs to nothing.
            _ = readText { $0 != UInt8(ascii: ";") }
            if name.isHTTPToken, value.isHTTPFieldValue, isQuoted || !value.isEmpty {
                return ContentType.Parameter(name: name, value: value)
            }
        }
        return nil
    }

    /// The text while its bytes pass, without white space around it.
    private mutating func readText(while passes: (UInt8) -> Bool) -> String {
        let text = rest.prefix(while: passes)
        rest = rest[text.endIndex...]
        return String(String(decoding: text, as: UTF8.self).trimmingOWS)
    }

    /// The content of a quoted string, escapes resolved; one that has no end goes to the end of the text.
    private mutating func readQuotedString() -> String {
        var content: [UInt8] = []
        rest.removeFirst()
        while let byte = rest.popFirst(), byte != UInt8(ascii: "\"") {
            if byte == UInt8(ascii: "\\"), let escaped = rest.popFirst() {
                content.append(escaped)
            } else {
                content.append(byte)
            }
        }
        return String(decoding: content, as: UTF8.self)
    }
}
