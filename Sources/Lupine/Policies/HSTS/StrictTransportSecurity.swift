internal import LupineCore

/// A `Strict-Transport-Security` field as it was read (RFC 6797 section 6.1).
struct StrictTransportSecurity: Hashable {
    /// In seconds; 0 takes back what was said before.
    let maximumAge: Int64
    let includesSubdomains: Bool

    /// `nil`: the field breaks the grammar, says something twice or does not say `max-age`; it is then ignored as a whole
    /// (section 8.1).
    init?(_ text: String) {
        var reader = DirectiveReader(text)
        var seen: Set<String> = []
        var maximumAge: Int64?
        var includesSubdomains = false
        while true {
            switch reader.next() {
            case .end:
                guard let maximumAge else { return nil }
                self.maximumAge = maximumAge
                self.includesSubdomains = includesSubdomains
                return
            case .fault: return nil
            case .directive(let name, let value):
                guard seen.insert(name).inserted else { return nil }
                switch (name, value) {
                case ("max-age", let digits?):
                    guard !digits.isEmpty, digits.utf8.allSatisfy(\.isASCIIDigit) else { return nil }
                    maximumAge = digits.decimalLength ?? .max
                case ("includesubdomains", nil): includesSubdomains = true
                case ("max-age", nil), ("includesubdomains", _?): return nil
                default: break
                }
            }
        }
    }
}

/// Directives with `;` between, each a token and perhaps `=` with a token or a quoted string.
private struct DirectiveReader {
    enum Step {
        /// The name in lower case.
        case directive(name: String, value: String?)
        case end
        case fault
    }

    private var rest: Substring.UTF8View

    init(_ text: String) { rest = text[...].utf8 }

    mutating func next() -> Step {
        // Directives may be empty.
        repeat { skipWhitespace() } while take(UInt8(ascii: ";"))
        guard !rest.isEmpty else { return .end }
        guard let name = readToken() else { return .fault }
        skipWhitespace()
        var value: String?
        if take(UInt8(ascii: "=")) {
            skipWhitespace()
            value = take(UInt8(ascii: "\"")) ? readQuoted() : readToken()
            guard value != nil else { return .fault }
            skipWhitespace()
        }
        guard rest.isEmpty || rest.first == UInt8(ascii: ";") else { return .fault }
        return .directive(name: name.asciiLowercased, value: value)
    }

    private mutating func skipWhitespace() {
        rest = rest[(rest.firstIndex { $0 != 0x20 && $0 != 0x09 } ?? rest.endIndex)...]
    }

    private mutating func take(_ byte: UInt8) -> Bool {
        guard rest.first == byte else { return false }
        rest.removeFirst()
        return true
    }

    private mutating func readToken() -> String? {
        let token = rest.prefix(while: \.isHTTPTokenByte)
        rest = rest[token.endIndex...]
        return token.isEmpty ? nil : String(Substring(token))
    }

    /// After the opening quote. `nil`: it has no end.
    private mutating func readQuoted() -> String? {
        var content: [UInt8] = []
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "\"") { return String(decoding: content, as: UTF8.self) }
            guard byte == UInt8(ascii: "\\") else {
                content.append(byte)
                continue
            }
            guard let escaped = rest.popFirst() else { return nil }
            content.append(escaped)
        }
        return nil
    }
}
