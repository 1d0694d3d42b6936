import FoundationEssentials
import Lupine
import LupineCore
import LupineTesting
import Testing

/// Cookies and HSTS as a session uses them.
@Suite(.timeLimit(.minutes(1)))
struct TaskCookieTests {
    /// Sets what its paths say: `/set/NAME` answers with that cookie, `/hop/NAME` too and redirects to `/show`.
    private static let handler = LoopbackServer.serving { request in
        let parts = request.path.split(separator: "/").map(String.init)
        var answer = LoopbackResponse.text(request.headers["Cookie"] ?? "none")
        if parts.count == 2, parts[0] != "show" {
            answer.headers.add(name: "Set-Cookie", value: "\(parts[1])=1; Path=/")
        }
        if parts.first == "hop" {
            answer.status = 302
            answer.headers.add(name: "Location", value: "/show")
        }
        return answer
    }

    @Test func cookiesComeBack() async throws {
        let server = try LoopbackServer(handler: Self.handler)
        let session = URLSessionManager.direct()
        #expect(try await session.send(.get, server.url("/show")).text == "none")
        _ = try await session.send(.get, server.url("/set/a"))
        _ = try await session.send(.post, server.url("/set/b"), body: .text("x"))
        #expect(try await session.send(.get, server.url("/show")).text == "a=1; b=1")
        #expect(session.cookieStorage.cookies.map(\.name) == ["a", "b"])
        // Another session knows nothing of them, nor does what is on disk.
        let other = URLSessionManager.direct()
        #expect(try await other.send(.get, server.url("/show")).text == "none")
        session.cookieStorage.removeAll()
        #expect(try await session.send(.get, server.url("/show")).text == "none")
        await session.invalidate()
        await other.invalidate()
    }

    @Test func aCookieOfARedirectIsSentAtOnce() async throws {
        let server = try LoopbackServer(handler: Self.handler)
        let session = URLSessionManager.direct()
        #expect(try await session.send(.get, server.url("/hop/a")).text == "a=1")
        let streamed = try await session.stream(
            for: HTTPRequest(url: try HTTPURL(server.url("/hop/b")), options: session.configuration.options))
        var body = Data()
        for try await piece in streamed.body { body += piece }
        #expect(body == Data("a=1; b=1".utf8))
        await session.invalidate()
    }

    /// What is no UTF-8 goes back byte by byte (RFC 6265bis section 5.6 speaks of octets), beside what is.
    @Test func bytesComeBackAsTheyWere() async throws {
        let server = try LoopbackServer { connection in
            while let request = try connection.readRequest() {
                var head = Array("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n".utf8)
                if request.path == "/set" {
                    head +=
                        Array("Set-Cookie: a=\u{E4}; Path=/\r\n".latin1)
                        + Array("Set-Cookie: b=\u{E4}; Path=/\r\n".utf8)
                    head +=
                        "Set-Cookie: \u{E4}=\u{80}\u{FF}; Path=/\r\nSet-Cookie: \u{C3}\u{A4}=\u{E9}; Path=/\r\n".latin1
                }
                try connection.send(head + "\r\n".utf8)
            }
        }
        let folder = try TemporaryDirectory(), file = folder.file("cookies.txt")
        let session = URLSessionManager.direct()
        _ = try await session.send(.get, server.url("/set"))
        #expect(session.cookieStorage.cookies.map(\.value) == ["\u{E4}", "\u{E4}", "\u{80}\u{FF}", "\u{E9}"])
        #expect(session.cookieStorage.cookies.map(\.name) == ["a", "b", "\u{E4}", "\u{E4}"])
        _ = try await session.send(.get, server.url("/show"))
        try session.cookieStorage.save(netscapeFile: file)
        let storage = CookieStorage()
        try storage.load(netscapeFile: file)
        #expect(storage.cookies.map(\.name) == session.cookieStorage.cookies.map(\.name))
        let other = URLSessionManager.direct { $0.cookieStorage = storage }
        _ = try await other.send(.get, server.url("/show"))
        let line =
            Array("Cookie: a=\u{E4}; b=".latin1) + Array("\u{E4}".utf8)
            + Array("; \u{E4}=\u{80}\u{FF}; \u{C3}\u{A4}=\u{E9}\r\n".latin1)
        for request in server.requests.dropFirst() {
            #expect(request.head.firstRange(of: line) != nil, "\(request.head)")
        }
        // The same name, whatever the value is made of.
        storage.store(setCookie: ["a=plain"], for: try HTTPURL(server.url("/")))
        #expect(storage.cookies.map(\.value) == ["plain", "\u{E4}", "\u{80}\u{FF}", "\u{E9}"])
        #expect(storage.cookieHeader(for: try HTTPURL(server.url("/")))?.hasPrefix("a=plain; b=\u{C3}\u{A4}; ") == true)
        for session in [session, other] { await session.invalidate() }
    }

    /// A field of an answer that goes out again is what it was.
    @Test func aFieldsBytesGoOut() async throws {
        let server = try LoopbackServer { connection in
            while try connection.readRequest() != nil {
                try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\nX-Mark: \u{E4}\r\n \u{FC}b\r\n\r\n".latin1)
            }
        }
        let session = URLSessionManager.direct()
        let answer = try await session.send(.get, server.url("/"))
        #expect(answer.response.headers["X-Mark"] == "\u{E4} \u{FC}b")
        let fields = HTTPHeaders(answer.response.headers.filter { $0.name == "X-Mark" })
        _ = try await session.send(.get, server.url("/"), headers: fields)
        let sent = try #require(server.requests.last)
        #expect(sent.head.firstRange(of: "X-Mark: \u{E4} \u{FC}b\r\n".latin1) != nil)
        await session.invalidate()
    }

    @Test func sessionsMayShareThem() async throws {
        let server = try LoopbackServer(handler: Self.handler)
        let storage = CookieStorage()
        let first = URLSessionManager.direct { $0.cookieStorage = storage }
        let second = URLSessionManager.direct { $0.cookieStorage = storage }
        _ = try await first.send(.get, server.url("/set/a"))
        #expect(try await second.send(.get, server.url("/show")).text == "a=1")
        let copy = second.copy()
        // A copy has what its original was given.
        #expect(try await copy.send(.get, server.url("/show")).text == "a=1")
        for session in [first, second, copy] { await session.invalidate() }
    }

    @Test func aRequestMayDoWithout() async throws {
        let server = try LoopbackServer(handler: Self.handler)
        let session = URLSessionManager.direct()
        _ = try await session.send(.get, server.url("/set/a"))
        #expect(try await session.send(.get, server.url("/set/b")) { $0.handlesCookies = false }.text == "none")
        #expect(session.cookieStorage.cookies.map(\.name) == ["a"])
        #expect(try await session.send(.get, server.url("/show"), headers: ["Cookie": "mine=1"]).text == "mine=1")
        #expect(server.requests.last?.headers.values(for: "Cookie") == ["mine=1"])
        await session.invalidate()
    }

    /// Cookies have no port (RFC 6265 section 8.5), and know their host, their path and their scheme.
    @Test func cookiesKeepToTheirHosts() async throws {
        let server = try LoopbackServer { connection in
            while let request = try connection.readRequest() {
                var answer = LoopbackResponse.text(request.headers["Cookie"] ?? "none")
                for field in [
                    "host=1", "dir=1; Path=/dir", "safe=1; Secure", "other=1; Domain=other.test", "tld=1; Domain=test",
                ] {
                    answer.headers.add(name: "Set-Cookie", value: field)
                }
                try connection.send(answer, to: request)
            }
        }
        let session = URLSessionManager.direct {
            $0.options.route.connectTo = [ConnectTo(toHost: "127.0.0.1", toPort: server.port)]
        }
        #expect(try await session.send(.get, "http://a.test/").text == "none")
        #expect(try await session.send(.get, "http://a.test/").text == "host=1")
        #expect(try await session.send(.get, "http://a.test/dir/x").text == "dir=1; host=1")
        #expect(try await session.send(.get, "http://a.test:81/").text == "host=1")
        for host in ["b.a.test", "other.test", "test.test", "wwwa.test"] {
            #expect(try await session.send(.get, "http://\(host)/").text == "none", "\(host)")
        }
        await session.invalidate()
    }

    // MARK: HSTS

    @Test func aHostThatWantsHTTPSIsAskedOverIt() async throws {
        let authority = try TestCertificateAuthority(), directory = try TemporaryDirectory()
        try authority.certificate.writePEM(to: directory.file("root.pem"))
        let secure = try LoopbackServer(
            tls: authority.issue(for: ["strict.test"]),
            handler: LoopbackServer.serving { _ in
                var answer = LoopbackResponse.text("secure")
                answer.headers["Strict-Transport-Security"] = "max-age=1000"
                return answer
            })
        let plain = try LoopbackServer(
            handler: LoopbackServer.serving { _ in
                var answer = LoopbackResponse.text("plain")
                // Not believed: anybody could have said so.
                answer.headers["Strict-Transport-Security"] = "max-age=0"
                return answer
            })
        let session = URLSessionManager.direct {
            $0.transport.certificateAuthorities = .file(directory.file("root.pem"))
            $0.options.route.connectTo = [
                ConnectTo(host: "strict.test", port: 443, toHost: "127.0.0.1", toPort: secure.port),
                ConnectTo(host: "strict.test", port: 80, toHost: "127.0.0.1", toPort: plain.port),
            ]
        }
        #expect(try await session.send(.get, "http://strict.test/").text == "plain")
        #expect(try await session.send(.get, "https://strict.test/").text == "secure")
        let reply = try await session.send(.get, "http://strict.test/")
        #expect(reply.text == "secure")
        #expect(reply.request.url.string == "https://strict.test/")
        #expect(session.hstsStorage.policies.map(\.host) == ["strict.test"])
        session.hstsStorage.removeAll()
        #expect(try await session.send(.get, "http://strict.test/").text == "plain")
        await session.invalidate()
    }

    /// A redirect to http goes over https where the host wants that, and is then no downgrade to be refused.
    @Test func aRedirectToAHostThatWantsHTTPS() async throws {
        let authority = try TestCertificateAuthority(), directory = try TemporaryDirectory()
        try authority.certificate.writePEM(to: directory.file("root.pem"))
        let server = try LoopbackServer(
            tls: authority.issue(for: ["strict.test"]),
            handler: LoopbackServer.serving { request in
                guard request.path == "/start" else { return .text("end") }
                return LoopbackResponse(
                    status: 302,
                    headers: ["Location": "http://strict.test/end", "Strict-Transport-Security": "max-age=1000"])
            })
        let session = URLSessionManager.direct {
            $0.transport.certificateAuthorities = .file(directory.file("root.pem"))
            $0.options.route.connectTo = [ConnectTo(host: "strict.test", toHost: "127.0.0.1", toPort: server.port)]
        }
        #expect(try await session.send(.get, "https://strict.test/start").text == "end")
        await session.invalidate()
    }
}
