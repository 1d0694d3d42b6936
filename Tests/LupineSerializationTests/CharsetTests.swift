import FoundationEssentials
import Glibc
import LupineCore
import LupineSerialization
import Testing

/// The bytes of a text, by iconv the other way round.
func encoded(_ text: String, in charset: String) -> [UInt8]? {
    guard let descriptor = iconv_open(charset, "UTF-8"), descriptor != iconv_t(bitPattern: -1) else { return nil }
    defer { iconv_close(descriptor) }
    var input = text.utf8.map { CChar(bitPattern: $0) }
    var output = [CChar](repeating: 0, count: 64 + input.count * 8)
    let size = output.count
    let written: Int? = input.withUnsafeMutableBufferPointer { input in
        output.withUnsafeMutableBufferPointer { output in
            var from = input.baseAddress, into = output.baseAddress
            var left = input.count, room = size
            guard iconv(descriptor, &from, &left, &into, &room) != -1, left == 0,
                iconv(descriptor, nil, nil, &into, &room) != -1
            else { return nil }
            return size - room
        }
    }
    return written.map { output.prefix($0).map { UInt8(bitPattern: $0) } }
}

@Suite struct CharsetTests {
    /// The letters are in each of these.
    static let russian = "Съешь же ещё этих мягких французских булок, да выпей чаю. 123"

    static let encodings = [
        "UTF-8", "UTF-16LE", "UTF-16BE", "UTF-32LE", "UTF-32BE", "KOI8-R", "KOI8-U", "WINDOWS-1251", "ISO-8859-5",
        "CP866",
        "CP855", "MAC-CYRILLIC", "GB2312", "GBK", "GB18030", "SHIFT_JIS", "EUC-JP", "ISO-2022-JP", "EUC-KR", "CP949",
        "ISO-2022-KR", "JOHAB", "KOI8-T", "CP1125", "ISO-IR-111", "UTF-7",
    ]

    @Test(arguments: encodings)
    func theSameTextInEachEncoding(name: String) throws {
        let bytes = try #require(encoded(Self.russian, in: name))
        #expect(try Charset(name).decode(bytes) == Self.russian)
        #expect(try Charset(name.asciiLowercased).decode(Data(bytes)) == Self.russian)
    }

    /// Bytes by hand, from the encodings' own tables; each label in a spelling that servers use.
    @Test(
        arguments: [
            ("gb2312", [0xD6, 0xD0, 0xCE, 0xC4], "中文"),
            ("GBK", [0xD6, 0xD0, 0xCE, 0xC4], "中文"),
            // Not in GB2312, but sent as such: GBK's 镕, GB18030's four bytes.
            ("gb_2312-80", [0xE9, 0x46], "镕"),
            ("gb2312", [0x94, 0x39, 0xFC, 0x36], "😀"),
            ("chinese", [0xA2, 0xE3], "€"),
            // A byte that begins nothing in glibc's tables is the euro sign in the standard's, and in Windows.
            ("gbk", [0x80], "€"), ("gb2312", [0x41, 0x80, 0xD6, 0xD0, 0x80, 0x80], "A€中€€"),
            ("gb18030", [0x80, 0x94, 0x39, 0xFC, 0x36, 0x81, 0x80], "€😀亐"),
            // Gaps in Windows's code pages are control characters there.
            ("windows-1250", [0x81, 0xE1], "\u{81}á"), ("cp1251", [0x98, 0xCF], "\u{98}П"),
            ("iso-8859-9", [0x9E], "\u{9E}"), ("tis-620", [0x99, 0xA1], "\u{99}ก"),
            ("windows-1258", [0x61, 0x81, 0x61, 0xCC], "a\u{81}\u{E0}"),
            ("shift_jis", [0x80, 0x93, 0xFA], "\u{80}日"),
            ("big5", [0xA4, 0xA4, 0xA4, 0xE5], "中文"),
            ("Shift_JIS", [0x93, 0xFA, 0x96, 0x7B], "日本"),
            ("x-sjis", [0x87, 0x40], "①"),
            ("EUC-JP", [0xC6, 0xFC, 0xCB, 0xDC], "日本"),
            ("iso-2022-jp", [0x1B, 0x24, 0x42, 0x46, 0x7C, 0x4B, 0x5C, 0x1B, 0x28, 0x42], "日本"),
            ("euc-kr", [0xC7, 0xD1, 0xB1, 0xB9], "한국"),
            ("ks_c_5601-1987", [0x8C, 0x63], "똠"),
            ("windows-1251", [0xCF, 0xF0, 0xE8, 0xE2, 0xE5, 0xF2], "Привет"),
            ("koi8-r", [0xF0, 0xD2, 0xC9, 0xD7, 0xC5, 0xD4], "Привет"),
            ("iso-8859-1", [0x63, 0x61, 0x66, 0xE9], "café"),
            ("Latin1", [0x80, 0x93, 0xE9, 0x94], "€“é”"),
            ("us-ascii", [0x93, 0x41, 0x94], "“A”"),
            ("windows-1252", [0x81, 0x8D, 0xFF, 0xA0], "\u{81}\u{8D}ÿ\u{A0}"),
            ("iso-8859-15", [0xA4], "€"),
            ("iso-8859-2", [0xB1, 0xEA], "ąę"),
            ("iso-8859-7", [0xE1, 0xE2], "αβ"),
            ("iso-8859-9", [0xFE, 0xF0], "şğ"),
            ("logical", [0xE0, 0xE1], "אב"),
            ("tis-620", [0xA1], "ก"),
            ("macintosh", [0x8E], "é"),
            ("ibm866", [0x8F], "П"),
            ("utf-16be", [0x00, 0xE9, 0xD8, 0x3D, 0xDE, 0x00], "é😀"),
            ("utf-16le", [0xE9, 0x00, 0x3D, 0xD8, 0x00, 0xDE], "é😀"),
            ("utf-16", [0xE9, 0x00], "é"),
            ("utf-16", [0xFE, 0xFF, 0x00, 0xE9], "é"),
            ("utf-16", [0xFF, 0xFE, 0xE9, 0x00], "é"),
            ("unicode", [0xFF, 0xFE, 0x00, 0x00, 0x41, 0x00], "\0A"),
            ("utf-32", [0x41, 0, 0, 0], "A"),
            ("utf-32", [0, 0, 0xFE, 0xFF, 0, 0, 0, 0x41], "A"),
            ("utf-8", [0xEF, 0xBB, 0xBF, 0xC3, 0xA9], "é"),
            ("utf8", [0xC3, 0xA9, 0xEF, 0xBB, 0xBF], "é\u{FEFF}"),
            ("utf-16le", [0xFF, 0xFE, 0x41, 0x00], "A"),
            // No mark of this encoding: two letters.
            ("iso-8859-1", [0xFF, 0xFE, 0x41], "ÿþA"),
            (" UTF-8\t", [0x41], "A"),
            ("utf-8", [], ""), ("gbk", [], ""), ("utf-16", [], ""), ("iso-8859-1", [], ""),
        ] as [(String, [UInt8], String)])
    func tables(label: String, bytes: [UInt8], text: String) throws {
        let decoded = try Charset(label).decode(bytes)
        #expect(Array(decoded.unicodeScalars) == Array(text.unicodeScalars))
    }

    @Test(
        arguments: [
            ("utf-8", [0x41, 0xC3, 0x28], 1), ("utf-8", [0x41, 0x42, 0xFF], 2), ("utf-8", [0xED, 0xA0, 0x80], 0),
            ("utf-8", [0xEF, 0xBB, 0xBF, 0x80], 3), ("utf-8", [0x41, 0xE4, 0xB8], 1),
            ("gb2312", [0x41, 0xD6, 0xD0, 0xFF], 3), ("gb2312", [0x41, 0xD6], 1),
            ("gbk", [0x80, 0x81], 1), ("gbk", [0x80, 0xFF], 1), ("windows-1253", [0x81, 0xAA], 1),
            ("shift_jis", [0x41, 0x93], 1), ("euc-kr", [0xC7, 0xD1, 0xFF, 0x41], 2),
            ("utf-16le", [0x41, 0x00, 0x3D, 0xD8, 0x41, 0x00], 2), ("utf-16", [0xFF, 0xFE, 0x41], 2),
            ("utf-32", [0x41, 0, 0, 0, 0, 0, 0x11, 0], 4), ("iso-8859-7", [0x41, 0xFF], 1),
        ] as [(String, [UInt8], Int)])
    func aWrongByteIsAnError(label: String, bytes: [UInt8], offset: Int) {
        #expect(throws: CharsetError(charset: Charset(label), offset: offset)) { try Charset(label).decode(bytes) }
    }

    /// A long text, so that the converter comes back for more room, with the fault behind it.
    @Test func theOffsetCountsFromTheBeginning() throws {
        let bytes = try #require(encoded(String(repeating: Self.russian, count: 2000), in: "GBK"))
        #expect(try Charset("gbk").decode(bytes) == String(repeating: Self.russian, count: 2000))
        #expect(throws: CharsetError(charset: "gbk", offset: bytes.count)) { try Charset("gbk").decode(bytes + [0xFF]) }
    }

    /// Encodings that hold a letter back until the next tells whether it is marked.
    @Test func theLastLetterIsNotLost() throws {
        // Vietnamese: a base letter may be followed by a combining mark (windows-1258); Ê may be in Big5-HKSCS.
        #expect(try Charset("windows-1258").decode([0x61] as [UInt8]) == "a")
        #expect(try Charset("big5-hkscs").decode([0x88, 0x66] as [UInt8]) == "Ê")
        #expect(try Charset("big5").decode([0x88, 0x62] as [UInt8]).unicodeScalars.map(\.value) == [0xCA, 0x304])
    }

    /// What glibc would take for options, for the locale's own charset, or for memory.
    @Test(arguments: [
        "", "x-none", "utf-8//IGNORE", "ascii//TRANSLIT", "utf-16,utf-8", "gbk(", "g+bk", "wchar_t", "INTERNAL", "char",
        "a b", "é",
        "\0",
        String(repeating: "a", count: 65), "/", "//", "utf-8\0", "../x",
    ])
    func unknown(label: String) {
        #expect(!Charset(label).isKnown)
        #expect(throws: CharsetError(charset: Charset(label), offset: nil)) { try Charset(label).decode([0x41]) }
    }

    @Test func errorsAreShown() {
        #expect("\(CharsetError(charset: "x\n", offset: nil))" == #"the charset "x\n" is unknown here"#)
        #expect("\(CharsetError(charset: "gbk", offset: 17))" == #"byte 17: no text in "gbk""#)
    }

    @Test func namesAreTheSameInAnyCase() {
        #expect(Charset("UTF-8") == .utf8)
        #expect(Set([Charset("GBK"), "gbk", " Gbk "]).count == 1)
    }

    @Test(
        arguments: [
            ([0xEF, 0xBB, 0xBF], "utf-8"), ([0xFE, 0xFF, 0x00, 0x41], "utf-16be"),
            ([0xFF, 0xFE, 0x41, 0x00], "utf-16le"),
            ([0xFF, 0xFE, 0x00, 0x00], "utf-32le"), ([0x00, 0x00, 0xFE, 0xFF], "utf-32be"), ([0xFF, 0xFE], "utf-16le"),
            ([0xEF, 0xBB], nil), ([], nil), ([0x41], nil), ([0x00, 0x00, 0xFE], nil),
        ] as [([UInt8], String?)])
    func marks(bytes: [UInt8], name: String?) {
        #expect(Charset(byteOrderMarkOf: bytes) == name.map { Charset($0) })
    }

}
