/// The characters of XML 1.0 (section 2.2): the others stand in no document, not even by number.
enum XMLCharacters {
    static func contains(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x09, 0x0A, 0x0D, 0x20...0xFFFD, 0x10000...: true
        default: false
        }
    }

    /// The offset of the first character of a text in UTF-8 that is none of XML's.
    static func firstFault(in text: [UInt8]) -> Int? {
        for (offset, byte) in text.enumerated() {
            if byte < 0x20, byte != 0x09, byte != 0x0A, byte != 0x0D { return offset }
            // U+FFFE and U+FFFF.
            if byte >= 0xBE, offset >= 2, text[offset - 1] == 0xBF, text[offset - 2] == 0xEF { return offset - 2 }
        }
        return nil
    }
}
