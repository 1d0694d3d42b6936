internal import FoundationEssentials
internal import LupineCore

/// Reads the XML form: nothing of XML but what property lists are written with.
struct XMLPropertyListReader {
    let bytes: [UInt8]
    var position = 0
    private var depth = 0

    private init(bytes: [UInt8]) { self.bytes = bytes }

    static func value(of data: Data) throws(PropertyListParseError) -> PropertyListValue {
        let start = Array(data.prefix(4))
        // Of UTF-16 without a mark the first "<" shows the order (XML 1.0, appendix F).
        let unmarked: Charset? =
            start.starts(with: [0x3C, 0]) ? "utf-16le" : start.starts(with: [0, 0x3C]) ? "utf-16be" : nil
        let charset = Charset(byteOrderMarkOf: start) ?? unmarked ?? declaredCharset(in: data) ?? .utf8
        let text: String
        do throws(CharsetError) {
            text = try charset.decode(data)
        } catch {
            throw PropertyListParseError(offset: error.offset ?? 0, reason: "\(error)")
        }
        var reader = XMLPropertyListReader(bytes: Array(text.utf8))
        if let offset = XMLCharacters.firstFault(in: reader.bytes) {
            throw PropertyListParseError(offset: offset, reason: "a character that XML has not")
        }
        return try reader.readDocument()
    }

    /// Of `<?xml version="1.0" encoding="…"?>`.
    private static func declaredCharset(in data: Data) -> Charset? {
        let head = String(decoding: data.prefix(200), as: UTF8.self)
        guard head.hasPrefix("<?xml"), let declaration = head.split(separator: "?>", maxSplits: 1).first,
            let name = declaration.firstRange(of: "encoding=")
        else { return nil }
        let quoted = declaration[name.upperBound...]
        guard let quote = quoted.first, quote == "\"" || quote == "'" else { return nil }
        return Charset(String(quoted.dropFirst().prefix { $0 != quote }))
    }

    private mutating func readDocument() throws(PropertyListParseError) -> PropertyListValue {
        try skipMisc(allowsDocumentType: true)
        guard let tag = try readTag(), tag.name == "plist", !tag.isEnd, !tag.isEmpty else { throw fault("no <plist>") }
        try skipMisc()
        guard let first = try readTag(), !first.isEnd else { throw fault("<plist> holds nothing") }
        let value = try readValue(first)
        try skipMisc()
        try readEnd(of: "plist")
        try skipMisc()
        guard position == bytes.count else { throw fault("something follows </plist>") }
        return value
    }

    private mutating func readValue(_ tag: Tag) throws(PropertyListParseError) -> PropertyListValue {
        switch tag.name {
        case "true", "false":
            if !tag.isEmpty { try readEnd(of: tag.name) }
            return .bool(tag.name == "true")
        case "string": return .string(try text(of: tag))
        case "integer": return .integer(try parsed(tag, Self.integer))
        case "real": return .real(try parsed(tag, Self.real))
        case "date": return .date(try parsed(tag) { Date(propertyList: $0) })
        case "data":
            return .data(
                try parsed(tag) { text in
                    Data(base64Encoded: Data(text.utf8.filter { !Self.isWhitespace($0) }))
                })
        case "array":
            return .array(try nested(tag) { reader throws(PropertyListParseError) in try reader.elements(tag) })
        case "dict":
            return .dictionary(try nested(tag) { reader throws(PropertyListParseError) in try reader.members(tag) })
        default: throw fault("a property list has no <\(String(tag.name.prefix(40)))>")
        }
    }

    private mutating func elements(_ tag: Tag) throws(PropertyListParseError) -> [PropertyListValue] {
        var elements: [PropertyListValue] = []
        while let next = try nextChild(of: tag) { elements.append(try readValue(next)) }
        return elements
    }

    private mutating func members(_ tag: Tag) throws(PropertyListParseError) -> [String: PropertyListValue] {
        var members: [String: PropertyListValue] = [:]
        while let key = try nextChild(of: tag) {
            guard key.name == "key" else { throw fault("a dictionary's key is missing") }
            let name = try text(of: key)
            guard let next = try nextChild(of: tag) else { throw fault("a dictionary's value is missing") }
            members[name] = try readValue(next)
        }
        return members
    }

    /// `nil`: the element ends.
    private mutating func nextChild(of tag: Tag) throws(PropertyListParseError) -> Tag? {
        try skipMisc()
        guard let next = try readTag() else { throw fault("text where an element belongs, or an end too early") }
        guard next.isEnd else { return next }
        guard next.name == tag.name else { throw fault("</\(tag.name)> is missing") }
        return nil
    }

    private mutating func nested<Result>(
        _ tag: Tag, _ read: (inout Self) throws(PropertyListParseError) -> [Result]
    ) throws(PropertyListParseError) -> [Result] {
        if tag.isEmpty { return [] }
        try descend()
        defer { depth -= 1 }
        return try read(&self)
    }

    private mutating func nested(
        _ tag: Tag, _ read: (inout Self) throws(PropertyListParseError) -> [String: PropertyListValue]
    ) throws(PropertyListParseError) -> [String: PropertyListValue] {
        if tag.isEmpty { return [:] }
        try descend()
        defer { depth -= 1 }
        return try read(&self)
    }

    private mutating func descend() throws(PropertyListParseError) {
        depth += 1
        guard depth <= PropertyListValue.maximumDepth else {
            throw fault("values lie deeper than \(PropertyListValue.maximumDepth) in each other")
        }
    }

    private mutating func parsed<Value>(
        _ tag: Tag, _ parse: (String) -> Value?
    ) throws(PropertyListParseError) -> Value {
        let start = position
        let text = try text(of: tag)
        guard let value = parse(text) else {
            throw PropertyListParseError(offset: start, reason: "no \(tag.name): \(text.quotedForMessage)")
        }
        return value
    }

    /// Decimal, or hexadecimal with `0x`; of 64 bits, with or without a sign. White space around it counts for nothing, as for
    /// every reader.
    private static func integer(_ text: String) -> Int128? {
        let text = trimmed(text).lowercased()
        let isNegative = text.first == "-"
        let unsigned = isNegative || text.first == "+" ? text.dropFirst() : text[...]
        let isHexadecimal = unsigned.hasPrefix("0x")
        let digits = isHexadecimal ? unsigned.dropFirst(2) : unsigned
        // The initializer takes another sign.
        guard digits.utf8.allSatisfy(\.isASCIIHexDigit),
            let magnitude = Int128(digits, radix: isHexadecimal ? 16 : 10)
        else { return nil }
        let value = isNegative ? -magnitude : magnitude
        return value >= Int128(Int64.min) && value <= Int128(UInt64.max) ? value : nil
    }

    /// Decimal, or the name of what is no number or infinite. The initializer takes hexadecimal too.
    private static func real(_ text: String) -> Double? {
        let text = trimmed(text).lowercased()
        let isNamed = ["nan", "inf", "infinity"].contains(text.drop { $0 == "-" || $0 == "+" })
        return isNamed || text.utf8.allSatisfy { $0.isASCIIDigit || "+-.e".utf8.contains($0) } ? Double(text) : nil
    }

    private static func trimmed(_ text: String) -> String {
        let bytes = text.utf8.drop(while: isWhitespace)
        return String(decoding: bytes.reversed().drop(while: isWhitespace).reversed(), as: UTF8.self)
    }
}
