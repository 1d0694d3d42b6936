internal import LupineCore

/// A character encoding by a name that servers give it, such as `gb2312` or `UTF-8`.
///
/// Names mean what the WHATWG encoding standard has them mean, in any case, where that differs from the letter: `gb2312` and
/// `gbk` are read as their superset GB18030, `iso-8859-1` and `us-ascii` as windows-1252, `shift_jis` as windows-31J, `euc-kr`
/// as windows-949, `big5` with the Hong Kong supplement: that is what is sent under these names. `utf-16` and `utf-32` without
/// a byte order mark are little-endian, as there. The byte 80 alone is the euro sign in GBK, and a gap of Windows's code pages
/// from 80 to 9F a control character, as there. Any other name is the system's (`iconv -l` lists them).
public struct Charset: Hashable, Sendable {
    /// The name, as it was given but for white space around it.
    public let name: String

    public init(_ name: String) { self.name = String(name.trimmingOWS) }

    /// UTF-8.
    public static let utf8: Charset = "utf-8"

    /// Whether texts in it can be read here.
    public var isKnown: Bool { encoding != nil }

    /// The text that bytes stand for. A byte order mark of the encoding is not part of it.
    ///
    /// - Throws: ``CharsetError``: the name is unknown, or a byte stands for no character; nothing is replaced.
    public func decode(_ bytes: some Sequence<UInt8>) throws(CharsetError) -> String {
        guard let encoding else { throw CharsetError(charset: self, offset: nil) }
        let read = { (buffer: UnsafeBufferPointer<UInt8>) -> Result<String, CharsetError> in
            encoding.decode(buffer).mapError { CharsetError(charset: self, offset: $0.offset) }
        }
        return try (bytes.withContiguousStorageIfAvailable(read) ?? Array(bytes).withUnsafeBufferPointer(read)).get()
    }

    /// The encoding whose byte order mark bytes begin with. `nil`: there is none.
    public init?(byteOrderMarkOf bytes: some Sequence<UInt8>) {
        guard let mark = ByteOrderMark(bytes.prefix(4)) else { return nil }
        self.init(mark.name)
    }

    var encoding: TextEncoding? { TextEncoding(label: name) }

    /// Equal in any case: names are ASCII's (WHATWG encoding, section 4.2).
    public static func == (left: Charset, right: Charset) -> Bool { left.name.equalsIgnoringASCIICase(right.name) }

    public func hash(into hasher: inout Hasher) { hasher.combine(name.asciiLowercased) }
}

extension Charset: ExpressibleByStringLiteral, CustomStringConvertible {
    public init(stringLiteral name: String) { self.init(name) }

    /// The name.
    public var description: String { name }
}

/// Why bytes are no text in an encoding.
public struct CharsetError: Error, Hashable, Sendable {
    /// The encoding, by the name it was given.
    public let charset: Charset
    /// The offset of the first byte that does not fit, counted from 0. `nil`: the encoding is unknown here.
    public let offset: Int?

    public init(charset: Charset, offset: Int?) {
        self.charset = charset
        self.offset = offset
    }
}

extension CharsetError: CustomStringConvertible {
    /// `byte 17: no text in gbk`, or `the charset "x-none" is unknown here`.
    public var description: String {
        let name = charset.name.quotedForMessage
        return offset.map { "byte \($0): no text in \(name)" } ?? "the charset \(name) is unknown here"
    }
}
