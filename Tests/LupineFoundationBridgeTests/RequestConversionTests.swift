import Foundation
import FoundationNetworking
import Lupine
import LupineCore
import LupineFoundationBridge
import LupineTesting
import Testing

/// `URLRequest` to `HTTPRequest` and back.
struct RequestConversionTests {
    private func foundation(_ url: String) throws -> URLRequest { URLRequest(url: try #require(URL(string: url))) }

    /// Foundation encodes what it reads; what is asked for is the same either way.
    @Test(arguments: [
        ("http://example.test", "http://example.test/"), ("HTTP://Example.TEST:80/a/../b", "http://example.test/b"),
        (
            "https://example.test/ä ö?q=ü x&r=1#f ä",
            "https://example.test/%C3%A4%20%C3%B6?q=%C3%BC%20x&r=1#f%20%C3%A4"
        ),
        ("http://bücher.test/", "http://xn--bcher-kva.test/"), ("http://[::1]:8080/x", "http://[::1]:8080/x"),
        ("http://example.test/%zz", "http://example.test/%25zz"),
        ("http://h.test/a|b[c]", "http://h.test/a%7Cb%5Bc%5D"),
    ])
    func urls(_ text: String, _ expected: String) throws {
        let request = try HTTPRequest(foundation(text))
        #expect(request.url.description == expected)
        #expect(try URLRequest(request).url?.absoluteString == expected)
        #expect(try HTTPRequest(URLRequest(request)).url == request.url)
    }

    @Test(arguments: [
        "file:///etc/hosts", "ftp://example.test/", "data:,x", "relative", "http://h.test:99999/",
        "http:///path",
    ])
    func urlsThatAreNone(_ text: String) throws {
        let request = try foundation(text)
        var error = #expect(throws: LupineError.self) { try HTTPRequest(request) }
        #expect(error?.code == .invalidURL)
        var none = request
        none.url = nil
        error = #expect(throws: LupineError.self) { try HTTPRequest(none) }
        #expect(error?.code == .invalidURL)
    }

    @Test func relativeToABase() throws {
        let base = try #require(URL(string: "http://example.test/v1/"))
        let url = try #require(URL(string: "../users?id=1", relativeTo: base))
        #expect(try HTTPRequest(URLRequest(url: url)).url.string == "http://example.test/users?id=1")
    }

    /// Credentials are kept apart, and go to Foundation as the field that they are sent as.
    @Test func credentialsInTheURL() throws {
        let request = try HTTPRequest(foundation("http://ada:p%40ss@example.test/"))
        #expect(request.url.userinfo?.user == "ada")
        #expect(request.url.userinfo?.password == "p@ss")
        #expect(!request.url.description.contains("ada"))
        var back = try URLRequest(request)
        #expect(back.url?.absoluteString == "http://example.test/")
        let basic = "Basic \(Data("ada:p@ss".utf8).base64EncodedString())"
        #expect(back.value(forHTTPHeaderField: "Authorization") == basic)
        // Foundation encodes what could be read as two hosts.
        #expect(try HTTPRequest(foundation("http://a@b@c.test/")).url.userinfo?.user == "a@b")
        var own = request
        own.headers["authorization"] = "Bearer mine"
        back = try URLRequest(own)
        #expect(back.allHTTPHeaderFields == ["authorization": "Bearer mine"])
    }

    @Test(arguments: ["GET", "POST", "PATCH", "DELETE", "PROPFIND", "patch"])
    func methods(_ method: String) throws {
        var request = try foundation("http://example.test/")
        request.httpMethod = method
        #expect(try HTTPRequest(request).method.rawValue == method)
        #expect(try URLRequest(HTTPRequest(request)).httpMethod == method)
    }

    @Test func fieldsInTheOrderOfTheirNames() throws {
        var request = try foundation("http://example.test/")
        request.allHTTPHeaderFields = ["X-B": "2", "accept": "text/plain", "X-Ä": "ü", "A": "", "x-a": "1", "X-A": "0"]
        request.addValue("3", forHTTPHeaderField: "X-B")
        let fields = try HTTPRequest(request).headers.map { "\($0.name)=\($0.value)" }
        #expect(fields == ["A=", "accept=text/plain", "X-A=0", "x-a=1", "X-B=2,3", "X-Ä=ü"])
    }

    @Test func repeatedFieldsAreJoined() throws {
        let request = HTTPRequest(
            url: try HTTPURL("http://example.test/"),
            headers: ["X-A": "1", "Cookie": "a=1", "x-a": "2", "Accept": "*/*", "cookie": "b=2", "X-A": "3"])
        let fields = try URLRequest(request).allHTTPHeaderFields
        #expect(fields == ["X-A": "1,2,3", "Cookie": "a=1; b=2", "Accept": "*/*"])
        // As Foundation itself does.
        var own = try foundation("http://example.test/")
        for value in ["1", "2", "3"] { own.addValue(value, forHTTPHeaderField: "X-A") }
        #expect(own.value(forHTTPHeaderField: "X-A") == fields?["X-A"])
    }

    @Test(arguments: [
        (60, Duration.seconds(60)), (0.25, .milliseconds(250)), (86_400, .seconds(86_400)), (0, nil), (-1, nil),
        (TimeInterval.infinity, nil), (.nan, nil), (.greatestFiniteMagnitude, nil), (365 * 86_400, nil),
    ])
    func timeouts(_ interval: TimeInterval, _ idle: Duration?) throws {
        var request = try foundation("http://example.test/")
        request.timeoutInterval = interval
        var options = TransferOptions()
        options.timeouts.idle = .seconds(1)
        options.timeouts.total = .seconds(2)
        let converted = try HTTPRequest(request, options: options)
        #expect(converted.options.timeouts.idle == idle)
        #expect(converted.options.timeouts.total == .seconds(2))
        let back = try URLRequest(converted)
        #expect(back.timeoutInterval == (idle == nil ? 365 * 86_400 : interval))
        #expect(try HTTPRequest(back).options.timeouts.idle == idle)
    }

    @Test func bodiesInMemory() throws {
        var request = try foundation("http://example.test/")
        #expect(try HTTPRequest(request).body.isEmpty)
        #expect(try URLRequest(HTTPRequest(request)).httpBody == nil)
        request.httpMethod = "POST"
        request.httpBody = Data("hello".utf8)
        let body = try HTTPRequest(request).body
        #expect(body.length == 5 && body.isRewindable)
        #expect(try URLRequest(HTTPRequest(request)).httpBody == Data("hello".utf8))
    }

    @Test(arguments: [
        (URLRequest.CachePolicy.useProtocolCachePolicy, true), (.reloadIgnoringLocalCacheData, true),
        (.returnCacheDataElseLoad, true), (.returnCacheDataDontLoad, false),
    ])
    func cachePolicies(_ policy: URLRequest.CachePolicy, _ isCarried: Bool) throws {
        var request = try foundation("http://example.test/")
        request.cachePolicy = policy
        if isCarried {
            _ = try HTTPRequest(request)
        } else {
            let error = #expect(throws: LupineError.self) { try HTTPRequest(request) }
            #expect(error?.code == .unsupported)
        }
    }

    /// Foundation would send them as they are.
    @Test(arguments: [
        HTTPHeaders(dictionaryLiteral: ("X-A", "a\r\nEvil: 1")), ["X-A": "a\0b"], ["X A": "b"], ["X-A\r\nEvil": "1"],
        ["Content-Length": "7"],
    ])
    func whatLupineDoesNotSendFoundationDoesNotGet(_ headers: HTTPHeaders) throws {
        let request = HTTPRequest(url: try HTTPURL("http://example.test/"), headers: headers)
        let error = #expect(throws: LupineError.self) { try URLRequest(request) }
        #expect(error?.code == .invalidRequest)
    }

    @Test func streamsHaveNoPlaceInFoundation() throws {
        let request = HTTPRequest(
            method: .post, url: try HTTPURL("http://example.test/"), body: .stream { Silent() })
        let error = #expect(throws: LupineError.self) { try URLRequest(request) }
        #expect(error?.code == .unsupported)
    }

    private struct Silent: BodyReader {
        func read(upTo count: Int) async throws -> Data? { nil }
    }

    /// What `URLRequest` lets through is refused where it would leave.
    @Test(arguments: [
        ["X-A": "a\nEvil: 1"], ["X-A": "a\r\n b"], ["X-A": "a\u{1}b"], ["X A": "b"], ["": "v"], ["X:Y": "v"],
        ["Content-Length": "9"], ["Transfer-Encoding": "gzip, chunked"],
    ])
    func hostileFieldsNeverLeave(_ fields: [String: String]) async throws {
        let server = try LoopbackServer(handler: LoopbackServer.echo), session = URLSessionManager.direct()
        var request = try foundation(server.url())
        request.allHTTPHeaderFields = fields
        let converted = try HTTPRequest(request, options: session.configuration.options)
        #expect(converted.headers.count == 1)
        let error = await #expect(throws: LupineError.self) { try await session.data(for: converted) }
        #expect(error?.code == .invalidRequest)
        #expect(server.connectionCount == 0)
        await session.invalidate()
    }

    @Test func aHostileMethodNeverLeaves() async throws {
        let server = try LoopbackServer(handler: LoopbackServer.echo), session = URLSessionManager.direct()
        var request = try foundation(server.url())
        request.httpMethod = "GET / HTTP/1.1\r\nEvil: 1\r\n\r\nGET"
        let converted = try HTTPRequest(request, options: session.configuration.options)
        let error = await #expect(throws: LupineError.self) { try await session.data(for: converted) }
        #expect(error?.code == .invalidRequest)
        #expect(server.connectionCount == 0)
        await session.invalidate()
    }
}
