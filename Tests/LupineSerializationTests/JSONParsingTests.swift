import LupineSerialization
import Testing

@Suite(.timeLimit(.minutes(1))) struct JSONParsingTests {
    @Test(
        arguments: [
            ("null", .null), ("true", true), ("false", false), ("0", 0), ("-1", -1), ("\"\"", ""), ("[]", []),
            ("{}", [:]),
            (" \t\r\n[ 1 ,\n2 ] ", [1, 2]),
            ("{\"a\":{\"b\":[{\"c\":null},[],{}]},\"d\":\"e\"}", ["a": ["b": [["c": nil], [], [:]]], "d": "e"]),
            ("\u{FEFF}[1]", [1]),
            ("[\"a\",[\"b\",[\"c\"]],\"d\"]", ["a", ["b", ["c"]], "d"]),
        ] as [(String, JSONValue)])
    func values(text: String, expected: JSONValue) throws { #expect(try JSONValue(parsing: text) == expected) }

    /// RFC 8259 section 7.
    @Test(arguments: [
        (#""plain""#, "plain"),
        (#""\"\\\/\b\f\n\r\t""#, "\"\\/\u{8}\u{C}\n\r\t"),
        (#""\u0041\u00e9\u65E5""#, "Aé日"),
        (#""\uD83D\uDE00""#, "😀"),
        (#""\u0000""#, "\u{0}"),
        (#""\ud800\udc00 \uDBFF\uDFFF""#, "\u{10000} \u{10FFFF}"),
        (#""é日😀""#, "é日😀"),
        (#""0123456789abcdef\n0123456789abcdef""#, "0123456789abcdef\n0123456789abcdef"),
        (#""0123456é""#, "0123456é"),
        ("\"\u{7F}\u{2028}\"", "\u{7F}\u{2028}"),
    ])
    func strings(text: String, expected: String) throws {
        let value = try #require(try JSONValue(parsing: text).stringValue)
        #expect(value.utf8.elementsEqual(expected.utf8))
    }

    /// Every length around the eight bytes that are looked at together, with what ends a run at each place.
    @Test func stringsOfEveryLength() throws {
        for length in 0..<40 {
            for special in ["", "\\n", "é", "\u{1}"] {
                for place in 0...length {
                    let before = String(repeating: "a", count: place)
                    let after = String(repeating: "b", count: length - place)
                    let parsed = try? JSONValue(parsing: "\"\(before)\(special)\(after)\"")
                    let expected = special == "\u{1}" ? nil : before + (special == "\\n" ? "\n" : special) + after
                    #expect(parsed?.stringValue == expected)
                }
            }
        }
    }

    /// The offset of the first byte that does not fit, and what should be there.
    @Test(arguments: [
        ("", 0, "a value"), ("  ", 2, "a value"), ("\u{FEFF}", 3, "a value"),
        ("nul", 3, "\"null\""), ("nulL", 3, "\"null\""), ("True", 0, "a value"), ("tru e", 3, "\"true\""),
        ("1 2", 2, "the end of the text"), ("[] x", 3, "the end of the text"), ("null\u{0}", 4, "the end of the text"),
        ("[1", 2, "\",\" or \"]\""), ("[1 2]", 3, "\",\" or \"]\""), ("[1}", 2, "\",\" or \"]\""),
        ("[1,]", 3, "a value"), ("[,1]", 1, "a value"), ("[", 1, "a value"), ("]", 0, "a value"),
        ("{\"a\":1", 6, "\",\" or \"}\""), ("{\"a\":1]", 6, "\",\" or \"}\""),
        ("{\"a\":1,}", 7, "a name in quotes"), ("{a:1}", 1, "a name in quotes"), ("{1:1}", 1, "a name in quotes"),
        ("{", 1, "a name in quotes"), ("{\"a\"}", 4, "\":\""), ("{\"a\" 1}", 5, "\":\""), ("{\"a\":}", 5, "a value"),
        ("'a'", 0, "a value"), ("/**/1", 0, "a value"), ("NaN", 0, "a value"), ("Infinity", 0, "a value"),
        ("+1", 0, "a value"), (".5", 0, "a value"), ("-", 1, "a digit"), ("-a", 1, "a digit"), ("1.", 2, "a digit"),
        ("1.e1", 2, "a digit"), ("1e", 2, "a digit"), ("1e+", 3, "a digit"), ("01", 1, "no digit after a leading 0"),
        ("-00", 2, "no digit after a leading 0"), ("0x1", 1, "the end of the text"), ("1_0", 1, "the end of the text"),
        ("[-Infinity]", 2, "a digit"), ("\u{A0}1", 0, "a value"),
        ("\"abc", 4, "the end of a string, a quote"), ("\"abc\\", 5, "one of \"\\/bfnrtu after a backslash"),
        ("\"a\nb\"", 2, "no control character in a string"), ("\"\u{0}\"", 1, "no control character in a string"),
        (#""\x41""#, 2, "one of \"\\/bfnrtu after a backslash"),
        (#""\U0041""#, 2, "one of \"\\/bfnrtu after a backslash"),
        (#""\u004""#, 6, "four hexadecimal digits after \\u"), (#""\u00g0""#, 5, "four hexadecimal digits after \\u"),
        (#""\u+041""#, 3, "four hexadecimal digits after \\u"),
        (#""ab\ud83d""#, 3, "a surrogate pair, both halves"), (#""\ude00""#, 1, "a surrogate pair, both halves"),
        (#""\ud83dx""#, 1, "a surrogate pair, both halves"), (#""\ud83d\n""#, 1, "a surrogate pair, both halves"),
        (#""\ud83d\ud83d""#, 1, "a surrogate pair, both halves"),
        (#""\ude00\ud83d""#, 1, "a surrogate pair, both halves"),
    ])
    func faults(text: String, offset: Int, expected: String) {
        #expect {
            try JSONValue(parsing: text)
        } throws: { error in
            guard let error = error as? JSONParseError else { return false }
            return error.offset == offset && error.expected == expected
                && error.description == "byte \(offset): expected \(expected)"
        }
    }

    /// Unicode table 3-7: truncated, overlong, a surrogate, beyond U+10FFFF, a byte alone; and no other encoding.
    @Test(
        arguments: [
            ([0xC3], 1), ([0xE6, 0x97], 1), ([0xF0, 0x9F, 0x98], 1), ([0x61, 0x80], 2), ([0xC0, 0xAF], 1),
            ([0xC1, 0xBF], 1), ([0xE0, 0x9F, 0xBF], 1), ([0xED, 0xA0, 0x80], 1), ([0xF0, 0x8F, 0xBF, 0xBF], 1),
            ([0xF4, 0x90, 0x80, 0x80], 1), ([0xF5, 0x80, 0x80, 0x80], 1), ([0xFF], 1), ([0x63, 0x61, 0x66, 0xE9], 4),
            ([0xC3, 0xA9, 0xC3], 3), ([0xC3, 0xC3, 0xA9], 1),
        ] as [([UInt8], Int)])
    func invalidUTF8(content: [UInt8], offset: Int) {
        let quote = UInt8(ascii: "\"")
        #expect(throws: JSONParseError(offset: offset, expected: "text in UTF-8 (RFC 8259 8.1)")) {
            try JSONValue(parsing: [quote] + content + [quote])
        }
        // The same where the string has an escape behind it.
        #expect(throws: JSONParseError(offset: offset, expected: "text in UTF-8 (RFC 8259 8.1)")) {
            try JSONValue(parsing: [quote] + content + Array("\\n\"".utf8))
        }
        #expect(throws: JSONParseError.self) { try JSONValue(parsing: [quote] + content) }
    }

    @Test(arguments: [[0xFE, 0xFF, 0x00, 0x31], [0xFF, 0xFE, 0x31, 0x00], [0x31, 0x00], [0x00, 0x31]] as [[UInt8]])
    func otherEncodings(bytes: [UInt8]) {
        #expect(throws: JSONParseError.self) { try JSONValue(parsing: bytes) }
    }

    @Test(arguments: [(1, 1, true), (2, 1, false), (512, 512, true), (513, 512, false), (1, 0, false), (0, 0, true)])
    func depth(depth: Int, maximum: Int, isAccepted: Bool) {
        let arrays = String(repeating: "[", count: depth) + "1" + String(repeating: "]", count: depth)
        #expect(((try? JSONValue(parsing: arrays, maximumDepth: maximum)) != nil) == isAccepted)
        let objects = String(repeating: "{\"a\":", count: depth) + "1" + String(repeating: "}", count: depth)
        #expect(((try? JSONValue(parsing: objects, maximumDepth: maximum)) != nil) == isAccepted)
    }

    @Test func depthWithoutEndIsAnError() {
        let expected = JSONParseError(offset: 512, expected: "no more than 512 arrays and objects in each other")
        #expect(throws: expected) { try JSONValue(parsing: String(repeating: "[", count: 100_000)) }
        #expect(throws: JSONParseError.self) {
            try JSONValue(parsing: String(repeating: "[{\"\":", count: 50_000), maximumDepth: .max)
        }
    }

    /// The deepest value that is read can be compared, hashed, written and released.
    @Test func deepestValue() throws {
        let text = String(repeating: "[", count: 4096) + String(repeating: "]", count: 4096)
        let value = try JSONValue(parsing: text, maximumDepth: 4096)
        #expect(value.serialized() == text)
        let again = try JSONValue(parsing: text, maximumDepth: 4096)
        #expect(value == again)
        #expect(value.hashValue == again.hashValue)
    }

    @Test func sequencesWithoutStorageAreRead() throws {
        #expect(try JSONValue(parsing: "[1,2]".utf8.lazy.map { $0 }) == [1, 2])
        #expect(try JSONValue(parsing: Array("x[1]".utf8)[1...]) == [1])
    }
}
