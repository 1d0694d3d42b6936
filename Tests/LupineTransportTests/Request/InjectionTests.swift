import LupineCore
import LupineTesting
import LupineTransport
import Testing

/// B43: what would change the message's shape is refused before anything is sent.
@Suite(.timeLimit(.minutes(2)))
struct InjectionTests {
    private func expectRefused(
        method: HTTPMethod = .get, headers: HTTPHeaders = [:], body: HTTPBody = .empty,
        options: (inout TransferOptions) -> Void = { _ in }
    ) async throws {
        // A socket that no other test's client finds by accident.
        let directory = try TemporaryDirectory(), path = directory.file("server")
        let server = try LoopbackServer(on: .unix(path), handler: LoopbackServer.serving { _ in .text("no") })
        let transport = CurlTransport()
        let receiver = try await transport.run(server, method: method, headers: headers, body: body) {
            options(&$0)
            $0.route.unixSocket = path
        }
        #expect(receiver.code == .invalidRequest)
        #expect(receiver.completion?.delivery == .unsent)
        #expect(receiver.order == ["finish"])
        await transport.shutdown()
        #expect(server.connectionCount == 0)
    }

    @Test(arguments: [
        "a\r\nX-Injected: yes", "a\nX-Injected: yes", "a\rb", "a\0b", "\u{7F}", "a\u{1}b", "\r\n", "a\r\n",
    ])
    func values(_ value: String) async throws {
        try await expectRefused(headers: ["X-Test": value])
        try await expectRefused(headers: ["Host": value])
        try await expectRefused(headers: ["Content-Type": value])
    }

    @Test(arguments: [
        "", "X Y", "X:", "X\r\nY", "X\n", "X\0", "Naïve", "X;", "(X)", "X\t", ":", "X-\u{7F}", "\u{FEFF}X",
    ])
    func names(_ name: String) async throws {
        try await expectRefused(headers: [name: "value"])
    }

    @Test(arguments: [
        "", "GET ", "GET /x HTTP/1.1\r\nX: y", "GE\nT", "GE\0T", "GÉT", "GET\t", "G(T", "CONNECT",
    ])
    func methods(_ method: String) async throws {
        try await expectRefused(method: HTTPMethod(rawValue: method))
    }

    @Test(
        arguments: [
            ["Content-Length": "3"], ["Content-Length": "-1"], ["Content-Length": "+5"], ["Content-Length": "5, 5"],
            ["Content-Length": "5", "content-length": "6"], ["Transfer-Encoding": "chunked"],
            ["Transfer-Encoding": "gzip, chunked"], ["Transfer-Encoding": "identity"],
            ["Content-Length": "5", "Transfer-Encoding": "chunked"], ["Content-Length": "99999999999999999999"],
            ["Content-Length": "0x5"], ["Content-Length": ""],
        ] as [HTTPHeaders])
    func framing(_ headers: HTTPHeaders) async throws {
        try await expectRefused(method: .post, headers: headers, body: .text("hello"))
    }

    @Test func framingOfStreams() async throws {
        let stream = HTTPBody.stream { PiecesReader(["hello"]) }
        try await expectRefused(
            method: .post, headers: ["Content-Length": "5", "Transfer-Encoding": "chunked"], body: stream)
        try await expectRefused(method: .post, body: stream) { $0.maximumHTTPVersion = .http1_0 }
        try await expectRefused(method: .head, body: stream)
        try await expectRefused(method: .trace, body: .text("x"))
    }

    /// Nothing of it may leave in part either.
    @Test func aHeadLargerThanLibcurlSends() async throws {
        try await expectRefused(headers: ["X": String(repeating: "x", count: 2 << 20)])
    }

    @Test(arguments: [
        "http://127.0.0.1\r\nX: y/", "http://127.0.0.1/a b\r\nX: y", "http://127.0.0.1/\0", "http://a b/",
        "http://127.0.0.1:1@evil:2@x/", "http://[::1/", "http://127.0.0.1:99999/", "http://127.0.0.1:-1/",
        "http://127.0.0.1:8o/", "ftp://127.0.0.1/", "file:///etc/passwd", "//127.0.0.1/", "/path", "", "http://",
        "http:///path", "http://%31/", "http://1.2.3.4.5/", "http://a..b/",
    ])
    func urls(_ text: String) {
        #expect { try HTTPURL(text) } throws: { ($0 as? LupineError)?.code == .invalidURL }
    }

    @Test(arguments: ["/a b", "/ä", "/a\"<>\\^`{|}", "/%zz", "/?q=a b&ü"])
    func odditiesInAPathAreEncoded(_ path: String) async throws {
        let server = try LoopbackServer(handler: LoopbackServer.serving { _ in .text("ok") })
        let transport = CurlTransport()
        let receiver = try await transport.run(server, path)
        #expect(receiver.code == nil)
        let target = try #require(server.requests.first?.target)
        #expect(target.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F })
        #expect(server.requests.first?.headText.hasPrefix("GET \(target) HTTP/1.1\r\nHost: ") == true)
        await transport.shutdown()
    }
}
