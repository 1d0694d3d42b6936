import FoundationEssentials
import LupineCore
import LupineSerialization
import Testing

/// What each serializer makes of an answer without content: the table of docs/response-serialization.md.
@Suite struct NoContentTests {
    struct User: Decodable { let id: Int }

    /// The answers that hold nothing.
    enum Answer: CaseIterable {
        case status204, status205, head, noBytes, oneSpace

        var method: HTTPMethod { self == .head ? .head : .get }
        var body: Data { self == .oneSpace ? Data(" ".utf8) : Data() }

        func response(type: String?) -> HTTPResponse {
            switch self {
            case .status204: answer(204, type: type)
            case .status205: answer(205, type: type)
            case .head, .noBytes, .oneSpace: answer(type: type)
            }
        }
    }

    private func result<Serializer: ResponseSerializer>(
        _ serializer: Serializer, _ answer: Answer, type: String?
    ) -> Result<Serializer.Value, LupineError> {
        Result { () throws(LupineError) in
            do {
                return try serializer.serialize(
                    answer.body, response: answer.response(type: type), request: asking(answer.method))
            } catch let error as LupineError {
                throw error
            } catch {
                throw LupineError(.invalidURL, "\(error)")
            }
        }
    }

    /// A type that needs content and has none.
    private func isEmptyBody<Value>(_ result: Result<Value, LupineError>) -> Bool {
        guard case .failure(let error) = result else { return false }
        return error.code == .responseSerializationFailed && error.message.hasSuffix("the body is empty")
    }

    @Test(arguments: Answer.allCases)
    func theTable(answer: Answer) throws {
        let json = "application/json", plist = "application/x-plist"
        #expect(try result(HTTPResponseSerializer(), answer, type: json).get() == answer.body)
        #expect(
            try result(StringResponseSerializer(), answer, type: "text/plain").get()
                == String(decoding: answer.body, as: UTF8.self))
        #expect(try result(JSONResponseSerializer(), answer, type: json).get() == .null)
        #expect(try result(DecodableResponseSerializer(JSONValue.self), answer, type: json).get() == .null)
        #expect(isEmptyBody(result(DecodableResponseSerializer(User.self), answer, type: json)))
        #expect(try result(DecodableResponseSerializer(User?.self), answer, type: json).get() == nil)
        #expect(try result(DecodableResponseSerializer(User.self).optional, answer, type: json).get() == nil)
        #expect(isEmptyBody(result(PropertyListResponseSerializer(), answer, type: plist)))
        #expect(isEmptyBody(result(PropertyListResponseSerializer(User.self), answer, type: plist)))
        #expect(try result(PropertyListResponseSerializer(PropertyListValue?.self), answer, type: plist).get() == nil)
        #expect(try result(PropertyListResponseSerializer(User?.self), answer, type: plist).get() == nil)
        #expect(try result(PropertyListResponseSerializer().optional, answer, type: plist).get() == nil)
        let compound = CompoundResponseSerializer<JSONValue>([JSONResponseSerializer()])
        #expect(try result(compound, answer, type: json).get() == .null)
    }

    /// Without bytes there is no type to be wrong; a space has one.
    @Test(arguments: Answer.allCases, [nil, "text/html"])
    func theTypeOfNothing(answer: Answer, type: String?) throws {
        let result = result(JSONResponseSerializer(), answer, type: type)
        if answer == .oneSpace {
            #expect(throws: LupineError.self) { try result.get() }
        } else {
            #expect(try result.get() == .null)
        }
    }

    /// Nothing is no excuse for a bad status.
    @Test(arguments: [HTTPMethod.get, .head])
    func aBadStatusWithNothing(method: HTTPMethod) throws {
        #expect(try fault(JSONResponseSerializer(), Data(), answer(404), method: method)?.code == .unacceptableStatus)
        #expect(
            try fault(DecodableResponseSerializer(User.self).optional, Data(), answer(500), method: method)?.code
                == .unacceptableStatus)
    }
}
