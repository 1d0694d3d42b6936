import FoundationEssentials
import LupineCore
import LupineTesting
import LupineTransport
import Testing

/// A request as it leaves, byte by byte.
@Suite(.timeLimit(.minutes(2)))
struct WireTests {
    private func recorded(
        _ method: HTTPMethod = .get, _ path: String = "/", headers: HTTPHeaders = [:], body: HTTPBody = .empty,
        host: String? = nil, options: (inout TransferOptions) -> Void = { _ in }
    ) async throws -> RecordedRequest {
        let server = try LoopbackServer(handler: LoopbackServer.serving { _ in .text("ok") })
        let transport = CurlTransport()
        let receiver = try await transport.run(
            server, path, method: method, headers: headers, body: body, host: host, options: options)
        #expect(receiver.code == nil)
        await transport.shutdown()
        #expect(server.requestCount == 1)
        return try #require(server.requests.first)
    }

    @Test func aBareRequest() async throws {
        let request = try await recorded(.get, "/a%20b/c?d=e&f")
        let host = try #require(request.headers["Host"])
        #expect(host.hasPrefix("127.0.0.1:"))
        #expect(
            request.headText
                == "GET /a%20b/c?d=e&f HTTP/1.1\r\nHost: \(host)\r\nAccept-Encoding: gzip, deflate, br, zstd\r\n\r\n")
    }

    @Test func fieldsLeaveAsGivenAndInOrder() async throws {
        let fields: HTTPHeaders = [
            "X-One": "1", "accept": "text/html", "X-Two": "a, b", "x-one": "again", "Empty": "", "Blank": " \t ",
            "User-Agent": "x", "Host": "example.com", "Accept-Encoding": "gzip", "Cookie": "a=1; b=2", "X-Semi": "a;b",
            "Connection": "x", "Umlaut": "ä", "Trailing": "t  ",
        ]
        let request = try await recorded(headers: fields)
        #expect(
            request.headText == """
                GET / HTTP/1.1\r\nHost: example.com\r\nX-One: 1\r\naccept: text/html\r\nX-Two: a, b\r\nx-one: again\r\n\
                Empty:\r\nBlank:\r\nUser-Agent: x\r\nAccept-Encoding: gzip\r\nCookie: a=1; b=2\r\nX-Semi: a;b\r\n\
                Connection: x\r\nUmlaut: ä\r\nTrailing: t\r\n\r\n
                """)
    }

    /// Swift takes an é of one character and one of two for the same; a server does not.
    @Test func fieldsAreTheirBytesAlsoAfterSuchThatAreEqual() async throws {
        let server = try LoopbackServer(handler: LoopbackServer.routes(["/": .text("ok")]))
        let transport = CurlTransport.alone()
        for value in ["caf\u{E9}", "cafe\u{301}", "caf\u{E9}"] {
            try await transport.run(server, headers: ["X-Name": value])
            #expect(server.requests.last?.headers["X-Name"].map { Array($0.utf8) } == Array(value.utf8))
        }
        await transport.shutdown()
    }

    /// B50, and RFC 9110 section 8.6: only where a body is part of the method's meaning.
    @Test(arguments: [
        (HTTPMethod.get, nil), ("DELETE", nil), ("OPTIONS", nil), ("TRACE", nil), ("PROPFIND", nil), ("POST", "0"),
        ("PUT", "0"), ("PATCH", "0"),
    ])
    func theLengthOfNoBody(_ method: HTTPMethod, _ length: String?) async throws {
        let request = try await recorded(method)
        #expect(request.method == method)
        #expect(request.headers["Content-Length"] == length)
        #expect(request.headers["Transfer-Encoding"] == nil)
        #expect(request.headers["Content-Type"] == nil)
        #expect(request.headers["Expect"] == nil)
    }

    private static let large = Data((0..<600_000).map { UInt8(truncatingIfNeeded: $0 &* 31) })

    @Test(arguments: ["GET", "DELETE", "OPTIONS", "POST", "PUT", "PATCH", "PROPFIND"] as [HTTPMethod])
    func everyMethodMayCarryABody(_ method: HTTPMethod) async throws {
        for size in [1, (64 << 10) - 1, 64 << 10, (64 << 10) + 1, 600_000] {
            let data = Self.large.prefix(size)
            let request = try await recorded(method, body: .bytes(data))
            #expect(request.method == method)
            #expect(request.headers.values(for: "Content-Length") == [String(size)])
            #expect(Data(request.body) == data)
            #expect(request.headers["Expect"] == nil)
            #expect(request.headers["Content-Type"] == nil)
        }
    }

    @Test func aMethodsNameIsNotChanged() async throws {
        for method in ["get", "Post", "M-SEARCH", "X!#$%&'*+-.^_`|~1"] as [HTTPMethod] {
            #expect(try await recorded(method).method == method)
        }
    }

    /// One transport, each kind of request after each other: nothing of one is left in the next.
    @Test func nothingIsLeftOfTheRequestBefore() async throws {
        let server = try LoopbackServer(handler: LoopbackServer.serving { _ in .text("ok") })
        let transport = CurlTransport()
        let large = Data(repeating: 1, count: 100_000)
        let kinds: [(HTTPMethod, HTTPHeaders, HTTPBody)] = [
            (.get, [:], .empty), (.post, ["X": "1"], .text("small")), (.head, [:], .empty), (.put, [:], .bytes(large)),
            (.delete, ["Accept-Encoding": "br"], .empty), (.post, [:], .empty), ("QUERY", [:], .text("q")),
            (.patch, [:], .stream { PiecesReader(["a", "b"]) }),
        ]
        var count = 0
        for first in kinds {
            for second in kinds {
                for (method, headers, body) in [first, second] {
                    try await transport.run(server, method: method, headers: headers, body: body)
                    count += 1
                    let request = try #require(server.requests.last)
                    #expect(request.method == method)
                    #expect(request.headers["X"] == headers["X"])
                    #expect(
                        request.headers["Accept-Encoding"] == headers["Accept-Encoding"] ?? "gzip, deflate, br, zstd")
                    let length = body.length ?? -1
                    let states = method.expectsBody || length > 0
                    #expect(request.headers["Content-Length"] == (length >= 0 && states ? String(length) : nil))
                    #expect(request.headers["Transfer-Encoding"] == (length < 0 ? "chunked" : nil))
                    #expect(request.body.count == (length < 0 ? 2 : Int(length)))
                }
            }
        }
        #expect(server.requestCount == count)
        #expect(server.connectionCount == 1)
        await transport.shutdown()
    }

    /// B90.
    @Test(arguments: ["[::1]", "[::1%25lo]", "[0:0:0:0:0:0:0:1]"])
    func anIPv6HostStandsInBracketsWithoutItsZone(_ host: String) async throws {
        let server = try LoopbackServer(on: .ipv6, handler: LoopbackServer.routes(["/": .text("ok")]))
        let transport = CurlTransport()
        let receiver = try await transport.run(server, host: host)
        #expect(receiver.code == nil, "\(receiver.completion?.error?.message ?? "")")
        #expect(server.requests.first?.headers["Host"] == "[::1]:\(server.port)")
        await transport.shutdown()
    }

    @Test(arguments: [
        ("http://example.test/", "example.test"), ("http://example.test:80/", "example.test"),
        ("http://EXAMPLE.test:8080/", "example.test:8080"), ("http://example.test:443/", "example.test:443"),
        ("http://user:pass@example.test/", "example.test"),
    ])
    func aDefaultPortIsNotInHost(_ url: String, _ host: String) async throws {
        let server = try LoopbackServer(handler: LoopbackServer.routes(["/": .text("ok")]))
        let transport = CurlTransport()
        var options = TransferOptions()
        options.route.proxy = .none
        options.route.connectTo = [ConnectTo(toHost: "127.0.0.1", toPort: server.port)]
        let receiver = RecordingReceiver()
        transport.start(HTTPRequest(url: try HTTPURL(url), options: options), receiver: receiver)
        try await receiver.finish()
        #expect(receiver.text == "ok")
        #expect(server.requests.first?.headers["Host"] == host)
        #expect(server.requests.first?.headers["Authorization"] == nil, "credentials are the session's to send")
        await transport.shutdown()
    }

    @Test func anOlderVersionCanBeAsked() async throws {
        let request = try await recorded { $0.maximumHTTPVersion = .http1_0 }
        #expect(request.version == .http1_0)
        let body = try await recorded(.post, body: .text("x")) { $0.maximumHTTPVersion = .http1_0 }
        #expect(body.headers["Content-Length"] == "1")
    }

    @Test func aFragmentIsNotSent() async throws {
        #expect(try await recorded(.get, "/a?b#c").target == "/a?b")
    }
}
