internal import LupineCore

// The markup of XML 1.0 that property lists are written with.
extension XMLPropertyListReader {
    struct Tag {
        let name: String
        /// `</name>`.
        let isEnd: Bool
        /// `<name/>`.
        let isEmpty: Bool
    }

    func fault(_ reason: String) -> PropertyListParseError { PropertyListParseError(offset: position, reason: reason) }

    static func isWhitespace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 }

    private var current: UInt8? { position < bytes.count ? bytes[position] : nil }

    private func isHere(_ text: StaticString) -> Bool {
        bytes[position...].starts(with: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }

    private mutating func skipWhitespace() {
        while let byte = current, Self.isWhitespace(byte) { position += 1 }
    }

    /// Goes past white space, comments and processing instructions, and where it may stand the document type.
    mutating func skipMisc(allowsDocumentType: Bool = false) throws(PropertyListParseError) {
        while true {
            skipWhitespace()
            if isHere("<!--") {
                try skip(past: "-->", from: 4)
            } else if isHere("<?") {
                try skip(past: "?>", from: 2)
            } else if allowsDocumentType, isHere("<!DOCTYPE") {
                try skipDocumentType()
            } else {
                return
            }
        }
    }

    private mutating func skip(past end: StaticString, from start: Int) throws(PropertyListParseError) {
        let begin = position
        position += start
        while position < bytes.count, !isHere(end) { position += 1 }
        guard position < bytes.count else {
            position = begin
            throw fault("\(end) is missing")
        }
        position += end.utf8CodeUnitCount
    }

    /// An internal subset could declare entities: none is needed, so none is read.
    private mutating func skipDocumentType() throws(PropertyListParseError) {
        var quote: UInt8?
        while let byte = current, quote != nil || byte != UInt8(ascii: ">") {
            if byte == quote {
                quote = nil
            } else if quote == nil, byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") {
                quote = byte
            } else if quote == nil, byte == UInt8(ascii: "[") {
                throw fault("declarations in a document type are refused")
            }
            position += 1
        }
        guard current != nil else { throw fault("the document type has no end") }
        position += 1
    }

    /// The tag that begins here. `nil`: none does.
    mutating func readTag() throws(PropertyListParseError) -> Tag? {
        guard current == UInt8(ascii: "<") else { return nil }
        position += 1
        let isEnd = current == UInt8(ascii: "/")
        if isEnd { position += 1 }
        let start = position
        while let byte = current, byte.isASCIIAlpha { position += 1 }
        let name = String(decoding: bytes[start..<position], as: UTF8.self)
        guard !name.isEmpty else { throw fault("a name belongs here") }
        // Attributes, `version` as a rule, mean nothing here.
        var quote: UInt8?
        let attributes = position
        while let byte = current, quote != nil || byte != UInt8(ascii: ">") {
            if byte == quote {
                quote = nil
            } else if quote == nil, byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") {
                quote = byte
            } else if quote == nil, byte == UInt8(ascii: "<") {
                throw fault("a tag has no end")
            }
            position += 1
        }
        guard current != nil else { throw fault("a tag has no end") }
        let isEmpty = position > attributes && bytes[position - 1] == UInt8(ascii: "/")
        guard position == attributes || isEmpty || Self.isWhitespace(bytes[attributes]) else {
            throw fault("<\(name) is no tag of a property list")
        }
        position += 1
        return Tag(name: name, isEnd: isEnd, isEmpty: isEmpty)
    }

    mutating func readEnd(of name: String) throws(PropertyListParseError) {
        guard let tag = try readTag(), tag.isEnd, tag.name == name else { throw fault("</\(name)> is missing") }
    }

    /// The text of an element up to its end.
    mutating func text(of tag: Tag) throws(PropertyListParseError) -> String {
        if tag.isEmpty { return "" }
        var text: [UInt8] = []
        while let byte = current {
            switch byte {
            case UInt8(ascii: "<") where isHere("<![CDATA["):
                let start = position + 9
                try skip(past: "]]>", from: 9)
                text += bytes[start..<position - 3]
            case UInt8(ascii: "<") where isHere("<!--"): try skip(past: "-->", from: 4)
            case UInt8(ascii: "<"):
                try readEnd(of: tag.name)
                return String(decoding: text, as: UTF8.self)
            case UInt8(ascii: "&"): text += try readReference()
            default:
                text.append(byte)
                position += 1
            }
        }
        throw fault("</\(tag.name)> is missing")
    }

    private mutating func readReference() throws(PropertyListParseError) -> [UInt8] {
        guard let end = bytes[position...].prefix(12).firstIndex(of: UInt8(ascii: ";")) else {
            throw fault("a reference has no end")
        }
        let name = String(decoding: bytes[position + 1..<end], as: UTF8.self)
        let scalar: Unicode.Scalar?
        switch name {
        case "amp": scalar = "&"
        case "lt": scalar = "<"
        case "gt": scalar = ">"
        case "quot": scalar = "\""
        case "apos": scalar = "'"
        case _ where name.hasPrefix("#x"): scalar = UInt32(name.dropFirst(2), radix: 16).flatMap(Unicode.Scalar.init)
        case _ where name.hasPrefix("#"): scalar = UInt32(name.dropFirst()).flatMap(Unicode.Scalar.init)
        default: scalar = nil
        }
        guard let scalar else { throw fault("XML has no entity \(name.quotedForMessage)") }
        position = end + 1
        return Array(String(scalar).utf8)
    }
}
