import FoundationEssentials
import Lupine
import LupineCore
import LupineTesting
import Testing

/// Redirects between servers in the clear and over TLS, for real.
@Suite(.timeLimit(.minutes(2)))
struct TaskTLSRedirectTests {
    private let peers: TLSPeers
    private static let secrets: HTTPHeaders = [
        "Authorization": "Bearer s", "Cookie": "c=s", "Proxy-Authorization": "Basic s", "X-Api-Key": "s", "X-Note": "n",
    ]

    init() throws { peers = try TLSPeers() }

    private static func secrets(of request: RecordedRequest?) -> [String] {
        ["Authorization", "Cookie", "Proxy-Authorization", "X-Api-Key", "X-Note"].filter {
            request?.headers.contains($0) == true
        }
    }

    /// From https to http nothing is sent, unless it is allowed, and no secret then.
    @Test(arguments: [false, true], [HTTPMethod.get, .post])
    func downgrade(_ isAllowed: Bool, _ method: HTTPMethod) async throws {
        let plain = try LoopbackServer(handler: LoopbackServer.serving { .text("\($0.method) \($0.text)") })
        let target = plain.url("/end")
        let secure = try peers.server(
            LoopbackServer.serving { _ in
                LoopbackResponse(status: 307, headers: ["Location": target, "Set-Cookie": "t=1; Secure"])
            })
        let session = peers.session { $0.redirects.allowsDowngrade = isAllowed }
        let body = method == .post ? HTTPBody.text("body") : .empty
        if isAllowed {
            let reply = try await session.send(method, secure.url(), headers: Self.secrets, body: body)
            #expect(reply.text == "\(method) \(method == .post ? "body" : "")")
            #expect(Self.secrets(of: plain.requests.first) == ["X-Note"])
        } else {
            let (error, _) = try await session.failure(method, secure.url(), headers: Self.secrets, body: body)
            #expect(error.code == .badResponse)
            #expect(error.response?.status == 307)
            #expect(plain.requestCount == 0)
        }
        await session.invalidate()
    }

    /// Another port is another origin, though the scheme and the certificate are the same.
    @Test(arguments: [307, 302, 303])
    func toAnotherPortOverTLS(_ status: Int) async throws {
        let second = try peers.server(LoopbackServer.serving { .text("\($0.method) \($0.text)") })
        let target = second.url("/end")
        let first = try peers.server(
            LoopbackServer.serving { _ in
                LoopbackResponse(status: HTTPStatus(rawValue: status), headers: ["Location": target])
            })
        let session = peers.session()
        let reply = try await session.send(
            .post, first.url().replacing("https://", with: "https://ada:pw@"),
            headers: ["X-Note": "n", "Cookie": "c=s"],
            body: .text("body"))
        #expect(reply.text == (status == 307 ? "POST body" : "GET "))
        #expect(Self.secrets(of: first.requests.first) == ["Authorization", "Cookie", "X-Note"])
        #expect(Self.secrets(of: second.requests.first) == ["X-Note"])
        #expect(reply.request.url.userinfo == nil)
        await session.invalidate()
    }

    /// Upgraded before anything is sent in the clear, as a first request and as a redirect.
    @Test func hostsThatWantHTTPS() async throws {
        let secure = try peers.server(
            LoopbackServer.serving { request in
                var answer = LoopbackResponse.text("\(request.path) \(request.headers["Authorization"] ?? "none")")
                answer.headers.add(name: "Strict-Transport-Security", value: "max-age=1000")
                if request.path == "/hop" {
                    answer.status = 302
                    answer.headers.add(name: "Location", value: "http://\(request.headers["Host"] ?? "")/end#f")
                }
                return answer
            })
        let session = peers.session()
        _ = try await session.send(.get, secure.url("/", host: "localhost"))
        let plainURL = secure.url("/x", host: "localhost").replacing("https://", with: "http://ada:pw@")
        let reply = try await session.send(.get, plainURL)
        #expect(reply.text == "/x Basic YWRhOnB3")
        #expect(reply.request.url.isSecure)
        #expect(reply.redirects.isEmpty)
        let hopped = try await session.send(.get, plainURL.replacing("/x", with: "/hop"))
        #expect(hopped.text == "/end Basic YWRhOnB3")
        #expect(hopped.request.url.fragment == "f")
        #expect(hopped.redirects.map(\.scheme) == ["https"])
        #expect(secure.handshakeFailures.isEmpty && secure.failures.isEmpty)
        await session.invalidate()
    }

    /// A handler's own request over http to such a host too.
    @Test func hostsThatWantHTTPSByAHandler() async throws {
        let secure = try peers.server(
            LoopbackServer.serving { request in
                request.path == "/hop"
                    ? LoopbackResponse(
                        status: 302,
                        headers: ["Location": "/next", "Strict-Transport-Security": "max-age=1000"])
                    : .text(request.path)
            })
        let session = peers.session()
        var handlers = TaskHandlers()
        let plain = secure.url("/chosen", host: "localhost").replacing("https://", with: "http://")
        handlers.redirect = { _, _, next in
            var next = next
            next.url = try HTTPURL(plain)
            return next
        }
        let task = session.dataTask(
            with: HTTPRequest(
                url: try HTTPURL(secure.url("/hop", host: "localhost")), options: session.configuration.options),
            handlers: handlers)
        let reply = try await task.result()
        #expect(reply.text == "/chosen")
        #expect(reply.request.url.isSecure)
        await session.invalidate()
    }

    /// RFC 6265bis sections 4.1.2.5 and 5.7: not sent in the clear, and not replaced from there.
    @Test func secureCookiesStayOnTLS() async throws {
        let secure = try peers.server(
            LoopbackServer.serving { request in
                var answer = LoopbackResponse.text(request.headers["Cookie"] ?? "none")
                answer.headers.add(name: "Set-Cookie", value: "s=1; Secure; Path=/")
                answer.headers.add(name: "Set-Cookie", value: "__Host-h=1; Secure; Path=/")
                answer.headers.add(name: "Set-Cookie", value: "p=1; Path=/")
                if request.path == "/hop" {
                    answer.status = 302
                    answer.headers.add(name: "Location", value: "/end")
                }
                return answer
            })
        let plain = try LoopbackServer(
            handler: LoopbackServer.serving { request in
                var answer = LoopbackResponse.text(request.headers["Cookie"] ?? "none")
                answer.headers.add(name: "Set-Cookie", value: "s=evil; Path=/")
                answer.headers.add(name: "Set-Cookie", value: "t=evil; Secure; Path=/")
                if request.path == "/hop" {
                    answer.status = 302
                    answer.headers.add(name: "Location", value: secure.url("/end", host: "localhost"))
                }
                return answer
            })
        let session = peers.session()
        #expect(try await session.send(.get, secure.url("/hop", host: "localhost")).text == "s=1; __Host-h=1; p=1")
        #expect(try await session.send(.get, plain.url("/", host: "localhost")).text == "p=1")
        #expect(try await session.send(.get, plain.url("/hop", host: "localhost")).text == "s=1; __Host-h=1; p=1")
        #expect(plain.requests.map { $0.headers["Cookie"] } == ["p=1", "p=1"])
        await session.invalidate()
    }
}
