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

    /// AFPropertyListRequestSerializerTests; its integer keys no type allows here.
    @Test(
        arguments: [
            ["a": nil], ["a": [nil]], Parameters("text"), Parameters(1), Parameters(nil), ["a": "x\u{0}y"],
            ["a\u{1B}": 1],
        ] as [Parameters])
    func thatPropertyListRequestSerializerHandlesInvalidPlist(parameters: Parameters) {
        #expect {
            try body(parameters)
        } throws: {
            ($0 as? LupineError)?.code == .requestSerializationFailed
        }
    }

    @Test func aNumberBeyondAllTypes() throws {
        let tree = try JSONValue(parsing: #"{"a":1e999}"#)
        #expect(throws: LupineError.self) { try body(Parameters(tree)) }
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
