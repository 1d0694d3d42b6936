internal import LupineCore

// What stands between and within the tags: comments, instructions, the document type, text.
extension XMLPropertyListReader {
    func fault(_ reason: String) -> PropertyListParseError { PropertyListParseError(offset: position, reason: reason) }

    static func isWhitespace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 }

    var current: UInt8? { position < bytes.count ? bytes[position] : nil }

    private func isHere(_ text: StaticString) -> Bool {
        bytes[position...].starts(with: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }

    mutating func skipWhitespace() {
        while let byte = current, Self.isWhitespace(byte) { position += 1 }
    }

    /// Goes past white space, comments and processing instructions, and where it may stand one document type.
    mutating func skipMisc(allowsDocumentType: Bool = false) throws(PropertyListParseError) {
        var allowsDocumentType = allowsDocumentType
        while true {
            skipWhitespace()
            if isHere("<!--") {
                try skipComment()
            } else if isHere("<?") {
                try skipInstruction()
            } else if allowsDocumentType, isHere("<!DOCTYPE") {
                try skipDocumentType()
                allowsDocumentType = false
            } else {
                return
            }
        }
    }

    private mutating func skipComment() throws(PropertyListParseError) {
        try skip(past: "--", from: 4)
        guard current == UInt8(ascii: ">") else { throw fault("a comment holds --") }
        position += 1
    }

    private mutating func skipInstruction() throws(PropertyListParseError) {
        let start = position
        try skip(past: "?>", from: 2)
        let target = bytes[start + 2..<position - 2].prefix { !Self.isWhitespace($0) }
        guard start == 0 || !String(decoding: target, as: UTF8.self).equalsIgnoringASCIICase("xml") else {
            throw PropertyListParseError(offset: start, reason: "an XML declaration belongs at the beginning")
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

    /// The text of an element up to its end.
    mutating func text(of tag: Tag) throws(PropertyListParseError) -> String {
        if tag.isEmpty { return "" }
        var text: [UInt8] = []
        while let byte = current {
            switch byte {
            case UInt8(ascii: "<") where isHere("<![CDATA["):
                let start = position + 9
                try skip(past: "]]>", from: 9)
                for index in start..<position - 3 { appendCharacter(at: index, to: &text) }
            case UInt8(ascii: "<") where isHere("<!--"): try skipComment()
            case UInt8(ascii: "<"):
                try readEnd(of: tag.name)
                return String(decoding: text, as: UTF8.self)
            case UInt8(ascii: "&"): text += try readReference()
            case UInt8(ascii: "]") where isHere("]]>"): throw fault("]]> ends no section")
            default:
                appendCharacter(at: position, to: &text)
                position += 1
            }
        }
        throw fault("</\(tag.name)> is missing")
    }

    /// Any end of a line is a line feed (section 2.11): CR LF, or CR alone.
    private func appendCharacter(at index: Int, to text: inout [UInt8]) {
        if bytes[index] == 0x0A, bytes[index - 1] == 0x0D { return }
        text.append(bytes[index] == 0x0D ? 0x0A : bytes[index])
    }

    mutating func readReference() throws(PropertyListParseError) -> [UInt8] {
        // By number there may be zeros in front.
        guard let end = bytes[position...].prefix(64).firstIndex(of: UInt8(ascii: ";")) else {
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
        case _ where name.hasPrefix("#x"): scalar = Self.scalar(name.dropFirst(2), radix: 16)
        case _ where name.hasPrefix("#"): scalar = Self.scalar(name.dropFirst(), radix: 10)
        default: scalar = nil
        }
        guard let scalar, XMLCharacters.contains(scalar) else {
            throw fault("XML has no entity or character \(name.quotedForMessage)")
        }
        position = end + 1
        return Array(String(scalar).utf8)
    }

    /// The initializer takes a sign.
    private static func scalar(_ digits: Substring, radix: Int) -> Unicode.Scalar? {
        guard digits.utf8.allSatisfy(\.isASCIIHexDigit) else { return nil }
        return UInt32(digits, radix: radix).flatMap(Unicode.Scalar.init)
    }
}
