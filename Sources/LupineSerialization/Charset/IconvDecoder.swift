internal import Glibc

/// One of glibc's converters to UTF-8. It keeps state between calls, so one serves one text.
struct IconvDecoder: ~Copyable {
    private let descriptor: iconv_t
    private let name: String

    /// `nil`: the system has no encoding of that name.
    init?(_ name: String) {
        guard let descriptor = iconv_open("UTF-8", name), descriptor != iconv_t(bitPattern: -1) else { return nil }
        self.descriptor = descriptor
        self.name = name
    }

    /// Whether the system has an encoding of that name.
    static func exists(_ name: String) -> Bool {
        if IconvDecoder(name) == nil { return false }
        return true
    }

    deinit { iconv_close(descriptor) }

    /// The text of the bytes from `start` on; the fault's offset counts from the first byte all the same.
    func decode(_ bytes: UnsafeBufferPointer<UInt8>, from start: Int) -> Result<String, DecodingFault> {
        var text: [UInt8] = []
        text.reserveCapacity(bytes.count + bytes.count / 2)
        // iconv reads there and writes nothing; its type is older than `const`.
        var input = UnsafeMutableRawPointer(mutating: bytes.baseAddress)?.assumingMemoryBound(to: CChar.self)
        input = input.map { $0 + start }
        var left = bytes.count - start
        var isFlushing = left == 0
        return withUnsafeTemporaryAllocation(of: CChar.self, capacity: Self.pieceSize) { piece in
            while true {
                var output = piece.baseAddress
                var room = piece.count
                let result =
                    isFlushing
                    ? iconv(descriptor, nil, nil, &output, &room)
                    : iconv(descriptor, &input, &left, &output, &room)
                let fault = errno
                text += UnsafeRawBufferPointer(UnsafeMutableBufferPointer(rebasing: piece[..<(piece.count - room)]))
                if result == -1 {
                    if fault == EILSEQ, left > 0, let letter = letter(of: bytes[bytes.count - left]) {
                        text += held(by: piece) + Array(String(letter).utf8)
                        input = input.map { $0 + 1 }
                        left -= 1
                        continue
                    }
                    // The piece is full; go on. Anything else is a byte that does not fit, or an end too early.
                    guard fault == E2BIG, room < piece.count else {
                        return .failure(DecodingFault(offset: bytes.count - left))
                    }
                } else if isFlushing {
                    // Some encodings hold a letter back until they know that no mark for it follows.
                    return .success(String(decoding: text, as: UTF8.self))
                } else {
                    isFlushing = true
                }
            }
        }
    }

    /// What the encoding holds back, until it knows that no mark for it follows.
    private func held(by piece: UnsafeMutableBufferPointer<CChar>) -> [UInt8] {
        var output = piece.baseAddress
        var room = piece.count
        _ = iconv(descriptor, nil, nil, &output, &room)
        return Array(UnsafeRawBufferPointer(UnsafeMutableBufferPointer(rebasing: piece[..<(piece.count - room)])))
    }

    /// What a byte that begins nothing in glibc's tables is in those of the WHATWG encoding standard: the euro sign of the GBK that
    /// Windows writes, and the control characters where its code pages have gaps. `nil`: nothing there either.
    private func letter(of byte: UInt8) -> Unicode.Scalar? {
        switch byte {
        case 0x80 where name == "gb18030": "€"
        case 0x80 where name == "cp932": "\u{80}"
        case 0x80..<0xA0 where ["cp125", "windows-125", "cp874"].contains(where: name.hasPrefix): Unicode.Scalar(byte)
        default: nil
        }
    }

    private static let pieceSize = 16 << 10
}
