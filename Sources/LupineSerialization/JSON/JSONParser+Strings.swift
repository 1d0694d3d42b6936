internal import LupineCore

extension JSONParser {
    /// Reads the string whose opening quote is here (RFC 8259 section 7).
    mutating func readString() throws(JSONParseError) -> String {
        position += 1
        let start = position
        try skipPlainBytes()
        guard current == UInt8(ascii: "\"") else { return try readEscapedString(from: start) }
        let text = String(decoding: UnsafeBufferPointer(rebasing: bytes[start..<position]), as: UTF8.self)
        position += 1
        return text
    }

    /// Goes to the next quote, backslash or control character, or the end, past well-formed UTF-8 only.
    private mutating func skipPlainBytes() throws(JSONParseError) {
        while true {
            skipPlainASCII()
            guard position < bytes.count, bytes[position] >= 0x80 else { return }
            let length = UTF8Sequence.length(in: bytes, at: position)
            guard length > 0 else { throw fault("text in UTF-8 (RFC 8259 8.1)") }
            position += length
        }
    }

    /// Goes to the next byte that is not ASCII, or as above. Eight bytes at a time while there are eight.
    @inline(__always) private mutating func skipPlainASCII() {
        let raw = UnsafeRawBufferPointer(bytes)
        while position + 8 <= raw.count {
            let word = raw.loadUnaligned(fromByteOffset: position, as: UInt64.self)
            // The high bit of each byte that is below 0x20, `"`, `\` or above 0x7F. A borrow can mark a byte in vain,
            // but only after one that is marked rightly; the loop below looks at each byte.
            let ones: UInt64 = 0x0101_0101_0101_0101
            let quotes = word ^ (ones &* 0x22)
            let backslashes = word ^ (ones &* 0x5C)
            let marks = (word &- ones &* 0x20) | (quotes &- ones) | (backslashes &- ones) | word
            if marks & (ones &* 0x80) != 0 { break }
            position += 8
        }
        while position < bytes.count {
            let byte = bytes[position]
            if byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") || byte >= 0x80 { return }
            position += 1
        }
    }

    private mutating func readEscapedString(from start: Int) throws(JSONParseError) -> String {
        var decoded: [UInt8] = []
        var runStart = start
        while true {
            decoded += bytes[runStart..<position]
            switch current {
            case UInt8(ascii: "\""):
                position += 1
                return String(decoding: decoded, as: UTF8.self)
            case UInt8(ascii: "\\"):
                position += 1
                try readEscape(into: &decoded)
            default:
                throw fault(
                    position < bytes.count ? "no control character in a string" : "the end of a string, a quote")
            }
            runStart = position
            try skipPlainBytes()
        }
    }

    private mutating func readEscape(into decoded: inout [UInt8]) throws(JSONParseError) {
        let escape = current
        switch escape {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): decoded.append(escape)
        case UInt8(ascii: "b"): decoded.append(0x08)
        case UInt8(ascii: "f"): decoded.append(0x0C)
        case UInt8(ascii: "n"): decoded.append(0x0A)
        case UInt8(ascii: "r"): decoded.append(0x0D)
        case UInt8(ascii: "t"): decoded.append(0x09)
        case UInt8(ascii: "u"):
            position += 1
            decoded += UTF8.encode(try readEscapedScalar()).map(Array.init) ?? []
            return
        default: throw fault("one of \"\\/bfnrtu after a backslash")
        }
        position += 1
    }

    /// Reads the digits after `\u`, and the second half of a surrogate pair.
    private mutating func readEscapedScalar() throws(JSONParseError) -> Unicode.Scalar {
        let start = position
        let first = try readHexDigits()
        if let scalar = Unicode.Scalar(first) { return scalar }
        if first < 0xDC00, current == UInt8(ascii: "\\"), position + 1 < bytes.count,
            bytes[position + 1] == UInt8(ascii: "u")
        {
            position += 2
            let second = try readHexDigits()
            if (0xDC00...0xDFFF).contains(second),
                let scalar = Unicode.Scalar(0x10000 + (UInt32(first) - 0xD800) << 10 + UInt32(second) - 0xDC00)
            {
                return scalar
            }
        }
        throw JSONParseError(offset: start - 2, expected: "a surrogate pair, both halves")
    }

    private mutating func readHexDigits() throws(JSONParseError) -> UInt16 {
        var value: UInt16 = 0
        for _ in 0..<4 {
            let byte = current
            guard byte.isASCIIHexDigit else { throw fault("four hexadecimal digits after \\u") }
            let digit = byte.isASCIIDigit ? byte &- UInt8(ascii: "0") : byte.asciiLowercased &- UInt8(ascii: "a") &+ 10
            value = value << 4 | UInt16(digit)
            position += 1
        }
        return value
    }
}
