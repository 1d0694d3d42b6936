import FoundationEssentials
import LupineCore
import LupineSerialization
import Testing

@Suite(.timeLimit(.minutes(1)))
struct PropertyListValueTests {
    static func xml(_ content: String) -> Data {
        Data(
            """
            <?xml version="1.0" encoding="UTF-8"?>
            <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
            <plist version="1.0">\(content)</plist>

            """.utf8)
    }

    private func read(_ content: String) throws -> PropertyListValue {
        try PropertyListValue(parsing: Self.xml(content))
    }

    @Test(
        arguments: [
            ("<true/>", .bool(true)), ("<false></false>", .bool(false)), ("<integer>1</integer>", .integer(1)),
            ("<real>1</real>", .real(1)), ("<real>-1.5e3</real>", .real(-1500)),
            ("<integer>-5</integer>", .integer(-5)),
            ("<integer>18446744073709551615</integer>", .integer(Int128(UInt64.max))),
            ("<integer>0x1F</integer>", .integer(31)),
            ("<string>a&amp;b &#x1F600; &lt;&#65;</string>", .string("a&b 😀 <A")), ("<string/>", .string("")),
            // White space around a number (plistlib, CoreFoundation), ends of lines (XML 1.0, section 2.11).
            ("<integer> 5\r\n</integer>", .integer(5)), ("<integer>\t-0x1F </integer>", .integer(-31)),
            ("<real>\n 1.5 </real>", .real(1.5)), ("<real>-Infinity</real>", .real(-.infinity)),
            ("<string>a\r\nb\rc\r\r\nd<![CDATA[\r\n\r]]>\r</string>", .string("a\nb\nc\n\nd\n\n\n")),
            ("<string>&#13;\n&#xD;&#10;&#x9;</string>", .string("\r\n\r\n\t")),
            (
                "<string>\u{7F}\u{85}\u{2028}\u{FFFD}&#x0000000000010FFFF;]] &gt;</string>",
                .string("\u{7F}\u{85}\u{2028}\u{FFFD}\u{10FFFF}]] >")
            ),
            ("<dict a = 'b>' xmlns:c=\"&lt;&#65;\" ><key\n>d</key ><true /></dict\t>", .dictionary(["d": .bool(true)])),
            ("<string><![CDATA[a<b]]> c</string>", .string("a<b c")), ("<string>a<!-- x -->b</string>", .string("ab")),
            ("<date>2024-02-29T12:34:56Z</date>", .date(Date(timeIntervalSince1970: 1_709_210_096))),
            ("<data>\n AAEC\n AwQ=\n</data>", .data(Data([0, 1, 2, 3, 4]))), ("<data></data>", .data(Data())),
            ("<array/>", .array([])), ("<dict/>", .dictionary([:])), (" <!-- c --> <true/> <?x y?> ", .bool(true)),
            (
                "<dict><key>a</key><array><integer>1</integer><true/></array>\n<key>b&amp;c</key><dict/></dict>",
                .dictionary(["a": .array([.integer(1), .bool(true)]), "b&c": .dictionary([:])])
            ),
        ] as [(String, PropertyListValue)])
    func xmlIsRead(content: String, value: PropertyListValue) throws { #expect(try read(content) == value) }

    @Test(arguments: [
        "", "x", "<integer/>", "<integer>1.5</integer>", "<integer>--1</integer>",
        "<integer>18446744073709551616</integer>",
        "<real>one</real>", "<date>2024-02-30</date>", "<date>2023-02-29T00:00:00Z</date>", "<date>yesterday</date>",
        "<data>A</data>", "<data>!!!!</data>",
        "<dict><integer>1</integer></dict>", "<dict><key>a</key></dict>", "<dict><key>a</key><key>b</key></dict>",
        "<array>text</array>", "<true/><false/>", "<null/>", "<string>&unknown;</string>", "<string>&#xD800;</string>",
        "<string>&#1114112;</string>", "<string>&amp</string>", "<string>a</integer>", "<array></dict>", "<string",
        "<array><true/>", "<dict><key>a", "<truex/>", "<!-- c", "<string><![CDATA[a</string>", "</plist>",
        // No characters of XML 1.0 (section 2.2), as they are or by number.
        "<string>&#0;</string>", "<string>&#1;</string>", "<string>\u{1}</string>", "<string>&#xFFFE;</string>",
        "<string>a\u{FFFF}</string>", "<string><![CDATA[\u{8}]]></string>", "<true/><!-- \u{1B} -->",
        "<dict a='\u{2}'/>",
        // Signs and forms that number parsers take.
        "<string>&#+65;</string>", "<string>&#x-1;</string>", "<string>&#;</string>", "<string>&#x;</string>",
        "<integer>0x-5</integer>", "<integer>0x+5</integer>", "<integer>+-5</integer>", "<integer>0x</integer>",
        "<integer> </integer>", "<integer>1 2</integer>", "<integer>1F</integer>",
        "<integer>0xFFFFFFFFFFFFFFFFF</integer>",
        "<real>0x1p3</real>", "<real>0x10</real>", "<real>nan(1)</real>", "<real>1 2</real>", "<real/>",
        "<real>1_0</real>",
        // Not well-formed (sections 2.4, 2.5, 2.6, 3.1).
        "<string>]]></string>", "<!-- a -- b --><true/>", "<true/><!-- a --->", "<?xml version='1.0'?><true/>",
        "<true/><?XML?>", "<dict a/>", "<dict a=b/>", "<dict a='1' a='2'/>", "<dict a='1'b='2'/>", "<dict a='<'/>",
        "<dict a='&b;'/>", "<dict></dict a='b'>", "<dict/ >", "<dict></dict/>", "< dict/>", "<dict.a/>",
        "<dict é=''/><x/>",
    ])
    func xmlThatIsNone(content: String) {
        #expect(throws: PropertyListParseError.self) { try PropertyListValue(parsing: Self.xml(content)) }
    }

    /// Foundation's reader takes any word for a property list of the old form, and a space for an empty one.
    @Test(arguments: [
        "hello", " ", "{a=1;}", #"{"a":1}"#, "<html></html>", "<plist/>", "<true/>", "bplist00", "bplist0", "bplist",
        "<plist><true/></plist>x", "<plist><true/>", "<?xml version='1.0'?>",
        #"<!DOCTYPE plist [<!ENTITY a "b">]><plist><string>&a;</string></plist>"#,
        "<!DOCTYPE plist><!DOCTYPE plist><plist><true/></plist>", "\n<?xml version='1.0'?><plist><true/></plist>",
    ])
    func whatIsNoPropertyListAtAll(text: String) {
        #expect(throws: PropertyListParseError.self) { try PropertyListValue(parsing: Data(text.utf8)) }
    }

    @Test(arguments: [
        ("utf-8", ""), ("utf-16le", ""), ("utf-16be", "\u{FEFF}"), ("utf-32le", "\u{FEFF}"), ("utf-8", "\u{FEFF}"),
        ("iso-8859-1", #"<?xml version="1.0" encoding="ISO-8859-1"?>"#),
        ("koi8-r", "<?xml version='1.0' encoding='koi8-r'?>"),
    ])
    func encodings(name: String, head: String) throws {
        let text = name == "koi8-r" ? "Привет" : "café"
        let bytes = try #require(encoded("\(head)<plist><string>\(text)</string></plist>", in: name))
        #expect(try PropertyListValue(parsing: Data(bytes)) == .string(text))
    }

    @Test func faultsTellThePlace() {
        #expect {
            try PropertyListValue(parsing: Data("<plist><array><true/>text</array></plist>".utf8))
        } throws: {
            "\($0)" == "byte 21: text where an element belongs, or an end too early"
        }
    }

    // MARK: Binary

    private func number(_ value: Int, _ size: Int) -> [UInt8] {
        (0..<size).reversed().map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) }
    }

    /// A binary list of these objects; the first is the top.
    private func binary(_ objects: [[UInt8]], references: Int = 1) -> Data {
        var bytes = Array("bplist00".utf8), offsets: [Int] = []
        for object in objects {
            offsets.append(bytes.count)
            bytes += object
        }
        let table = bytes.count
        for offset in offsets { bytes += number(offset, 4) }
        bytes += [0, 0, 0, 0, 0, 0, 4, UInt8(references)]
        return Data(bytes + number(objects.count, 8) + number(0, 8) + number(table, 8))
    }

    /// Bytes by hand, from the comment on the format in CFBinaryPList.c.
    @Test(
        arguments: [
            ([0x08], .bool(false)), ([0x09], .bool(true)), ([0x10, 0xFF], .integer(255)),
            ([0x11, 0x01, 0x00], .integer(256)),
            ([0x13, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFE], .integer(-2)),
            (
                [0x14, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF],
                .integer(Int128(UInt64.max))
            ),
            ([0x22, 0x3F, 0xC0, 0, 0], .real(1.5)), ([0x23, 0x3F, 0xF8, 0, 0, 0, 0, 0, 0], .real(1.5)),
            ([0x33, 0, 0, 0, 0, 0, 0, 0, 0], .date(Date(timeIntervalSinceReferenceDate: 0))),
            ([0x42, 1, 2], .data(Data([1, 2]))), ([0x4F, 0x10, 0x03, 1, 2, 3], .data(Data([1, 2, 3]))),
            ([0x52, 0x68, 0x69], .string("hi")), ([0x62, 0x00, 0xE9, 0x4E, 0x2D], .string("é中")), ([0x50], .string("")),
            ([0x81, 0x01, 0x02], .uid(258)), ([0xA0], .array([])), ([0xD0], .dictionary([:])),
        ] as [([UInt8], PropertyListValue)])
    func binaryIsRead(object: [UInt8], value: PropertyListValue) throws {
        #expect(try PropertyListValue(parsing: binary([object])) == value)
    }

    @Test func binaryContainers() throws {
        let list = binary([[0xD2, 1, 2, 3, 4], [0x51, 0x61], [0x51, 0x62], [0xA2, 4, 4], [0x09]])
        let expected: PropertyListValue = .dictionary(["a": .array([.bool(true), .bool(true)]), "b": .bool(true)])
        #expect(try PropertyListValue(parsing: list) == expected)
    }

    @Test(
        arguments: [
            [[0x00]], [[0x0F]], [[0x15]], [[0x21, 0]], [[0x90]], [[0xA1, 7]], [[0xA1]], [[0xD1, 1, 1], [0x09]],
            [[0x5F]],
            [[0x5F, 0x13, 0x7F, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF]], [[0x5F, 0x14]], [[0x55, 0x61]],
            [[0x51, 0xE9]],
            [[0x61, 0xD8, 0x00]], [[0xAF, 0x13, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF]],
            // It contains itself.
            [[0xA1, 0]], [[0xA1, 1], [0xA1, 0]],
        ] as [[[UInt8]]])
    func binaryThatIsNone(objects: [[UInt8]]) {
        #expect(throws: PropertyListParseError.self) { try PropertyListValue(parsing: binary(objects)) }
    }

    /// Every beginning of a list is none, and neither are the same bytes with one changed the end of anything.
    @Test func truncatedAndDamaged() throws {
        let encoder = PropertyListEncoder()
        encoder.outputFormat = .binary
        struct Content: Encodable {
            let a = [1, 2, 300], b = "text", c = Date(timeIntervalSince1970: 5), d = ["e": 1.5]
        }
        let binary = try encoder.encode(Content())
        encoder.outputFormat = .xml
        let xml = try encoder.encode(Content())
        #expect(try PropertyListValue(parsing: binary) == PropertyListValue(parsing: xml))
        for length in 0..<binary.count {
            #expect(throws: (any Error).self) { try PropertyListValue(parsing: binary.prefix(length)) }
        }
        let end = xml.count - 1  // the line's end
        for length in 0..<end {
            #expect(throws: (any Error).self) { try PropertyListValue(parsing: xml.prefix(length)) }
        }
        for index in binary.indices {
            for bit in 0..<8 {
                var damaged = binary
                damaged[index] ^= 1 << UInt8(bit)
                _ = try? PropertyListValue(parsing: damaged)
            }
        }
    }

    @Test func depth() throws {
        func nested(_ depth: Int) -> Data {
            Self.xml(String(repeating: "<array>", count: depth) + String(repeating: "</array>", count: depth))
        }
        #expect(try PropertyListValue(parsing: nested(512)).arrayValue?.count == 1)
        for depth in [513, 100_000] {
            #expect(throws: PropertyListParseError.self) { try PropertyListValue(parsing: nested(depth)) }
        }
        let chain = (0..<1000).map { [0xA1] + number($0 + 1, 2) } + [[0x09]]
        #expect(throws: PropertyListParseError.self) { try PropertyListValue(parsing: binary(chain, references: 2)) }
        #expect(
            try PropertyListValue(
                parsing: binary(Array(chain.suffix(2)).map { $0.count > 1 ? [0xA1, 0, 1] : $0 }, references: 2))
                == .array([.bool(true)]))
    }

    /// Objects that are referred to twice each: written out, a billion.
    @Test func aBombIsRefused() {
        let objects = (1...30).map { [0xA2, UInt8($0), UInt8($0)] } + [[0x09]]
        #expect(throws: PropertyListParseError.self) { try PropertyListValue(parsing: binary(objects)) }
    }

    /// What counts is the memory that objects take. One dictionary, meant a hundred thousand times, was 20 MB of them.
    @Test func aBombOfSmallObjectsIsRefused() {
        func list(_ count: Int) -> Data {
            binary([[0xAF, 0x12] + number(count, 4) + Array(repeating: 1, count: count), [0xD1, 2, 2], [0x51, 0x61]])
        }
        #expect(throws: Never.self) { try PropertyListValue(parsing: list(1000)) }
        #expect {
            try PropertyListValue(parsing: list(100_000))
        } throws: {
            "\($0)".hasSuffix("written out, the list takes more than 64 times its size, and than a megabyte")
        }
        // A length that is claimed is no memory yet: levels of it in each other.
        let claims =
            (0..<500).map { [0xAF, 0x12] + number(20_000, 4) + number($0 + 1, 2) } + [
                Array(repeating: 0, count: 60_000)
            ]
        #expect(throws: PropertyListParseError.self) { try PropertyListValue(parsing: binary(claims, references: 2)) }
    }

    /// What is written once and meant often, in as few bytes as there can be.
    @Test func denseListsAreRead() throws {
        let bools = binary([[0xAF, 0x12] + number(300_000, 4) + Array(repeating: 1, count: 300_000), [0x09]])
        #expect(try PropertyListValue(parsing: bools).arrayValue?.count == 300_000)
        let one = [0x51, 0x61] as [UInt8]
        let members = binary(
            [[0xAF, 0x12] + number(40_000, 4) + (2..<40_002).flatMap { number($0, 2) }, one]
                + (0..<40_000).map { _ in [0xD1, 0, 1, 0, 1] }, references: 2)
        #expect(try PropertyListValue(parsing: members)[39_999] == .dictionary(["a": .string("a")]))
    }

    // MARK: Other forms

    @Test func asJSON() throws {
        let list = try read(
            "<dict><key>z</key><real>1</real><key>a</key><array><integer>1</integer><date>1969-12-31T23:59:59Z</date>"
                + "<data>AAE=</data><real>nan</real><string>é</string></array></dict>")
        #expect(JSONValue(list).description == #"{"a":[1,"1969-12-31T23:59:59Z","AAE=","nan","é"],"z":1.0}"#)
        let far = PropertyListValue.date(Date(timeIntervalSince1970: 1e300))
        #expect(JSONValue(far) == "1e+300")
        #expect(JSONValue(PropertyListValue.uid(3)) == ["CF$UID": 3])
    }

    /// Days that a calendar gets wrong first, checked against `date -u -d`.
    @Test(arguments: [
        ("1970-01-01T00:00:00Z", 0), ("2000-02-29T23:59:59Z", 951_868_799), ("1900-03-01T00:00:00Z", -2_203_891_200),
        ("2100-02-28T12:00:00Z", 4_107_499_200), ("0001-01-01T00:00:00Z", -62_135_596_800),
        ("9999-12-31T23:59:59Z", 253_402_300_799), ("1969-12-31T00:00:01Z", -86_399),
    ])
    func dates(text: String, seconds: Int) throws {
        let date = Date(timeIntervalSince1970: Double(seconds))
        #expect(try read("<date>\(text)</date>") == .date(date))
        #expect(JSONValue(PropertyListValue.date(date)) == JSONValue(text))
    }

    @Test func throughFoundationsCoders() throws {
        let list: PropertyListValue = .dictionary([
            "a": .array([.bool(true), .integer(-1), .integer(Int128(UInt64.max)), .real(1.5), .string("s")]),
            "b": .data(Data([1])), "c": .date(Date(timeIntervalSince1970: 1)),
        ])
        for format in [PropertyListDecoder.PropertyListFormat.xml, .binary] {
            let encoder = PropertyListEncoder()
            encoder.outputFormat = format
            let data = try encoder.encode(list)
            #expect(try PropertyListValue(parsing: data) == list)
            #expect(try PropertyListDecoder().decode(PropertyListValue.self, from: data) == list)
        }
        #expect(throws: EncodingError.self) { try PropertyListEncoder().encode([PropertyListValue.uid(1)]) }
    }

    @Test func access() throws {
        let list = try read("<dict><key>a</key><array><integer>1</integer><real>2</real></array></dict>")
        #expect(list["a"]?[0]?.intValue == 1)
        #expect(list["a"]?[1]?.doubleValue == 2)
        #expect(list["a"]?[2] == nil)
        #expect(list["b"] == nil)
        #expect(list.stringValue == nil)
    }
}
