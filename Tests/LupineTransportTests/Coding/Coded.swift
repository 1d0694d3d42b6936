import CCodings

/// One text in every content coding.
enum Coded: String, CaseIterable, Sendable {
    case gzip, xGzip = "x-gzip", zlib, rawDeflate, br, zstd

    static let plain = String(repeating: "Lupine, the Texas bluebonnet. ", count: 40)

    /// What Content-Encoding says.
    var name: String {
        switch self {
        case .zlib, .rawDeflate: "deflate"
        default: rawValue
        }
    }

    var bytes: [UInt8] {
        switch self {
        case .gzip, .xGzip: Self.gzip(Array(Self.plain.utf8))
        case .zlib: Self.deflate(Array(Self.plain.utf8), windowBits: 15)
        case .rawDeflate: Self.deflate(Array(Self.plain.utf8), windowBits: -15)
        // Of `plain`, by the libraries' own encoders.
        case .br: Self.hex("1baf0400443797aa743125a3a1282c58a6f01f9eb2c0e35b5adadafeb6099d5d24f0f348ea98a821714d04")
        case .zstd:
            Self.hex(
                """
                28b52ffd0458350100f04c7570696e652c2074686520546578617320626c7565626f6e6e65742e2001003e127ee50494eb6710
                """)
        }
    }

    /// "hello".
    static let brHello = hex("0b028068656c6c6f03")
    static let zstdHello = hex("28b52ffd045829000068656c6c6fa36d9f88")
    /// 64 MiB of zeros.
    static let brZeros = hex(
        """
        cbffff3f002400e2b14072effff8ffff078004401c1680eefd1fffffff00900088c302d0bdffe3ffff1f001200715800baf77ffcffff0340\
        02200e0b40f7fe8fffff7f004800c46101e8defff1ffff0f000980382c00ddfbbffcffff032001108705a07bff07
        """)

    static func gzip(_ plain: [UInt8]) -> [UInt8] { deflate(plain, windowBits: 15 + 16) }

    static func deflate(_ plain: [UInt8], windowBits: Int32) -> [UInt8] {
        var stream = z_stream()
        var input = plain
        deflateInit2_(
            &stream, 9, Z_DEFLATED, windowBits, 8, Z_DEFAULT_STRATEGY, ZLIB_VERSION,
            Int32(MemoryLayout<z_stream>.size))
        defer { deflateEnd(&stream) }
        let capacity = Int(deflateBound(&stream, UInt(plain.count)))
        return input.withUnsafeMutableBufferPointer { input in
            [UInt8](unsafeUninitializedCapacity: capacity) { output, count in
                stream.next_in = input.baseAddress
                stream.avail_in = UInt32(input.count)
                stream.next_out = output.baseAddress
                stream.avail_out = UInt32(capacity)
                CCodings.deflate(&stream, Z_FINISH)
                count = capacity - Int(stream.avail_out)
            }
        }
    }

    static func hex(_ text: String) -> [UInt8] {
        let digits = Array(text.utf8).map { UInt8($0 < 0x3A ? $0 - 0x30 : $0 - 0x57) }
        return stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
    }
}
