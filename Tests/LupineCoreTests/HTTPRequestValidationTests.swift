import FoundationEssentials
import LupineCore
import Testing

@Suite struct HTTPRequestValidationTests {
    private func request(
        method: HTTPMethod = "POST", headers: HTTPHeaders = [:], body: HTTPBody = .empty
    ) throws -> HTTPRequest {
        HTTPRequest(method: method, url: try HTTPURL("http://example.com/"), headers: headers, body: body)
    }

    private static let stream = HTTPBody.stream { EmptyReader() }

    private struct EmptyReader: BodyReader {
        func read(upTo count: Int) async throws -> Data? { nil }
    }

    @Test(arguments: ["GET", "get", "M-SEARCH", "X!#$%&'*+-.^_`|~9"])
    func methodsThatAreTokens(method: String) throws {
        #expect(try request(method: HTTPMethod(rawValue: method)).validate() == nil)
    }

    @Test(arguments: [
        "", " ", "GET ", "GE T", "GET\r\nX: y", "GET\n", "G\u{0}", "GÉT", "GET/", "G:T", "G(", "G\u{7F}", "CONNECT",
    ])
    func methodsThatAreRefused(method: String) throws {
        #expect(try request(method: HTTPMethod(rawValue: method)).validate()?.code == .invalidRequest)
    }

    @Test(arguments: [
        "", " ", "A ", " A", "A:", "A\r\nB", "A\n", "A\u{0}", "Ä", "A(B", "A\tB", "A\"", "A/B", "A\u{7F}",
    ])
    func fieldNamesThatAreRefused(name: String) throws {
        let error = try request(headers: HTTPHeaders([HTTPHeader(name: name, value: "v")])).validate()
        #expect(error?.code == .invalidRequest)
        #expect(error?.host == "example.com")
        #expect(error?.message.contains { $0.isNewline } == false)
    }

    @Test(arguments: [
        "a\r\nX-Injected: yes", "a\nb", "a\rb", "a\u{0}b", "a\u{1B}b", "a\u{7F}", "\r\n", "a\r\n b",
    ])
    func fieldValuesThatAreRefused(value: String) throws {
        let error = try request(headers: ["X-Test": value]).validate()
        #expect(error?.code == .invalidRequest)
        // The value may be a secret: it is not shown.
        #expect(error?.message.contains("Injected") == false)
    }

    @Test(arguments: ["", "a b", "a\tb", "naïve", "\"quoted\"", "日本"])
    func fieldValuesThatAreFields(value: String) throws {
        #expect(try request(headers: ["X-Test": value]).validate() == nil)
    }

    /// Framing that would let two readers see two messages (RFC 9112 sections 6.1, 6.3).
    @Test(
        arguments: [
            (["Content-Length": "3"], HTTPBody.text("abc"), true),
            (["Content-Length": "3", "content-length": "3"], .text("abc"), true),
            (["Content-Length": "4"], .text("abc"), false),
            (["Content-Length": "3"], .empty, false),
            (["Content-Length": "0"], .empty, true),
            (["Content-Length": "+3"], .text("abc"), false),
            (["Content-Length": "-3"], .text("abc"), false),
            (["Content-Length": "3 "], .text("abc"), false),
            (["Content-Length": "3, 3"], .text("abc"), false),
            (["Content-Length": ""], .text("abc"), false),
            (["Content-Length": "0x3"], .text("abc"), false),
            (["Content-Length": "99999999999999999999"], stream, false),
            (["Content-Length": "3"], stream, true),
            (["Content-Length": "3", "CONTENT-LENGTH": "4"], stream, false),
            (["Transfer-Encoding": "chunked"], stream, true),
            (["Transfer-Encoding": "Chunked"], stream, true),
            (["Transfer-Encoding": "chunked"], .text("abc"), false),
            (["Transfer-Encoding": "chunked"], .empty, false),
            (["Transfer-Encoding": "gzip, chunked"], stream, false),
            (["Transfer-Encoding": "identity"], stream, false),
            (["Transfer-Encoding": "chunked", "transfer-encoding": "gzip"], stream, false),
            (["Transfer-Encoding": "chunked", "Content-Length": "3"], stream, false),
        ] as [(HTTPHeaders, HTTPBody, Bool)])
    func framing(headers: HTTPHeaders, body: HTTPBody, isAccepted: Bool) throws {
        #expect(try (request(headers: headers, body: body).validate() == nil) == isAccepted)
    }

    @Test(arguments: [("HEAD", false), ("TRACE", false), ("GET", true), ("DELETE", true), ("OPTIONS", true)])
    func bodies(method: String, isAccepted: Bool) throws {
        let error = try request(method: HTTPMethod(rawValue: method), body: .text("abc")).validate()
        #expect((error == nil) == isAccepted)
        #expect(try request(method: HTTPMethod(rawValue: method)).validate() == nil)
    }

    @Test func statedBodyLength() throws {
        #expect(try request(body: .text("naïve")).statedBodyLength == 6)
        #expect(try request(headers: ["Content-Length": "12"], body: Self.stream).statedBodyLength == 12)
        #expect(try request(body: Self.stream).statedBodyLength == nil)
    }

    @Test(arguments: [("12", 12), ("0", 0), ("+1", nil), ("-1", nil), ("", nil), ("1, 1", nil)] as [(String, Int64?)])
    func expectedBodyLength(value: String, expected: Int64?) {
        #expect(HTTPResponse(status: 200, headers: ["Content-Length": value]).expectedBodyLength == expected)
    }
}
