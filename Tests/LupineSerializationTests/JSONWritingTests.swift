import LupineSerialization
import Testing

@Suite struct JSONWritingTests {
    @Test(
        arguments: [
            (nil, "null"), (true, "true"), (false, "false"), (0, "0"), (1.5, "1.5"), ("", "\"\""), ([], "[]"),
            ([:], "{}"),
            (["a": [1, nil, "x"], "b": ["c": [:]]], #"{"a":[1,null,"x"],"b":{"c":{}}}"#),
            // RFC 8259 section 7: quote, backslash and U+0000 to U+001F are escaped, nothing else.
            ("\"\\/", #""\"\\/""#),
            ("\u{8}\t\n\u{C}\r", #""\b\t\n\f\r""#),
            ("\u{0}\u{1}\u{B}\u{F}\u{10}\u{1F}", #""\u0000\u0001\u000b\u000f\u0010\u001f""#),
            ("\u{7F}é日😀\u{2028}\u{2029}", "\"\u{7F}é日😀\u{2028}\u{2029}\""),
            (["a\"\n": 1], #"{"a\"\n":1}"#),
        ] as [(JSONValue, String)])
    func compact(value: JSONValue, expected: String) throws {
        #expect(value.serialized() == expected)
        #expect(Array(value.serializedBytes()) == Array(expected.utf8))
        #expect(try JSONValue(parsing: expected) == value)
    }

    @Test func pretty() {
        let value: JSONValue = ["b": [1, ["x": nil]], "a": [], "o": [:], "e": [[]]]
        #expect(
            value.serialized(options: .prettyPrinted) == """
                {
                  "b": [
                    1,
                    {
                      "x": null
                    }
                  ],
                  "a": [],
                  "o": {},
                  "e": [
                    []
                  ]
                }
                """)
        #expect(JSONValue("x").serialized(options: .prettyPrinted) == "\"x\"")
    }

    @Test func sortedByBytes() {
        let value: JSONValue = ["b": 1, "B": ["y": 1, "x": 2], "é": 3, "a": 4, "aa": 5, "": 6]
        #expect(value.serialized(options: .sortedKeys) == #"{"":6,"B":{"x":2,"y":1},"a":4,"aa":5,"b":1,"é":3}"#)
    }

    @Test(arguments: [
        ("\u{2028}", #""\u2028""#), ("a\u{2029}b", #""a\u2029b""#),
        ("\u{2027}\u{202A}\u{20A8}", "\"\u{2027}\u{202A}\u{20A8}\""),
        ("â€", "\"â€\""), ("日\u{2028}\n", #""日\u2028\n""#),
    ])
    func lineSeparators(text: String, expected: String) {
        #expect(JSONValue(text).serialized(options: .escapesLineSeparators) == expected)
    }

    /// Depth of a value made by a program has no limit in writing.
    @Test func depth() {
        var value: JSONValue = 1
        for _ in 0..<10_000 { value = [value] }
        #expect(
            value.serialized() == String(repeating: "[", count: 10_000) + "1" + String(repeating: "]", count: 10_000))
    }
}
