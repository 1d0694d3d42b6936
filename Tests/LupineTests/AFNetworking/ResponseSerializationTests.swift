import FoundationEssentials
import Lupine
import LupineCore
import LupineTesting
import Testing

/// What AFNetworking's own tests of its response serializers assert, each under its name there. XML's are with `LupineXML`'s
/// tests; pictures' come with pictures. Secure coding and archives have no sense for values.
@Suite struct ResponseSerializationTests {
    private func response(_ status: Int = 200, type: String?) -> HTTPResponse {
        var response = HTTPResponse(status: HTTPStatus(rawValue: status))
        if let type { response.headers.add(name: "Content-Type", value: type) }
        return response
    }

    private func serialized<Serializer: ResponseSerializer>(
        _ serializer: Serializer, _ body: String, _ response: HTTPResponse
    ) throws -> Serializer.Value {
        let request = HTTPRequest(url: try HTTPURL("http://test.com/"))
        return try serializer.serialize(Data(body.utf8), response: response, request: request)
    }

    private func code<Serializer: ResponseSerializer>(
        _ serializer: Serializer, _ body: String, _ response: HTTPResponse
    ) throws -> LupineError.Code? {
        do {
            _ = try serialized(serializer, body, response)
            return nil
        } catch let error as LupineError {
            #expect(error.response == response)
            #expect(error.data == Data(body.utf8))
            return error.code
        }
    }

    // MARK: AFHTTPResponseSerializationTests

    @Test func thatAFHTTPResponseSerializationHandlesAll2XXCodes() throws {
        for status in 200..<300 {
            #expect(try code(HTTPResponseSerializer(), "text", response(status, type: "text/html")) == nil)
        }
    }

    @Test func thatAFHTTPResponseSerializationSucceedsWith205WithNoResponseContentTypeAndNoResponseData() throws {
        let serializer = HTTPResponseSerializer(acceptableContentTypes: ["text/html"])
        #expect(try code(serializer, "", response(205, type: nil)) == nil)
    }

    @Test func thatAFHTTPResponseSerializationFailsWith205WithNoResponseContentTypeAndResponseData() throws {
        let serializer = HTTPResponseSerializer(acceptableContentTypes: ["text/html"])
        #expect(try code(serializer, "text", response(205, type: nil)) == .unacceptableContentType)
    }

    @Test func thatAFHTTPResponseSerializationFailsAll4XX5XXStatusCodes() throws {
        for status in 400..<600 {
            #expect(
                try code(HTTPResponseSerializer(), "text", response(status, type: "text/html")) == .unacceptableStatus)
        }
    }

    @Test func responseIsValidated() throws {
        let request = HTTPRequest(url: try HTTPURL("http://test.com/"))
        try HTTPResponseSerializer().validate(
            Data("text".utf8), response: response(type: "text/html"), request: request)
    }

    @Test func canBeCopied() {
        let original = HTTPResponseSerializer(acceptableStatuses: [100], acceptableContentTypes: ["test/type"])
        var copy = original
        copy.acceptableStatuses = nil
        copy.acceptableContentTypes?.insert("other/type")
        #expect(original.acceptableStatuses == [100])
        #expect(original.acceptableContentTypes == ["test/type"])
    }

    // MARK: AFJSONSerializationTests

    @Test(arguments: ["application/json", "text/json", "text/javascript"])
    func thatJSONResponseSerializerAcceptsMimeType(type: String) throws {
        #expect(try code(JSONResponseSerializer(), #"{"key":"value"}"#, response(type: type)) == nil)
    }

    @Test func thatJSONResponseSerializerDoesNotAcceptNonStandardJSONMimeType() throws {
        #expect(
            try code(JSONResponseSerializer(), #"{"key":"value"}"#, response(type: "nonstandard/json"))
                == .unacceptableContentType)
    }

    @Test func thatJSONResponseSerializerReturnsDictionaryForValidJSONDictionary() throws {
        let value = try serialized(
            JSONResponseSerializer(), #"{"key":"value"}"#, response(type: "application/json"))
        #expect(value == ["key": "value"])
    }

    @Test func thatJSONResponseSerializerReturnsErrorForInvalidJSON() throws {
        #expect(
            try code(JSONResponseSerializer(), "{invalid}", response(type: "application/json"))
                == .responseSerializationFailed)
    }

    /// `nil` of an object is `null` of a tree, and `nil` of an `Optional`.
    @Test(arguments: ["", " "])
    func thatJSONResponseSerializerReturnsNilObjectAndNilErrorForEmptyDataAndSingleSpace(body: String) throws {
        let response = response(type: "application/json")
        #expect(try serialized(JSONResponseSerializer(), body, response) == .null)
        #expect(try serialized(DecodableResponseSerializer([String: String]?.self), body, response) == nil)
    }

    @Test func thatJSONRemovesKeysWithNullValues() throws {
        var serializer = JSONResponseSerializer()
        serializer.removesKeysWithNullValues = true
        serializer.removesNullElements = true
        let response = response(type: "application/json")
        let text = #"{"key":"value","nullkey":null,"array":[{"subnullkey":null}]}"#
        #expect(try serialized(serializer, text, response) == ["key": "value", "array": [[:]]])
        #expect(try serialized(serializer, "[null]", response) == [])
    }

    @Test func thatJSONResponseSerializerCanBeCopied() {
        var original = JSONResponseSerializer(acceptableStatuses: [100], acceptableContentTypes: ["test/type"])
        original.removesKeysWithNullValues = true
        var copy = original
        copy.removesKeysWithNullValues = false
        copy.acceptableStatuses = nil
        #expect(original.acceptableStatuses == [100])
        #expect(original.removesKeysWithNullValues)
    }

    // MARK: AFPropertyListResponseSerializerTests

    @Test func thatPropertyListResponseSerializerAcceptsPlistData() throws {
        let encoder = PropertyListEncoder()
        encoder.outputFormat = .xml
        let body = String(decoding: try encoder.encode(["foo": "bar"]), as: UTF8.self)
        let list = try serialized(PropertyListResponseSerializer(), body, response(type: "application/x-plist"))
        #expect(list == .dictionary(["foo": .string("bar")]))
    }

    @Test func thatPropertyListResponseSerializerHandlesInvalidPlistData() throws {
        #expect(
            try code(PropertyListResponseSerializer(), #"{"foo":"bar"}"#, response(type: "application/x-plist"))
                == .responseSerializationFailed)
    }

    @Test func thatPropertyListResponseSerializerHandles204() throws {
        let serializer = PropertyListResponseSerializer(PropertyListValue?.self)
        #expect(try serialized(serializer, "", response(204, type: "application/x-plist")) == nil)
        #expect(try serialized(PropertyListResponseSerializer().optional, "", response(204, type: nil)) == nil)
    }

    @Test func thePropertyListResponseSerializerCanBeCopied() {
        let original = PropertyListResponseSerializer(acceptableStatuses: [100], acceptableContentTypes: ["test/type"])
        var copy = original
        copy.acceptableStatuses = nil
        #expect(original.acceptableStatuses == [100])
        #expect(copy.acceptableContentTypes == ["test/type"])
    }

    // MARK: AFCompoundResponseSerializerTests

    @Test func compoundSerializerProperlySerializesResponse() throws {
        let picture = HTTPResponseSerializer(acceptableContentTypes: ["image/*"]).map { _ in JSONValue.null }
        let compound = CompoundResponseSerializer<JSONValue>([picture, JSONResponseSerializer()])
        let value = try serialized(compound, #"{"key":"value"}"#, response(type: "application/json"))
        #expect(value == ["key": "value"])
    }

    @Test func compoundSerializerCanBeCopied() {
        let original = CompoundResponseSerializer<JSONValue>([JSONResponseSerializer(), JSONResponseSerializer()])
        var copy = original
        copy.responseSerializers.removeLast()
        #expect(original.responseSerializers.count == 2)
    }
}
