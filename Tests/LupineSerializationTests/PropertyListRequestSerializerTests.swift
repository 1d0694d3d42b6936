import FoundationEssentials
import LupineCore
import LupineSerialization
import Testing

@Suite struct PropertyListRequestSerializerTests {
    private func body(
        _ parameters: Parameters, _ serializer: PropertyListRequestSerializer = .init(), method: HTTPMethod = .post
    ) throws -> Data {
        let made = try serializer.serialize(
            HTTPRequest(method: method, url: try HTTPURL("http://example.com/")), parameters: parameters)
        guard case .bytes(let data) = made.body.source else { return Data() }
        #expect(made.headers["Content-Type"] == (data.isEmpty ? nil : "application/x-plist"))
        return data
    }

    /// AFPropertyListRequestSerializerTests.
    @Test(arguments: [PropertyListRequestSerializer.Format.xml, .binary])
    func thatPropertyListRequestSerializerAcceptsPlist(format: PropertyListRequestSerializer.Format) throws {
        let data = try body(["key": "value", "n": [1, -2, 2.5, true], "o": ["s": "<&>"]], .init(format: format))
        #expect(data.starts(with: (format == .xml ? "<?xml" : "bplist00").utf8))
        struct Read: Decodable, Equatable {
            struct Inner: Decodable, Equatable { let s: String }
            enum Number: Decodable, Equatable {
                case int(Int), double(Double), bool(Bool)
                init(from decoder: any Decoder) throws {
                    let container = try decoder.singleValueContainer()
                    if let value = try? container.decode(Bool.self) {
                        self = .bool(value)
                    } else if let value = try? container.decode(Int.self) {
                        self = .int(value)
                    } else {
                        self = .double(try container.decode(Double.self))
                    }
                }
            }
            let key: String, n: [Number], o: Inner
        }
        let read = try PropertyListDecoder().decode(Read.self, from: data)
        #expect(read == Read(key: "value", n: [.int(1), .int(-2), .double(2.5), .bool(true)], o: .init(s: "<&>")))
    }

    /// AFPropertyListRequestSerializerTests; its integer keys no type allows here. Each says where and why.
    @Test(
        arguments: [
            (["a": nil], "a: a property list has no null"), (["a": [1, nil]], "a[1]: a property list has no null"),
            (Parameters("text"), "the top: an array or an object belongs there"),
            (Parameters(1), "the top: an array or an object belongs there"),
            (Parameters(nil), "the top: a property list has no null"),
            (["a": ["b": [.number(JSONNumber(literal: "1e999") ?? 0)]]], "a.b[0]: 1e999 is beyond a Double"),
        ] as [(Parameters, String)])
    func thatPropertyListRequestSerializerHandlesInvalidPlist(parameters: Parameters, reason: String) {
        #expect {
            try body(parameters)
        } throws: {
            let error = $0 as? LupineError
            return error?.code == .requestSerializationFailed
                && error?.message == "the parameters are no property list: \(reason)"
        }
    }

    struct Text: Encodable { let texts: [String] }

    /// XML 1.0, section 2.2.
    @Test(
        arguments: [
            (["a": "x\u{0}y"], "a: "), (["b": 1, "a\u{1B}": 1], "a: "), (["a": ["", "x\u{FFFF}y"]], "a[1]: "),
            (["\u{FFFE}": 1], "\u{FFFE}: "), (.encoding(Text(texts: ["a", "\u{8}"])), "texts[1]: "),
        ] as [(Parameters, String)])
    func charactersThatXMLHasNot(parameters: Parameters, place: String) throws {
        #expect {
            try body(parameters)
        } throws: {
            let error = $0 as? LupineError
            return error?.code == .requestSerializationFailed
                && error?.message
                    == "the parameters are no property list: \(place)a character that XML 1.0 has not (section "
                    + "2.2), which a property list in binary can hold"
        }
        #expect(throws: Never.self) { try body(parameters, .init(format: .binary)) }
    }

    /// XML 1.0, section 2.11: as they are, a reader would take them for line feeds.
    @Test func carriageReturnsAreKept() throws {
        let text = "a\rb\r\nc\n\td\u{85}\u{2028}\u{7F}\u{FFFD}\u{10FFFF}"
        let data = try body([text: [JSONValue(text)]])
        #expect(!data.contains(0x0D))
        #expect(String(decoding: data, as: UTF8.self).contains("<string>a&#13;b&#13;\nc\n\td"))
        let list = try PropertyListValue(parsing: data)
        #expect(list == .dictionary([text: .array([.string(text)])]))
    }

    /// Foundation's encoder says of the whole that it is none.
    @Test func anEncodableThatIsNone() throws {
        #expect {
            try body(.encoding("text"))
        } throws: {
            ($0 as? LupineError)?.message
                == "a String cannot be encoded: the top: Top-level String encoded as string property list fragment."
        }
        #expect {
            try body(.encoding(["a": [Int128.max]]))
        } throws: {
            ($0 as? LupineError)?.message.contains(" cannot be encoded: a[0]: ") == true
        }
    }

    @Test func controlCharactersStandInBinary() throws {
        let data = try body(["a": "x\u{0}y\u{1B}"], .init(format: .binary))
        #expect(try PropertyListDecoder().decode([String: String].self, from: data) == ["a": "x\u{0}y\u{1B}"])
    }

    /// What a tree of JSON cannot hold.
    @Test func encodableWithDatesAndData() throws {
        struct Value: Codable, Equatable { var date = Date(timeIntervalSince1970: 1000), data = Data([0, 1, 255]) }
        let data = try body(.encoding(Value()))
        #expect(String(decoding: data, as: UTF8.self).contains("<date>1970-01-01T00:16:40Z</date>"))
        #expect(try PropertyListDecoder().decode(Value.self, from: data) == Value())
    }

    @Test func queryInTheURL() throws {
        let made = try PropertyListRequestSerializer().serialize(
            HTTPRequest(url: try HTTPURL("http://example.com/")), parameters: ["b": 1, "a": nil])
        #expect(made.url.query == "a&b=1")
        #expect(made.headers.isEmpty)
    }
}
