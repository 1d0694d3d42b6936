import FoundationEssentials
import LupineCore
import LupineSerialization
import Testing

@Suite struct JSONCodableTests {
    private struct Post: Codable, Equatable {
        var title: String
        var tags: [String]
        var extra: JSONValue
        var rating: Double?
    }

    @Test func fromEncodable() throws {
        let post = Post(title: "Hi", tags: ["a", "b"], extra: ["z": 1, "k": [nil, true]], rating: nil)
        let value = try JSONValue(encoding: post)
        #expect(value.serialized() == #"{"extra":{"k":[null,true],"z":1},"tags":["a","b"],"title":"Hi"}"#)
        #expect(try JSONDecoder().decode(Post.self, from: Data(value.serializedBytes())) == post)
    }

    @Test func aJSONValueStaysAsItIs() throws {
        let value = try JSONValue(parsing: #"{"z":1e400,"a":0.10}"#)
        #expect(try JSONValue(encoding: value).serialized() == #"{"z":1e400,"a":0.10}"#)
    }

    @Test(arguments: [
        "null", "true", "\"x\"", "3", "-3", "18446744073709551615", "0.1", "1.5", "[]", "{}",
        "[[1,{\"a\":null}],false]",
        "12345678901234567890123", "0.12345678901234567890123",
    ])
    func throughJSONEncoder(text: String) throws {
        let value = try JSONValue(parsing: text)
        let encoded = try JSONEncoder().encode(value)
        #expect(try JSONValue(parsing: encoded) == value)
    }

    @Test func whatNoSwiftNumberHolds() throws {
        let value = try JSONValue(parsing: "[1e400]")
        #expect(throws: EncodingError.self) { try JSONEncoder().encode(value) }
    }

    @Test(arguments: [
        "null", "true", "\"x\"", "3", "18446744073709551615", "0.1", "[]", "{}", "{\"a\":[1,{\"b\":null}]}",
    ])
    func throughJSONDecoder(text: String) throws {
        let decoded = try JSONDecoder().decode(JSONValue.self, from: Data(text.utf8))
        #expect(decoded == (try JSONValue(parsing: text)))
    }

    @Test func encodingFaults() {
        #expect {
            try JSONValue(encoding: ["a": [1, Double.nan]])
        } throws: { error in
            guard let error = error as? LupineError else { return false }
            return error.code == .requestSerializationFailed && error.underlying is EncodingError
                && error.message.contains("a[1]")
        }
    }
}
