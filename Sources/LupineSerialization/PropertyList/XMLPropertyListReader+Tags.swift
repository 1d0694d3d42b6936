internal import LupineCore

// The tags of XML 1.0 (section 3.1).
extension XMLPropertyListReader {
    struct Tag {
        let name: String
        /// `</name>`.
        let isEnd: Bool
        /// `<name/>`.
        let isEmpty: Bool
    }

    /// The tag that begins here. `nil`: none does.
    mutating func readTag() throws(PropertyListParseError) -> Tag? {
        guard current == UInt8(ascii: "<") else { return nil }
        position += 1
        let isEnd = take("/")
        let start = position
        while let byte = current, byte.isASCIIAlpha { position += 1 }
        let name = String(decoding: bytes[start..<position], as: UTF8.self)
        guard !name.isEmpty else { throw fault("a name belongs here") }
        if let byte = current, Self.isNameByte(byte) { throw fault("<\(name) is no tag of a property list") }
        if isEnd { skipWhitespace() } else { try skipAttributes() }
        let isEmpty = !isEnd && take("/")
        guard take(">") else { throw fault("a tag has no end") }
        return Tag(name: name, isEnd: isEnd, isEmpty: isEmpty)
    }

    mutating func readEnd(of name: String) throws(PropertyListParseError) {
        guard let tag = try readTag(), tag.isEnd, tag.name == name else { throw fault("</\(name)> is missing") }
    }

    /// They mean nothing here, `version` as a rule.
    private mutating func skipAttributes() throws(PropertyListParseError) {
        var names: Set<ArraySlice<UInt8>> = []
        while true {
            let end = position
            skipWhitespace()
            let start = position
            while let byte = current, Self.isNameByte(byte) { position += 1 }
            if position == start { return }
            guard start > end, names.insert(bytes[start..<position]).inserted else { throw fault("no attribute here") }
            skipWhitespace()
            guard take("=") else { throw fault("an attribute has no value") }
            skipWhitespace()
            try skipAttributeValue()
        }
    }

    private mutating func skipAttributeValue() throws(PropertyListParseError) {
        guard let quote = current, quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") else {
            throw fault("the value of an attribute has no quotes")
        }
        position += 1
        while let byte = current, byte != quote, byte != UInt8(ascii: "<") {
            if byte == UInt8(ascii: "&") { _ = try readReference() } else { position += 1 }
        }
        guard current == quote else { throw fault("the value of an attribute has no end") }
        position += 1
    }

    private mutating func take(_ character: Unicode.Scalar) -> Bool {
        guard current == UInt8(ascii: character) else { return false }
        position += 1
        return true
    }

    private static func isNameByte(_ byte: UInt8) -> Bool {
        byte.isASCIIAlpha || byte.isASCIIDigit || byte >= 0x80 || "-_.:".utf8.contains(byte)
    }
}
