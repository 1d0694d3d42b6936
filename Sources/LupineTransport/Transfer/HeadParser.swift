internal import LupineCore

/// Reads a head from its bytes as they are (RFC 9112 sections 4 and 5).
///
/// Values are text when they are UTF-8, else each byte is one character (ISO 8859-1, RFC 9110 section 5.5): a stray
/// byte is no failure. What would let two readers disagree about the message is one: `bad-response`.
struct HeadParser {
    private let bytes: UnsafeBufferPointer<UInt8>
    private var position = 0

    private init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes.assumingMemoryBound(to: UInt8.self) }

    /// What is wrong with a head, for the message.
    struct Fault: Error { let reason: String }

    /// A whole head: status line, fields, with or without the empty line.
    static func head(_ bytes: UnsafeRawBufferPointer) throws(Fault) -> HTTPResponse {
        var parser = HeadParser(bytes)
        let line = parser.line() ?? 0..<0
        var response = try parser.statusLine(line)
        response.headers = try parser.fields()
        return response
    }

    /// Fields alone, as after a chunked body.
    static func trailers(_ bytes: UnsafeRawBufferPointer) throws(Fault) -> HTTPHeaders {
        var parser = HeadParser(bytes)
        return try parser.fields()
    }

    /// The next line without its end; `nil` at the end of the bytes.
    private mutating func line() -> Range<Int>? {
        guard position < bytes.count else { return nil }
        let start = position
        var end = start
        while end < bytes.count, bytes[end] != 0x0A { end += 1 }
        position = end + 1
        if end > start, bytes[end - 1] == 0x0D { end -= 1 }
        return start..<end
    }

    /// `HTTP/1.1 200 OK`, `HTTP/2 200`.
    private func statusLine(_ line: Range<Int>) throws(Fault) -> HTTPResponse {
        let versionEnd = line.first { bytes[$0] == 0x20 } ?? line.upperBound
        let code = min(versionEnd + 1, line.upperBound)..<min(versionEnd + 4, line.upperBound)
        guard let version = version(line.lowerBound..<versionEnd), code.count == 3,
            code.allSatisfy({ bytes[$0].isASCIIDigit }),
            code.upperBound == line.upperBound || bytes[code.upperBound] == 0x20
        else { throw Fault(reason: "its status line cannot be read") }
        let status = code.reduce(0) { $0 * 10 + Int(bytes[$1] - 0x30) }
        guard status >= 100 else { throw Fault(reason: "its status is \(status)") }
        let reason = min(code.upperBound + 1, line.upperBound)..<line.upperBound
        try checkText(reason, "its reason phrase")
        return HTTPResponse(status: HTTPStatus(rawValue: status), version: version, reason: text(reason))
    }

    private func version(_ part: Range<Int>) -> HTTPVersion? {
        guard bytes[part].starts(with: "HTTP/".utf8) else { return nil }
        let number = part.dropFirst(5)
        guard let major = number.first, bytes[major].isASCIIDigit else { return nil }
        if number.count == 1 { return HTTPVersion(major: Int(bytes[major] - 0x30), minor: 0) }
        let minor = major + 2
        guard number.count == 3, bytes[major + 1] == UInt8(ascii: "."), bytes[minor].isASCIIDigit else { return nil }
        return HTTPVersion(major: Int(bytes[major] - 0x30), minor: Int(bytes[minor] - 0x30))
    }

    private mutating func fields() throws(Fault) -> HTTPHeaders {
        var fields: [HTTPHeader] = []
        fields.reserveCapacity(12)
        while let line = line() {
            guard let first = line.first else { break }
            if bytes[first] == 0x20 || bytes[first] == 0x09 {
                // A folded line continues the value before it (RFC 9112 section 5.2).
                guard let last = fields.popLast() else { throw Fault(reason: "its first field is folded") }
                // libcurl frames the body by the first line alone: a second reader's answer would differ.
                guard !last.isFraming else { throw Fault(reason: "its \(last.name) is folded") }
                try checkText(line, "a field value")
                let more = text(trimmed(line))
                fields.append(HTTPHeader(name: last.name, value: last.value + (more.isEmpty ? "" : " " + more)))
                continue
            }
            var colon = line.lowerBound
            while colon < line.upperBound, bytes[colon] != UInt8(ascii: ":") {
                guard bytes[colon].isHTTPTokenByte else { throw Fault(reason: "a field name holds another character") }
                colon += 1
            }
            guard colon < line.upperBound, colon > line.lowerBound else {
                throw Fault(reason: "a line of it is no field")
            }
            let value = trimmed(colon + 1..<line.upperBound)
            try checkText(value, "a field value")
            fields.append(HTTPHeader(name: text(line.lowerBound..<colon), value: text(value)))
        }
        return HTTPHeaders(fields)
    }

    private func checkText(_ range: Range<Int>, _ what: String) throws(Fault) {
        for index in range where bytes[index] == 0 || bytes[index] == 0x0D {
            throw Fault(reason: "\(what) holds a NUL or a bare carriage return")
        }
    }

    private func trimmed(_ range: Range<Int>) -> Range<Int> {
        var lower = range.lowerBound, upper = range.upperBound
        while lower < upper, bytes[lower] == 0x20 || bytes[lower] == 0x09 { lower += 1 }
        while upper > lower, bytes[upper - 1] == 0x20 || bytes[upper - 1] == 0x09 { upper -= 1 }
        return lower..<upper
    }

    private func text(_ range: Range<Int>) -> String {
        let slice = UnsafeBufferPointer(rebasing: bytes[range])
        // `decoding` is several times as fast as `validating`, and cannot fail on ASCII.
        if slice.allSatisfy({ $0 < 0x80 }) { return String(decoding: slice, as: UTF8.self) }
        if let text = String(validating: slice, as: UTF8.self) { return text }
        var text = ""
        for byte in slice { text.unicodeScalars.append(Unicode.Scalar(byte)) }
        return text
    }
}

extension HTTPResponse {
    /// What a head contradicts in its own framing (RFC 9112 section 6.3), or `nil`.
    var framingFault: String? {
        var length: Int64?
        for field in headers where field.name.equalsIgnoringASCIICase("Content-Length") {
            let value = field.value
            if length == nil, let stated = value.decimalLength {
                length = stated
                continue
            }
            // One field may hold a list of equal lengths, as several fields may.
            for part in value.split(separator: ",", omittingEmptySubsequences: false) {
                guard let stated = String(String(part).trimmingOWS).decimalLength else {
                    return "its Content-Length \(value.quotedForMessage) is no length"
                }
                if let length, length != stated { return "it states two lengths, \(length) and \(stated)" }
                length = stated
            }
        }
        guard headers.contains("Transfer-Encoding") else { return nil }
        // Exactly one coding: chunked twice is forbidden (section 6.1), and others were not asked for.
        let codings = transferCodings
        guard codings == ["chunked"] || codings == ["identity"] else {
            return "its Transfer-Encoding \(codings.joined(separator: ", ").quotedForMessage) was not asked for"
        }
        return nil
    }

    private var transferCodings: [String] {
        headers.values(for: "Transfer-Encoding").flatMap { value in
            value.split(separator: ",", omittingEmptySubsequences: false).map {
                String(String($0).trimmingOWS).asciiLowercased
            }
        }
    }

    var isChunked: Bool { transferCodings == ["chunked"] }

    /// Whether nothing but the connection's end tells that of the body.
    var endsWithConnection: Bool {
        version < .http2 && !isChunked && (headers.contains("Transfer-Encoding") || !headers.contains("Content-Length"))
    }

    /// A transfer coding goes before a length, which then says nothing (RFC 9112 section 6.3).
    var isLengthVoid: Bool { headers.contains("Transfer-Encoding") && headers.contains("Content-Length") }

    /// Whether another reader could see the body end elsewhere, so that nothing more may be read from the connection: a
    /// Transfer-Encoding beside a Content-Length, from HTTP/1.0, or other than chunked (RFC 9112 sections 6.1 and 6.3), or a
    /// length where there is no body.
    var isFramingDoubtful: Bool {
        if headers.contains("Transfer-Encoding") {
            return isLengthVoid || version < .http1_1 || !isChunked
        }
        return status == 204 && headers.value(for: "Content-Length") ?? "0" != "0"
    }
}
