import Lupine
import LupineTesting
import Testing

/// A failure is told when it is known and not when a timeout ends, with its real cause. Times are bounded tenfold.
@Suite(.timeLimit(.minutes(1)))
struct ToldAtOnceTests {
    private let session = URLSessionManager.direct()
    private static let soon = Duration.seconds(25)

    private func expect(
        _ code: LupineError.Code, saying words: String..., at url: String, by session: URLSessionManager? = nil
    ) async throws {
        let (error, after) = try await (session ?? self.session).failure(.get, url)
        #expect(error.code == code)
        #expect(after < Self.soon)
        #expect(error.message.split(separator: "\n").count == 1)
        for word in words { #expect(error.message.contains(word), "\(error)") }
        #expect(error.host == (try HTTPURL(url)).host)
        #expect(error.errorDescription == error.description)
        #expect(error.response == nil)
    }

    @Test func refused() async throws {
        // Port 1 is nobody's: a port just given up may be another test's by now.
        try await expect(.couldNotConnect, saying: "127.0.0.1", "refused", at: "http://127.0.0.1:1/")
        try await expect(.couldNotConnect, saying: "localhost", at: "http://localhost:1/")
    }

    /// A label of 64 bytes is one too long: the resolver says so without asking anybody.
    @Test func unknownHost() async throws {
        let host = String(repeating: "x", count: 64) + ".invalid"
        try await expect(.couldNotResolve, saying: host, at: "http://\(host)/")
    }

    @Test func certificateOfAnUnknownAuthority() async throws {
        let server = try LoopbackServer(tls: .selfSigned(), handler: LoopbackServer.echo)
        try await expect(.trustRejected, saying: "self-signed certificate", at: server.url("/"))
        #expect(server.requestCount == 0)
    }

    @Test func expiredAndForeignCertificates() async throws {
        let authority = try TestCertificateAuthority(), directory = try TemporaryDirectory()
        let roots = directory.file("roots.pem")
        try authority.certificate.writePEM(to: roots)
        let session = URLSessionManager.direct { $0.transport.certificateAuthorities = .file(roots) }
        let expired = try LoopbackServer(tls: authority.issue(validity: .expired), handler: LoopbackServer.echo)
        try await expect(.trustRejected, saying: "expired", at: expired.url("/"), by: session)
        let early = try LoopbackServer(tls: authority.issue(validity: .notYetValid), handler: LoopbackServer.echo)
        try await expect(.trustRejected, saying: "not yet valid", at: early.url("/"), by: session)
        let foreign = try LoopbackServer(tls: authority.issue(for: ["other.example"]), handler: LoopbackServer.echo)
        try await expect(
            .trustRejected, saying: "localhost", at: foreign.url("/", host: "localhost"), by: session)
        let good = try LoopbackServer(tls: authority.issue(), handler: LoopbackServer.echo)
        #expect(try await session.send(.get, good.url("/")).status == 200)
        let missing = URLSessionManager.direct { $0.transport.certificateAuthorities = .file("/no/such/file.pem") }
        try await expect(.tlsFailed, saying: "/no/such/file.pem", at: good.url("/"), by: missing)
        // C would end the path at the NUL, and trust another file than was named.
        for authorities in [CertificateAuthorities.file("\(roots)\0.pem"), .systemAnd("\(roots)\0.pem")] {
            let cut = URLSessionManager.direct { $0.transport.certificateAuthorities = authorities }
            try await expect(.tlsFailed, saying: "\\0.pem", at: good.url("/"), by: cut)
        }
        for server in [expired, early, foreign] { #expect(server.requestCount == 0) }
    }

    @Test func noTLSWhereItIsSpoken() async throws {
        let plain = try LoopbackServer { connection in
            _ = try connection.read(upTo: 1)
            try connection.send("HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n")
        }
        try await expect(.tlsFailed, saying: "TLS", at: "https://127.0.0.1:\(plain.port)/")
        for fault in [LoopbackTLS.HandshakeFault.close, .reset, .plaintext] {
            var tls = LoopbackTLS(certificate: try .selfSigned())
            tls.handshakeFault = fault
            let server = try LoopbackServer(tls: tls, handler: LoopbackServer.echo)
            try await expect(.tlsFailed, at: server.url("/"))
        }
    }

    @Test func proxyThatIsNotThere() async throws {
        let server = try LoopbackServer(handler: LoopbackServer.echo)
        let proxy = server.url("")
        server.stop()
        let (error, after) = try await session.failure(.get, "http://site.example/") { $0.route.proxy = .url(proxy) }
        #expect(error.code == .couldNotConnect || error.code == .proxyFailed)
        #expect(after < Self.soon)
    }

    /// A proxy of the environment, in a process that has one: told as the proxy's fault, and without its password.
    @Test(arguments: [
        "http://user:secret@127.0.0.1:1", "user:secret@127.0.0.1:99999", "foo://user:secret@127.0.0.1:1",
        "http://user:secret word@127.0.0.1:x",
    ])
    func proxyOfTheEnvironment(_ proxy: String) async throws {
        let command = "exec '\(ProcessRun.sibling("lupine"))' get http://site.example/ 2>&1"
        let run = try await ProcessRun.of(["sh", "-c", "http_proxy='\(proxy)' no_proxy= \(command)"])
        #expect(run.status == 1)
        #expect(run.output.hasPrefix("lupine: proxy-failed: the proxy on the way to site.example failed"))
        #expect(!run.output.contains("secret"))
    }

    // MARK: Limits of time

    private static func stalling(after bytes: String) throws -> LoopbackServer {
        try LoopbackServer { connection in
            _ = try connection.readRequest()
            try connection.send(bytes)
            try connection.stall()
        }
    }

    private static let silences = [
        "", "HTTP/1.1 200", "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n12345",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n12345\r\n",
        "HTTP/1.1 100 Continue\r\n\r\n",
    ]

    @Test(arguments: silences)
    func totalCoversEveryStage(_ bytes: String) async throws {
        let server = try Self.stalling(after: bytes)
        let (error, after) = try await session.failure(.get, server.url("/")) {
            $0.timeouts.total = .milliseconds(1250)
        }
        #expect(error.code == .timedOut)
        #expect(error.message.contains("1.25 s in all"))
        #expect(after >= .milliseconds(1245) && after < .seconds(25))
        #expect((error.response != nil) == bytes.contains("200 OK"))
        #expect(error.data.map { String(decoding: $0, as: UTF8.self) } == (bytes.contains("12345") ? "12345" : ""))
        try await server.waitForOpenConnections()
    }

    @Test(arguments: silences)
    func idleCoversEveryStage(_ bytes: String) async throws {
        let server = try Self.stalling(after: bytes)
        let (error, after) = try await session.failure(.get, server.url("/")) { $0.timeouts.idle = .milliseconds(150) }
        #expect(error.code == .timedOut)
        #expect(error.message.contains("for 150 ms"))
        #expect(after >= .milliseconds(145) && after < Self.soon)
        try await server.waitForOpenConnections()
    }

    @Test func totalEndsADripThatIdleLets() async throws {
        let server = try LoopbackServer { connection in
            _ = try connection.readRequest()
            try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 4000\r\n\r\n")
            try connection.drip(String(repeating: ".", count: 4000), each: .milliseconds(20))
        }
        let (error, after) = try await session.failure(.get, server.url("/")) {
            $0.timeouts.idle = .seconds(20)
            $0.timeouts.total = .seconds(4)
        }
        #expect(error.code == .timedOut)
        #expect(error.message.contains("in all"))
        #expect(after >= .milliseconds(3_995) && after < .seconds(25))
        #expect(error.data?.isEmpty == false)
    }

    @Test func totalCoversAnUploadThatIsNotRead() async throws {
        let server = try LoopbackServer { connection in
            _ = try connection.readHead()
            try connection.stall()
        }
        let (error, after) = try await session.failure(
            .put, server.url("/"), body: .stream(length: 1 << 30) { PatternReader(count: 1 << 30) }
        ) { $0.timeouts.total = .milliseconds(300) }
        #expect(error.code == .timedOut)
        #expect(after < Self.soon)
    }

    /// The limit in all is for the request, not for each of its sendings.
    @Test func totalCoversResending() async throws {
        let server = try LoopbackServer { connection in
            guard try connection.readRequest() != nil else { return }
            if connection.index > 0 { try connection.delay(.milliseconds(700)) }
            try connection.send(.text("first"))
            guard try connection.readRequest() != nil else { return }
            try connection.delay(.milliseconds(700))
        }
        _ = try await session.send(.get, server.url("/"))
        let (error, after) = try await session.failure(.get, server.url("/")) { $0.timeouts.total = .seconds(1) }
        #expect(error.code == .timedOut)
        #expect(after >= .milliseconds(995))
        #expect(server.requestCount >= 2)
    }

    @Test func connectTimeoutAtAFullListener() async throws {
        // TLS that is never answered: the connection stands, the agreement does not.
        var tls = LoopbackTLS(certificate: try .selfSigned())
        tls.handshakeFault = .stall
        let server = try LoopbackServer(tls: tls, handler: LoopbackServer.echo)
        let (error, after) = try await session.failure(.get, server.url("/")) {
            $0.timeouts.connect = .milliseconds(200)
        }
        #expect(error.code == .timedOut)
        #expect(error.message.contains("could not connect"))
        #expect(after >= .milliseconds(195) && after < Self.soon)
    }

    @Test func aTLSUploadToAPeerThatClosesRaisesNoSignal() async throws {
        let authority = try TestCertificateAuthority(), directory = try TemporaryDirectory()
        try authority.certificate.writePEM(to: directory.file("roots.pem"))
        let session = URLSessionManager.direct {
            $0.transport.certificateAuthorities = .file(directory.file("roots.pem"))
        }
        for resets in [false, true] {
            let server = try LoopbackServer(tls: authority.issue()) { connection in
                _ = try connection.readHead()
                _ = try connection.readExactly(100_000)
                if resets { connection.reset() } else { try connection.close(notify: false) }
            }
            for _ in 0..<5 {
                let (error, after) = try await session.failure(
                    .post, server.url("/"), body: .stream(length: 1 << 28) { PatternReader(count: 1 << 28) })
                #expect(error.code == .connectionLost)
                #expect(after < .seconds(25))
            }
        }
    }
}
