import FoundationEssentials
import LupineCore
import LupineSerialization
import Testing

/// JSON that comes in other encodings than UTF-8 (RFC 8259 section 8.1, RFC 4627 section 3).
@Suite struct JSONEncodingTests {
    static let text = #"{"n":"café 中文 😀"}"#
    static let value: JSONValue = ["n": "café 中文 😀"]

    struct Named: Decodable, Equatable { let n: String }

    private func value(
        _ body: [UInt8], type: String = "application/json", _ serializer: JSONResponseSerializer = .init()
    ) throws -> JSONValue {
        try serializer.serialize(Data(body), response: answer(type: type), request: asking())
    }

    @Test(arguments: ["utf-8", "utf-16le", "utf-16be", "utf-32le", "utf-32be"], [true, false])
    func unicodeByMarkOrByZeros(name: String, hasMark: Bool) throws {
        let body = try #require(encoded((hasMark ? "\u{FEFF}" : "") + Self.text, in: name))
        #expect(try value(body) == Self.value)
        let decoded = try DecodableResponseSerializer(Named.self).serialize(
            Data(body), response: answer(), request: asking())
        #expect(decoded == Named(n: "café 中文 😀"))
    }

    /// RFC 8259 section 8.1 lets a reader ignore the mark, not what follows it.
    @Test(arguments: ["utf-8", "utf-16le", "utf-16be", "utf-32le", "utf-32be"])
    func oneMarkAtMost(name: String) throws {
        let body = Data(try #require(encoded("\u{FEFF}\u{FEFF}" + Self.text, in: name)))
        let error = try fault(JSONResponseSerializer(), body, answer())
        #expect((error?.underlying as? JSONParseError) == JSONParseError(offset: 3, expected: "a value"))
        let typed = try fault(DecodableResponseSerializer(Named.self), body, answer())
        #expect(typed?.message.contains("what is no Named: byte 3: expected a value") == true)
        #expect(error?.json == nil)
        #expect(error?.decoded(as: Named.self) == nil)
    }

    @Test func offsetsCountTheMark() throws {
        let error = try fault(JSONResponseSerializer(), "\u{FEFF}[1,]", answer())
        #expect((error?.underlying as? JSONParseError)?.offset == 6)
    }

    /// The shortest texts, and those whose second character has no zero.
    @Test(arguments: ["1", "\"中\"", "[]", " 1", "\"\""], ["utf-16le", "utf-16be", "utf-32le", "utf-32be"])
    func shortTexts(text: String, name: String) throws {
        #expect(try value(try #require(encoded(text, in: name))) == JSONValue(parsing: text))
    }

    @Test func brokenUnicode() throws {
        // A lone surrogate, half a unit, and a mark with nothing behind it.
        let lone = try fault(JSONResponseSerializer(), Data([0x22, 0, 0x3D, 0xD8, 0x22, 0]), answer())
        #expect(lone?.underlying as? CharsetError == CharsetError(charset: "utf-16le", offset: 2))
        #expect(
            lone?.message == #"api.example.com answered with a body that is no JSON: byte 2: no text in "utf-16le""#)
        #expect(try fault(JSONResponseSerializer(), Data([0xFF, 0xFE, 0x31]), answer())?.code != nil)
        #expect(try value([0xFF, 0xFE]) == .null)
        #expect(try value([0xEF, 0xBB, 0xBF, 0x20]) == .null)
        // A place in converted text is one in that text.
        let comma = try fault(JSONResponseSerializer(), Data([0x5B, 0, 0x2C, 0]), answer())
        #expect(
            comma?.message
                == #"api.example.com answered with a body that is no JSON: byte 1: expected a value, converted from "utf-16le""#
        )
    }

    static let latin1 = Array("{\"n\":\"caf".utf8) + [0xE9] + Array("\"}".utf8)

    /// B35: JSON that states ISO-8859-1 is an error that says so, and keeps the bytes; on demand it is converted.
    @Test(arguments: [
        "application/json; charset=iso-8859-1", "application/json; charset=ISO-8859-1", "text/json;charset=latin1",
    ])
    func aDeclaredCharset(type: String) throws {
        let error = try fault(JSONResponseSerializer(), Data(Self.latin1), answer(type: type))
        #expect(error?.code == .responseSerializationFailed)
        #expect(
            error?.message.contains("byte 9: expected text in UTF-8 (RFC 8259 8.1); its charset is stated as \"")
                == true)
        var serializer = JSONResponseSerializer()
        serializer.convertsDeclaredCharset = true
        #expect(try value(Self.latin1, type: type, serializer) == ["n": "café"])
        var decodable = DecodableResponseSerializer(Named.self)
        let refused = try fault(decodable, Data(Self.latin1), answer(type: type))
        #expect(refused?.message.contains("its charset is stated as") == true)
        decodable.convertsDeclaredCharset = true
        #expect(
            try decodable.serialize(Data(Self.latin1), response: answer(type: type), request: asking())
                == Named(n: "café"))
    }

    /// What is stated means nothing to JSON that is UTF-8; only on demand it counts.
    @Test func utf8UnderAnotherName() throws {
        let body = Array(#"{"n":"é"}"#.utf8)
        #expect(try value(body, type: "application/json; charset=iso-8859-1") == ["n": "é"])
        #expect(try value(body, type: "application/json; charset=x-none") == ["n": "é"])
        var serializer = JSONResponseSerializer()
        serializer.convertsDeclaredCharset = true
        #expect(try value(body, type: "application/json; charset=iso-8859-1", serializer) == ["n": "Ã©"])
        #expect(try value(body, type: "application/json; charset=UTF-8", serializer) == ["n": "é"])
        #expect(try value(body, type: "application/json", serializer) == ["n": "é"])
        let unknown = try fault(serializer, Data(body), answer(type: "application/json; charset=x-none"))
        #expect(unknown?.underlying as? CharsetError == CharsetError(charset: "x-none", offset: nil))
    }
}

@Suite struct JSONContentTests {
    private func value(_ body: String, _ serializer: JSONResponseSerializer = .init()) throws -> JSONValue {
        try serializer.serialize(Data(body.utf8), response: answer(), request: asking())
    }

    @Test(arguments: ["1", "\"a\"", "null", "true", " [] "])
    func fragments(text: String) throws { #expect(try value(text) == JSONValue(parsing: text)) }

    /// `JSONValue` takes the last value of a name, Foundation's decoder the first.
    @Test func namesThatComeTwice() throws {
        let text = #"{"a":1,"a":2}"#
        #expect(try value(text) == ["a": 2])
        let decoded = try DecodableResponseSerializer([String: Int].self).serialize(
            Data(text.utf8), response: answer(), request: asking())
        #expect(decoded == ["a": 1])
    }

    @Test func hugeNumbersKeepTheirDigits() throws {
        let digits = String(repeating: "9", count: 10_000)
        #expect(try value("[\(digits), 1e400, -0]").description == "[\(digits),1e400,-0]")
        struct Amount: Decodable { let n: Double }
        let error = try fault(DecodableResponseSerializer(Amount.self), #"{"n":1e400}"#, answer())
        #expect(error?.code == .responseSerializationFailed)
        #expect(error?.message.count ?? 0 < 400)
    }

    /// AFNetworking 4 removes both, which moves array elements: here each has a switch.
    @Test(arguments: [
        (false, false, #"{"a":null,"b":[null,{"c":null,"d":1}],"e":[null]}"#),
        (true, false, #"{"b":[null,{"d":1}],"e":[null]}"#),
        (false, true, #"{"a":null,"b":[{"c":null,"d":1}],"e":[]}"#),
        (true, true, #"{"b":[{"d":1}],"e":[]}"#),
    ])
    func nullsAreRemoved(keys: Bool, elements: Bool, expected: String) throws {
        var serializer = JSONResponseSerializer()
        serializer.removesKeysWithNullValues = keys
        serializer.removesNullElements = elements
        let text = #"{"a":null,"b":[null,{"c":null,"d":1}],"e":[null]}"#
        #expect(try value(text, serializer).description == expected)
        #expect(try value("null", serializer) == .null)
    }

    /// Of a name that comes twice the last value counts, and so goes when that is `null`.
    @Test func theLastOfANameIsRemoved() throws {
        var serializer = JSONResponseSerializer()
        serializer.removesKeysWithNullValues = true
        #expect(try value(#"{"a":1,"b":2,"a":null}"#, serializer) == ["b": 2])
    }

    @Test func deepValuesKeepTheirDepth() throws {
        let text = String(repeating: "[", count: 4000) + "null" + String(repeating: "]", count: 4000)
        let deep = try JSONValue(parsing: text, maximumDepth: 4096)
        #expect(deep.removingNulls(members: true, elements: true).description.count == 8000)
    }

    /// A tree needs no decoder: order and digits are kept.
    @Test func aTreeOfADecodable() throws {
        let tree = try DecodableResponseSerializer(JSONValue.self).serialize(
            Data(#"{"b":1.10,"a":[]}"#.utf8), response: answer(), request: asking())
        #expect(tree.description == #"{"b":1.10,"a":[]}"#)
    }
}
