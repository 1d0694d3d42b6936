/// One scalar's UTF-8 (Unicode 3.9, table 3-7): no overlong form, no surrogate, nothing above U+10FFFF.
enum UTF8Sequence {
    /// The number of bytes of the scalar of two bytes or more that begins at `start`; 0: none does.
    static func length(in bytes: UnsafeBufferPointer<UInt8>, at start: Int) -> Int {
        let second: ClosedRange<UInt8>
        let length: Int
        switch bytes[start] {
        case 0xC2...0xDF: (length, second) = (2, 0x80...0xBF)
        case 0xE0: (length, second) = (3, 0xA0...0xBF)
        case 0xED: (length, second) = (3, 0x80...0x9F)
        case 0xE1...0xEF: (length, second) = (3, 0x80...0xBF)
        case 0xF0: (length, second) = (4, 0x90...0xBF)
        case 0xF1...0xF3: (length, second) = (4, 0x80...0xBF)
        case 0xF4: (length, second) = (4, 0x80...0x8F)
        default: return 0
        }
        guard start + length <= bytes.count, second.contains(bytes[start + 1]) else { return 0 }
        for index in start + 2..<start + length where bytes[index] & 0xC0 != 0x80 { return 0 }
        return length
    }

    /// The offset of the first byte that belongs to no scalar. `nil`: all of it is UTF-8.
    static func firstFault(in bytes: UnsafeBufferPointer<UInt8>) -> Int? {
        var position = 0
        while position < bytes.count {
            let length = bytes[position] < 0x80 ? 1 : length(in: bytes, at: position)
            if length == 0 { return position }
            position += length
        }
        return nil
    }
}
