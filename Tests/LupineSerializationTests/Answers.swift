import FoundationEssentials
import LupineCore
import LupineSerialization
import Testing

func answer(
    _ status: HTTPStatus = 200, type: String? = "application/json", reason: String = ""
) -> HTTPResponse {
    var response = HTTPResponse(status: status, reason: reason)
    if let type { response.headers.add(name: "Content-Type", value: type) }
    return response
}

func asking(_ method: HTTPMethod = .get) throws -> HTTPRequest {
    HTTPRequest(method: method, url: try HTTPURL("https://api.example.com/x"))
}

/// The error that serializing ends with.
func fault<Serializer: ResponseSerializer>(
    _ serializer: Serializer, _ body: Data, _ response: HTTPResponse, method: HTTPMethod = .get
) throws -> LupineError? {
    let request = try asking(method)
    do throws(LupineError) {
        _ = try serializer.serialize(body, response: response, request: request)
        return nil
    } catch {
        // Whatever the fault, it carries what came, and stays one line of bounded length.
        #expect(error.response == response)
        #expect(error.data == body)
        #expect(error.host == "api.example.com")
        #expect(!error.message.contains { $0.isNewline })
        #expect(error.description.count < 1000)
        return error
    }
}

func fault<Serializer: ResponseSerializer>(
    _ serializer: Serializer, _ body: String, _ response: HTTPResponse
) throws -> LupineError? {
    try fault(serializer, Data(body.utf8), response)
}
