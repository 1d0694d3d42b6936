import FoundationEssentials
import Lupine
import LupineCore
import LupineTesting
import Testing

/// Tasks through a proxy: what it is told, what others are not, and what its failures become.
@Suite(.timeLimit(.minutes(2)))
struct TaskProxyTests {
    /// `ada:pw`.
    private static let credentials = "Basic YWRhOnB3"

    private func with(_ proxy: LoopbackServer) -> String { "http://ada:pw@127.0.0.1:\(proxy.port)" }

    enum Ending: CaseIterable, Sendable { case cancelled, timedOut, closed, reset, garbage, refused, half }

    /// What came to nothing leaves nothing of the proxy's behind for the next request.
    @Test(arguments: Ending.allCases, ["http", "https"])
    func credentialsOfWhatFailedGoNowhere(_ ending: Ending, _ scheme: String) async throws {
        let proxy = try LoopbackServer { connection in
            guard try connection.readHead() != nil else { return }
            switch ending {
            case .cancelled, .timedOut: try connection.stall()
            case .closed: break
            case .reset: connection.reset()
            case .garbage: try connection.send("garbage\r\n\r\n")
            case .refused:
                try connection.send(
                    "HTTP/1.1 407 No\r\nProxy-Authenticate: Basic realm=\"x\"\r\nContent-Length: 0\r\n\r\n")
            case .half: try connection.send("HTTP/1.1 200")
            }
        }
        let origin = try LoopbackServer(handler: LoopbackServer.serving { _ in .text("origin") })
        let session = URLSessionManager.direct()
        var options = session.configuration.options
        options.route.proxy = .url(with(proxy))
        if ending == .timedOut { options.timeouts.total = .milliseconds(300) }
        let task = session.dataTask(with: HTTPRequest(url: try HTTPURL("\(scheme)://service.test/x"), options: options))
        task.resume()
        if ending == .cancelled {
            try await proxy.waitForRequests(1)
            task.cancel()
        }
        if ending == .refused, scheme == "http" {
            #expect(try await task.result().status == 407)
        } else {
            let error = await #expect(throws: LupineError.self) { try await task.result() }
            #expect(error?.description.contains("pw") == false)
            let code: LupineError.Code? =
                switch ending {
                case .cancelled: .cancelled
                case .timedOut: .timedOut
                case .closed, .reset, .half: scheme == "http" ? .connectionLost : .proxyFailed
                case .garbage: scheme == "http" ? .badResponse : .proxyFailed
                case .refused: .proxyFailed
                }
            #expect(error?.code == code)
        }
        // On a busy machine the time may be over before anything has left.
        if ending != .timedOut || proxy.requestCount > 0 {
            #expect(proxy.requests.first?.headers["Proxy-Authorization"] == Self.credentials)
        }
        for _ in 0..<2 { #expect(try await session.send(.get, origin.url()).text == "origin") }
        #expect(origin.requests.map { $0.headers["Proxy-Authorization"] } == [nil, nil])
        await session.invalidate()
    }

    /// Answers CONNECT, and is then the origin `service.test`, that tells what it was asked and what the proxy was.
    private func tunnel(_ peers: TLSPeers, to seen: Lock<[RecordedRequest]>) throws -> LoopbackServer {
        let tls = LoopbackTLS(certificate: try peers.authority.issue(for: ["service.test"]))
        return try LoopbackServer { connection in
            while let request = try connection.readRequest() {
                guard request.method == .connect else {
                    let isFirst = request.target.hasPrefix("http://one.test")
                    try connection.send(
                        .redirect(to: isFirst ? "http://two.test/" : "https://service.test/end"), to: request)
                    continue
                }
                try connection.send("HTTP/1.1 200 OK\r\n\r\n")
                try connection.startTLS(tls)
                while let inner = try connection.readRequest() {
                    seen.withLock { $0.append(inner) }
                    try connection.send(.text(request.headers["Proxy-Authorization"] ?? "none"), to: inner)
                }
            }
        }
    }

    /// The proxy is given its credentials with each hop, in the clear and by CONNECT; an origin behind it sees none.
    @Test func eachHopGoesThroughTheProxy() async throws {
        let peers = try TLSPeers(), inTunnel = Lock<[RecordedRequest]>([])
        let proxy = try tunnel(peers, to: inTunnel)
        let session = peers.session()
        let reply = try await session.send(.get, "http://one.test/", headers: ["Authorization": "x", "Cookie": "a=b"]) {
            $0.route.proxy = .url(with(proxy))
        }
        #expect(reply.text == Self.credentials)
        #expect(reply.redirects.map(\.host) == ["one.test", "two.test"])
        let outer = proxy.requests.filter { $0.target != "/end" }
        #expect(
            outer.map { $0.headers.values(for: "Proxy-Authorization") }
                == Array(repeating: [Self.credentials], count: 3))
        #expect(outer.map { $0.headers["Authorization"] } == ["x", nil, nil])
        #expect(inTunnel.withLock { $0 }.count == 1)
        for name in ["Authorization", "Cookie", "Proxy-Authorization"] {
            #expect(inTunnel.withLock { $0.first?.headers[name] } == nil)
        }
        await session.invalidate()
    }

    /// A field of the caller's goes to whom it is for: the proxy, by CONNECT too, and never on to the origin within TLS.
    @Test func aFieldForTheProxyGoesToTheProxy() async throws {
        let peers = try TLSPeers(), inTunnel = Lock<[RecordedRequest]>([])
        let proxy = try tunnel(peers, to: inTunnel)
        let plain = try LoopbackServer(handler: LoopbackServer.serving { _ in .text("plain") })
        let session = peers.session()
        let url = "http://127.0.0.1:\(proxy.port)"
        for (value, told) in [("Bearer p", "Bearer p"), (nil, "none"), ("Bearer q", "Bearer q")] {
            let reply = try await session.send(
                .get, "https://service.test/", headers: value.map { ["proxy-authorization": $0] } ?? [:]
            ) {
                $0.route.proxy = .url(url)
                // Else the tunnel that stands is used.
                $0.usesNewConnection = true
            }
            #expect(reply.text == told)
        }
        #expect(inTunnel.withLock { $0 }.map { $0.headers["Proxy-Authorization"] } == [nil, nil, nil])
        let forwarded = try await session.send(.get, "http://three.test/", headers: ["Proxy-Authorization": "x"]) {
            $0.route.proxy = .url("http://127.0.0.1:\(plain.port)")
        }
        #expect(forwarded.text == "plain")
        #expect(plain.requests.first?.headers["Proxy-Authorization"] == "x")
        await session.invalidate()
    }

    /// Kept connections to one proxy under several names.
    @Test(arguments: ["http", "https"])
    func severalCredentialsForOneProxy(_ scheme: String) async throws {
        let peers = try TLSPeers()
        let proxy =
            scheme == "https"
            ? try tunnel(peers, to: Lock([]))
            : try LoopbackServer(
                handler: LoopbackServer.serving { .text($0.headers["Proxy-Authorization"] ?? "none") })
        let session = peers.session()
        for _ in 0..<2 {
            for (user, value) in [("ada:pw@", Self.credentials), ("", "none"), ("bob:pw@", "Basic Ym9iOnB3")] {
                let reply = try await session.send(.get, "\(scheme)://service.test/") {
                    $0.route.proxy = .url("http://\(user)127.0.0.1:\(proxy.port)")
                }
                #expect(reply.text == value)
            }
        }
        await session.invalidate()
    }
}
