public import LupineCore

extension HTTPResponse {
    /// The content type stated. `nil`: none that can be read.
    ///
    /// There should be one field with one type (RFC 9110 section 8.3). Of several the last that can be read counts, `*/*`
    /// aside; it has the charset of the one before it when it is the same type without any, as browsers have it (WHATWG fetch,
    /// "extract a MIME type").
    public var contentType: ContentType? {
        let values = headers.values(for: "Content-Type")
        guard values.count > 1 || values.first?.utf8.contains(UInt8(ascii: ",")) == true else {
            return values.first.flatMap { ContentType($0) }
        }
        var type: ContentType?
        for member in values.joined(separator: ", ").splitOutsideQuotes {
            guard var next = ContentType(member), next.essence != "*/*" else { continue }
            if let charset = type?.charset, type?.essence == next.essence, next.charset == nil {
                next = ContentType(
                    type: next.type, subtype: next.subtype,
                    parameters: next.parameters + [ContentType.Parameter(name: "charset", value: charset)])
            }
            type = next
        }
        return type
    }
}

extension String {
    /// The parts between commas, those in quoted strings aside.
    fileprivate var splitOutsideQuotes: [String] {
        var parts: [[UInt8]] = [[]]
        var isQuoted = false, isEscaped = false
        for byte in utf8 {
            if byte == UInt8(ascii: ","), !isQuoted {
                parts.append([])
                continue
            }
            if byte == UInt8(ascii: "\""), !isEscaped { isQuoted.toggle() }
            isEscaped = isQuoted && byte == UInt8(ascii: "\\") && !isEscaped
            parts[parts.count - 1].append(byte)
        }
        return parts.map { String(decoding: $0, as: UTF8.self) }
    }
}
