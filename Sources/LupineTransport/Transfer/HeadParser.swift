internal import LupineCore

/// Reads the lines of a head as they come, from their bytes as they are (RFC 9112 sections 4 and 5).
///
/// Values are text when they are UTF-8, else each byte is one character (ISO 8859-1, RFC 9110 section 5.5): a stray
/// byte is no failure, and a field that is sent again has it still. In a `Location` it is percent-encoded instead, since its
/// octets name the place (RFC 3986 section 2.1).
/// What would let two readers disagree about the message is one: `bad-response`.
enum HeadParser {
    typealias Bytes = UnsafeRawBufferPointer

    /// What is wrong with a head, for the message.
    struct Fault: Error { let reason: String }

    /// `HTTP/1.1 200 OK`, `HTTP/2 200`.
    static func statusLine(_ line: Bytes) throws(Fault) -> HTTPResponse {
        let line = withoutEnd(line)
        let versionEnd = line.firstIndex(of: 0x20) ?? line.count
        let code = min(versionEnd + 1, line.count)..<min(versionEnd + 4, line.count)
        guard let version = version(line[..<versionEnd]), code.count == 3,
            code.allSatisfy({ line[$0].isASCIIDigit }), code.upperBound == line.count || line[code.upperBound] == 0x20
        else { throw Fault(reason: "its status line cannot be read") }
        let status = code.reduce(0) { $0 * 10 + Int(line[$1] - 0x30) }
        guard status >= 100 else { throw Fault(reason: "its status is \(status)") }
        let reason = try text(line[min(code.upperBound + 1, line.count)...], "its reason phrase").text
        return HTTPResponse(status: HTTPStatus(rawValue: status), version: version, reason: reason)
    }

    private static func version(_ part: Slice<Bytes>) -> HTTPVersion? {
        guard part.starts(with: "HTTP/".utf8) else { return nil }
        let number = part.dropFirst(5), start = number.startIndex
        guard let major = number.first, major.isASCIIDigit else { return nil }
        if number.count == 1 { return HTTPVersion(major: Int(major - 0x30), minor: 0) }
        guard number.count == 3, number[start + 1] == UInt8(ascii: "."), number[start + 2].isASCIIDigit else {
            return nil
        }
        return HTTPVersion(major: Int(major - 0x30), minor: Int(number[start + 2] - 0x30))
    }

    /// A line after the first, which is a field or continues one.
    static func field(_ line: Bytes, into fields: inout [HTTPHeader]) throws(Fault) {
        let line = withoutEnd(line)
        if line.first == 0x20 || line.first == 0x09 {
            // A folded line continues the value before it (RFC 9112 section 5.2).
            guard let last = fields.popLast() else { throw Fault(reason: "its first field is folded") }
            // libcurl frames the body by the first line alone: a second reader's answer would differ.
            guard !last.isFraming else { throw Fault(reason: "its \(last.name) is folded") }
            let more = try value(line[...], of: last.name)
            let folded = last.byteText.bytes + (more.isEmpty ? [] : [0x20] + more.bytes)
            fields.append(HTTPHeader(name: last.name, value: ByteText(bytes: folded)))
            return
        }
        var colon = 0
        while colon < line.count, line[colon] != UInt8(ascii: ":") {
            guard line[colon].isHTTPTokenByte else { throw Fault(reason: "a field name holds another character") }
            colon += 1
        }
        guard colon < line.count, colon > 0 else { throw Fault(reason: "a line of it is no field") }
        let name = String(decoding: Bytes(rebasing: line[..<colon]), as: UTF8.self)
        fields.append(HTTPHeader(name: name, value: try value(line[(colon + 1)...], of: name)))
    }

    private static func value(_ part: Slice<Bytes>, of name: String) throws(Fault) -> ByteText {
        let value = try text(part, "a field value")
        guard value.isLatin1, name.equalsIgnoringASCIICase("Location") else { return value }
        var place = ""
        for scalar in value.text.unicodeScalars {
            place += scalar.isASCII ? String(scalar) : "%" + String(scalar.value, radix: 16, uppercase: true)
        }
        return ByteText(place)
    }

    private static func withoutEnd(_ line: Bytes) -> Bytes {
        var count = line.count
        if count > 0, line[count - 1] == 0x0A { count -= 1 }
        if count > 0, line[count - 1] == 0x0D { count -= 1 }
        return Bytes(rebasing: line[..<count])
    }

    /// The text of a part, without white space at its ends.
    private static func text(_ part: Slice<Bytes>, _ what: String) throws(Fault) -> ByteText {
        var lower = part.startIndex, upper = part.endIndex
        while lower < upper, part[lower] == 0x20 || part[lower] == 0x09 { lower += 1 }
        while upper > lower, part[upper - 1] == 0x20 || part[upper - 1] == 0x09 { upper -= 1 }
        let bytes = Bytes(rebasing: part[lower..<upper])
        var all: UInt8 = 0
        for byte in bytes {
            guard byte != 0, byte != 0x0D else {
                throw Fault(reason: "\(what) holds a NUL or a bare carriage return")
            }
            all |= byte
        }
        // `decoding` is several times as fast as `validating`, and cannot fail on ASCII.
        return all < 0x80 ? ByteText(String(decoding: bytes, as: UTF8.self)) : ByteText(bytes: Array(bytes))
    }
}
