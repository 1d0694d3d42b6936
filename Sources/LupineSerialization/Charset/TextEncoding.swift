internal import LupineCore

/// How the bytes of a charset are read.
enum TextEncoding: Hashable {
    case utf8
    /// Read by the table below: no byte is wrong in it.
    case windows1252
    /// Of 2 or 4 bytes a unit, the order by the mark, else little-endian.
    case utf16, utf32
    /// One of iconv's.
    case system(String)

    /// What a label means. `nil`: nothing here.
    init?(label: String) {
        let label = label.asciiLowercased
        if let encoding = Self.labels[label] {
            self = encoding
        } else if Self.isSafe(label), IconvDecoder.exists(label) {
            self = .system(label)
        } else {
            return nil
        }
    }

    /// Names come from servers. Besides charsets glibc takes options after slashes, the locale's charset for an empty name,
    /// and names for its own representations in memory: none of these describes a message.
    private static func isSafe(_ label: String) -> Bool {
        // What it skips in a name, such as a bracket, would make `gbk(` a name too.
        let isPlain = { (byte: UInt8) in
            byte.isASCIIAlpha || byte.isASCIIDigit || "-_.:".utf8.contains(byte)
        }
        return !label.isEmpty && label.utf8.count <= 64 && label.utf8.allSatisfy(isPlain)
            && !["char", "internal", "wchar_t"].contains(label)
    }

    func decode(_ bytes: UnsafeBufferPointer<UInt8>) -> Result<String, DecodingFault> {
        switch self {
        case .utf8: return decodeUTF8(bytes)
        case .windows1252: return .success(decodeWindows1252(bytes))
        case .utf16: return decode(bytes, bigEndian: "utf-16be", littleEndian: "utf-16le", unit: 2)
        case .utf32: return decode(bytes, bigEndian: "utf-32be", littleEndian: "utf-32le", unit: 4)
        case .system(let name):
            guard let decoder = IconvDecoder(name) else { return .failure(DecodingFault(offset: nil)) }
            // Only where the mark is the encoding's own: these two bytes are letters in another.
            let skipped = ByteOrderMark(bytes.prefix(4)).map { $0.name == name ? $0.length : 0 } ?? 0
            return decoder.decode(bytes, from: skipped)
        }
    }

    private func decodeUTF8(_ bytes: UnsafeBufferPointer<UInt8>) -> Result<String, DecodingFault> {
        let start = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
        if let text = String(validating: UnsafeBufferPointer(rebasing: bytes[start...]), as: UTF8.self) {
            return .success(text)
        }
        return .failure(DecodingFault(offset: UTF8Sequence.firstFault(in: bytes)))
    }

    private func decode(
        _ bytes: UnsafeBufferPointer<UInt8>, bigEndian: String, littleEndian: String, unit: Int
    ) -> Result<String, DecodingFault> {
        let mark = ByteOrderMark(bytes.prefix(4))
        // FF FE 00 00 as UTF-16 is a mark and a NUL.
        let isBigEndian = mark?.name == bigEndian
        let hasMark = isBigEndian || mark?.name == littleEndian || (unit == 2 && mark?.name == "utf-32le")
        guard let decoder = IconvDecoder(isBigEndian ? bigEndian : littleEndian) else {
            return .failure(DecodingFault(offset: nil))
        }
        return decoder.decode(bytes, from: hasMark ? unit : 0)
    }

    private func decodeWindows1252(_ bytes: UnsafeBufferPointer<UInt8>) -> String {
        var text = String.UnicodeScalarView()
        for byte in bytes {
            let code = (0x80..<0xA0).contains(byte) ? Self.windows1252High[Int(byte) - 0x80] : UInt16(byte)
            text.append(Unicode.Scalar(code) ?? "\u{FFFD}")
        }
        return String(text)
    }

    /// 0x80 to 0x9F (WHATWG encoding, index windows-1252); what Microsoft's table leaves open is a control character.
    private static let windows1252High: [UInt16] = [
        0x20AC, 0x81, 0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021, 0x02C6, 0x2030, 0x0160, 0x2039, 0x0152, 0x8D,
        0x017D,
        0x8F, 0x90, 0x2018, 0x2019, 0x201C, 0x201D, 0x2022, 0x2013, 0x2014, 0x02DC, 0x2122, 0x0161, 0x203A, 0x0153,
        0x9D,
        0x017E, 0x0178,
    ]
}

/// Where reading stopped.
struct DecodingFault: Error {
    /// `nil`: the system has no such encoding.
    let offset: Int?
}

/// U+FEFF at the beginning of a text, in one of Unicode's encodings.
struct ByteOrderMark {
    let name: String
    let length: Int

    init?(_ bytes: some Sequence<UInt8>) {
        let start = Array(bytes.prefix(4))
        // The longest first: the mark of UTF-32LE begins with that of UTF-16LE.
        if start == [0xFF, 0xFE, 0, 0] {
            (name, length) = ("utf-32le", 4)
        } else if start == [0, 0, 0xFE, 0xFF] {
            (name, length) = ("utf-32be", 4)
        } else if start.starts(with: [0xEF, 0xBB, 0xBF]) {
            (name, length) = ("utf-8", 3)
        } else if start.starts(with: [0xFF, 0xFE]) {
            (name, length) = ("utf-16le", 2)
        } else if start.starts(with: [0xFE, 0xFF]) {
            (name, length) = ("utf-16be", 2)
        } else {
            return nil
        }
    }
}
