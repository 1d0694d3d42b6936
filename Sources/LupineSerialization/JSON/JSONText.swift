internal import FoundationEssentials

/// The text of a JSON body in UTF-8, whatever it came in.
struct JSONText {
    /// UTF-8, not checked where the body was UTF-8 already. Of its byte order mark a reader has to skip one, as both here do.
    let bytes: Data
    /// Of a body that was not UTF-8.
    let convertedFrom: Charset?

    /// JSON is UTF-8 (RFC 8259 section 8.1); UTF-16 and UTF-32, which were JSON once (RFC 4627 section 3), show by their mark,
    /// or by zeros: a JSON text begins with an ASCII character, and holds no NUL.
    ///
    /// - Parameter declared: a charset to convert from where neither shows. `nil`: UTF-8.
    init(_ data: Data, declared: Charset?) throws(CharsetError) {
        let start = Array(data.prefix(4))
        if start.starts(with: Self.mark) {
            (bytes, convertedFrom) = (data, nil)
        } else if let charset = Charset(byteOrderMarkOf: start) ?? Self.charset(byZerosOf: start) ?? declared {
            let text = Data(try charset.decode(data).utf8)
            // That mark was the first.
            (bytes, convertedFrom) = (text.starts(with: Self.mark) ? Data(Self.mark) + text : text, charset)
        } else {
            (bytes, convertedFrom) = (data, nil)
        }
    }

    /// Nothing but white space.
    var isBlank: Bool { (bytes.starts(with: Self.mark) ? bytes.dropFirst(Self.mark.count) : bytes).isJSONWhitespace }

    private static let mark: [UInt8] = [0xEF, 0xBB, 0xBF]

    private static func charset(byZerosOf start: [UInt8]) -> Charset? {
        let isZero = start.map { $0 == 0 }
        if isZero == [true, true, true, false] { return "utf-32be" }
        if isZero == [false, true, true, true] { return "utf-32le" }
        // The second character may be one without zeros.
        guard start.count == 2 || start.count == 4, isZero[0] != isZero[1] else { return nil }
        return isZero[0] ? "utf-16be" : "utf-16le"
    }
}
