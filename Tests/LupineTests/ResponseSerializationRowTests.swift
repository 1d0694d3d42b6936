import FoundationEssentials
import Lupine
import LupineCore
import LupineTesting
import Testing

/// Reports of people about answers that clients could not read, B31 to B37, each with its neighbours: over loopback, through the
/// session.
@Suite(.timeLimit(.minutes(1)))
struct ResponseSerializationRowTests {
    struct User: Decodable, Equatable, Sendable { let id: Int }

    /// A session to a server that sends one answer for everything.
    private func with<Result>(
        _ answer: LoopbackResponse, _ work: (HTTPSessionManager) async throws -> Result
    ) async throws -> Result {
        let server = try LoopbackServer(handler: LoopbackServer.serving { _ in answer })
        var configuration = SessionConfiguration()
        configuration.options.route.proxy = .none
        let api = HTTPSessionManager(baseURL: server.url("/"), configuration: configuration)
        let result = try await work(api)
        await api.invalidate()
        return result
    }

    private func failure(_ work: () async throws -> Void) async throws -> LupineError {
        try #require(await #expect(throws: LupineError.self) { try await work() })
    }

    /// B31: JSON is expected, the server says `text/html`: with JSON in it, and with HTML.
    @Test(arguments: [
        (#"{"id":1}"#, "text/html"), ("<html></html>", "text/html"), (#"{"id":1}"#, "text/plain"),
        (#"{"id":1}"#, "application/octet-stream"), (#"{"id":1}"#, "application/vnd.api+json"), (#"{"id":1}"#, nil),
    ])
    func b31AnotherTypeKeepsStatusAndBytes(body: String, type: String?) async throws {
        var answer = LoopbackResponse(headers: [:], body: Array(body.utf8))
        if let type { answer.headers.add(name: "Content-Type", value: type) }
        try await with(answer) { api async throws in
            let error = try await failure { _ = try await api.get("x", as: User.self) }
            #expect(error.code == .unacceptableContentType)
            #expect(error.response?.status == 200)
            #expect(error.data == Data(body.utf8))
            #expect(error.message.contains("accepted: application/json, text/json, text/javascript"))
            api.responseSerializer.acceptableContentTypes = ["*/*"]
            // Any, also none.
            if body.first == "{" {
                #expect(try await api.get("x", as: User.self) == User(id: 1))
            } else {
                #expect(try await failure { _ = try await api.get("x", as: User.self) }.data == Data(body.utf8))
            }
            let lenient = DecodableResponseSerializer(User.self, acceptableContentTypes: nil)
            if body.first == "{" { #expect(try await api.get("x", responseSerializer: lenient) == User(id: 1)) }
        }
    }

    /// B32: a single space, as Rails sends with `head :ok`, and other white space.
    @Test(arguments: [" ", "\n", "\r\n", "\t \n"])
    func b32WhiteSpaceIsNothing(body: String) async throws {
        try await with(.json(body)) { api async throws in
            #expect(try await api.get("x", as: User?.self) == nil)
            #expect(try await api.get("x", as: JSONValue.self) == .null)
            #expect(try await api.get("x", responseSerializer: JSONResponseSerializer()) == .null)
            let error = try await failure { _ = try await api.get("x", as: User.self) }
            #expect(error.code == .responseSerializationFailed)
            #expect(error.message.hasSuffix("the body is empty"))
        }
    }

    /// B33: 204, 205, HEAD, and 200 with nothing.
    @Test(arguments: [
        (HTTPMethod.get, LoopbackResponse.empty(204)), (.get, .empty(205)), (.get, .empty(200)),
        (.get, .empty(200, headers: ["Content-Type": "application/json"])), (.head, .json(#"{"id":1}"#)),
        (.head, .bytes([1], type: "text/html")), (.post, .empty(201)), (.delete, .empty(204)),
    ])
    func b33NothingIsNoValueAndNoError(method: HTTPMethod, answer: LoopbackResponse) async throws {
        try await with(answer) { api async throws in
            #expect(try await api.request(method, "x", as: User?.self) == nil)
            #expect(try await api.request(method, "x", as: JSONValue.self) == .null)
            #expect(try await api.request(method, "x", responseSerializer: StringResponseSerializer()) == "")
            #expect(try await api.request(method, "x").data.isEmpty)
            let list = PropertyListResponseSerializer().optional
            #expect(try await api.request(method, "x", responseSerializer: list) == nil)
        }
    }

    /// B35: JSON that is stated to be ISO-8859-1, and is.
    @Test(arguments: ["application/json; charset=iso-8859-1", "application/json;charset=\"ISO-8859-1\""])
    func b35JSONInAnotherCharset(type: String) async throws {
        let body = Array(#"{"n":"caf"#.utf8) + [0xE9] + Array(#""}"#.utf8)
        try await with(.bytes(body, type: type)) { api async throws in
            let error = try await failure { _ = try await api.get("x", as: [String: String].self) }
            #expect(error.code == .responseSerializationFailed)
            #expect(error.data == Data(body))
            #expect(
                error.message.hasSuffix(#"(RFC 8259 8.1); its charset is stated as "iso-8859-1""#)
                    || error.message.hasSuffix(#"(RFC 8259 8.1); its charset is stated as "ISO-8859-1""#))
            var converting = DecodableResponseSerializer([String: String].self)
            converting.convertsDeclaredCharset = true
            #expect(try await api.get("x", responseSerializer: converting) == ["n": "café"])
        }
    }

    /// B37: text in gb2312, gbk, gb18030, and in a charset that nobody knows.
    @Test(arguments: ["gb2312", "GBK", "\"gb18030\"", "Gb2312", "x-gbk", "gb_2312-80"])
    func b37ChineseText(charset: String) async throws {
        // 镕 is in GBK and not in GB2312; it is sent as either.
        let body: [UInt8] = [0xD6, 0xEC, 0xE9, 0x46, 0xBB, 0xF9]
        try await with(.bytes(body, type: "text/html; charset=\(charset)")) { api async throws in
            #expect(try await api.get("x", responseSerializer: StringResponseSerializer()) == "朱镕基")
        }
    }

    @Test(arguments: [("x-klingon", nil), ("utf-8", 0), ("euc-kr", 2)] as [(String, Int?)])
    func b37TheBytesOfTextThatIsNoneAreKept(charset: String, offset: Int?) async throws {
        let body: [UInt8] = [0xD6, 0xD0, 0xFF]
        try await with(.bytes(body, type: "text/html; charset=\(charset)")) { api async throws in
            let error = try await failure { _ = try await api.get("x", responseSerializer: StringResponseSerializer()) }
            #expect(error.code == .responseSerializationFailed)
            #expect(error.data == Data(body))
            #expect(error.message.contains("\"\(charset)\""))
            #expect((error.underlying as? CharsetError)?.offset == offset)
            #expect(error.text == nil)
        }
    }
}
