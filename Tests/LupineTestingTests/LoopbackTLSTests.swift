import LupineCore
import LupineTesting
import Testing

@Suite(.timeLimit(.minutes(2)))
struct LoopbackTLSTests {
    private let directory: TemporaryDirectory
    private let authority: TestCertificateAuthority
    private let roots: String

    init() throws {
        directory = try TemporaryDirectory()
        authority = try TestCertificateAuthority()
        roots = directory.file("roots.pem")
        try authority.certificate.writePEM(to: roots)
    }

    private func connect(
        _ server: LoopbackServer, host: String? = "localhost", trusting roots: String? = nil,
        _ change: (inout RawClient.TLSOptions) -> Void = { _ in }
    ) throws -> RawClient {
        var options = RawClient.TLSOptions(trusted: roots ?? self.roots, host: host)
        change(&options)
        let client = try RawClient(server)
        try client.startTLS(options)
        return client
    }

    @Test(arguments: [TLSVersion.tls12, .tls13])
    func servesOverTLS(_ version: TLSVersion) async throws {
        let server = try LoopbackServer(tls: authority.issue()) { connection in
            while let request = try connection.readRequest() {
                let tls = connection.tls
                try connection.send(.text("\(tls?.version as Any) \(tls?.serverName ?? "-") \(request.text)\n"))
            }
        }
        #expect(server.url("/") == "https://127.0.0.1:\(server.port)/")
        let client = try connect(server) { $0.maximumVersion = version }
        let body = String(repeating: "0123456789", count: 20_000)
        try client.send("POST / HTTP/1.1\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)")
        #expect(try client.receive(until: "\n").isEmpty == false)
        client.closeWrite()
        let answer = try client.receiveAll()
        #expect(answer.contains("localhost \(body)"))
        #expect(answer.contains("\(version)"))
        #expect(server.requests.map(\.text) == [body])
        try await server.waitForOpenConnections()
        #expect(server.failures.isEmpty)
        #expect(server.handshakeFailures.isEmpty)
    }

    @Test func sendsTheIntermediates() throws {
        let leaf = try authority.makeIntermediate().makeIntermediate(commonName: "Second").issue()
        #expect(leaf.intermediates.map(\.commonName) == ["Second", "Lupine Test Intermediate"])
        let whole = try LoopbackServer(tls: leaf, handler: LoopbackServer.echo)
        _ = try connect(whole)
        var tls = LoopbackTLS(certificate: leaf)
        tls.sendsIntermediates = false
        let broken = try LoopbackServer(tls: tls, handler: LoopbackServer.echo)
        let failure = #expect(throws: RawClient.Failure.self) { try connect(broken) }
        #expect(failure?.description.contains("issuer") == true)
    }

    @Test func clientsSeeWhatIsWrongWithACertificate() async throws {
        func complaint(_ certificate: TestCertificate, host: String = "localhost") async throws -> String {
            let server = try LoopbackServer(tls: certificate, handler: LoopbackServer.echo)
            let failure = #expect(throws: RawClient.Failure.self) { try connect(server, host: host) }
            try await server.waitForHandshakeFailures()
            #expect(server.failures.isEmpty)
            #expect(server.requests.isEmpty)
            return failure?.description ?? ""
        }
        #expect(try await complaint(authority.issue(validity: .expired)).contains("expired"))
        #expect(try await complaint(authority.issue(validity: .notYetValid)).contains("not yet valid"))
        #expect(try await complaint(authority.issue(for: ["example.com"])).lowercased().contains("hostname mismatch"))
        #expect(try await complaint(.selfSigned()).contains("self"))
        #expect(try await complaint(TestCertificateAuthority().issue()).contains("issuer"))
    }

    @Test func choosesHTTP11() throws {
        let server = try LoopbackServer(tls: authority.issue()) { connection in
            try connection.send(connection.tls?.applicationProtocol ?? "none")
        }
        let both = try connect(server) { $0.protocols = ["h2", "http/1.1"] }
        #expect(both.chosenProtocol == "http/1.1")
        #expect(try both.receiveAll() == "http/1.1")
        let other = try connect(server) { $0.protocols = ["h2"] }
        #expect(other.chosenProtocol == nil)
        #expect(try other.receiveAll() == "none")
    }

    @Test(arguments: [TLSVersion.tls12, .tls13])
    func asksForAClientCertificate(_ version: TLSVersion) throws {
        let identity = try authority.issue(for: ["client"])
        try identity.writePEM(to: directory.file("client.pem"))
        try identity.writeKeyPEM(to: directory.file("client-key.pem"))
        let files = (certificate: directory.file("client.pem"), key: directory.file("client-key.pem"))
        var tls = LoopbackTLS(certificate: try authority.issue())
        tls.clientCertificate = .requested
        let server = try LoopbackServer(tls: tls) { connection in
            let shown = connection.tls?.clientCertificate
            try connection.send(shown == nil ? "nobody" : shown == identity.der ? "client" : "another")
        }
        let client = try connect(server) {
            $0.identity = files
            $0.maximumVersion = version
        }
        #expect(try client.receiveAll() == "client")
        #expect(try connect(server) { $0.maximumVersion = version }.receiveAll() == "nobody")
    }

    @Test func refusesAClientWithoutACertificate() async throws {
        var tls = LoopbackTLS(certificate: try authority.issue())
        tls.clientCertificate = .required
        let server = try LoopbackServer(tls: tls) { try $0.send("served") }
        #expect(throws: RawClient.Failure.self) {
            // Over TLS 1.3 the client's own handshake is over before the alert comes.
            try connect(server).receiveAll()
        }
        try await server.waitForHandshakeFailures()
    }

    @Test(arguments: [LoopbackTLS.HandshakeFault.close, .reset, .plaintext])
    func failsTheHandshake(_ fault: LoopbackTLS.HandshakeFault) async throws {
        var tls = LoopbackTLS(certificate: try authority.issue())
        tls.handshakeFault = fault
        let server = try LoopbackServer(tls: tls) { try $0.send("served") }
        #expect(throws: RawClient.Failure.self) { try connect(server) }
        try await server.waitForOpenConnections()
        #expect(server.connectionCount == 1)
        #expect(server.failures.isEmpty)
    }

    @Test func aTruncationIsToldFromAnEnd() throws {
        let server = try LoopbackServer(tls: authority.issue()) { connection in
            try connection.send("part")
            try connection.close(notify: connection.index == 0)
        }
        #expect(try connect(server).receiveAll() == "part")
        #expect(throws: RawClient.Failure.self) { try connect(server).receiveAll() }
    }

    @Test func halfClosesResetsAndStalls() async throws {
        let server = try LoopbackServer(tls: authority.issue()) { connection in
            try connection.send("over")
            try connection.halfClose()
            let rest = try connection.readToEnd()
            if rest.isEmpty { try connection.stall() } else { connection.reset() }
        }
        let first = try connect(server)
        #expect(try first.receiveAll() == "over")
        first.closeWrite()
        let second = try connect(server)
        #expect(try second.receiveAll() == "over")
        try second.send("rest")
        second.closeWrite()
        try await server.waitForOpenConnections()
        #expect(server.failures.isEmpty)
    }

    @Test func goesOverToTLSLikeAProxy() async throws {
        let certificate = try authority.issue(for: ["origin.test"])
        let server = try LoopbackServer { connection in
            guard let request = try connection.readRequest(), request.method == .connect else { return }
            #expect(connection.tls == nil)
            try connection.sendHead()
            try connection.startTLS(LoopbackTLS(certificate: certificate))
            #expect(connection.tls?.serverName == "origin.test")
            try connection.serve { .text("from \($0.target)") }
        }
        let client = try RawClient(server)
        let answer = try client.exchange("CONNECT origin.test:443 HTTP/1.1\r\n\r\n", until: "\r\n\r\n")
        #expect(answer == "HTTP/1.1 200 OK\r\n\r\n")
        try client.startTLS(RawClient.TLSOptions(trusted: roots, host: "origin.test"))
        #expect(try client.exchange("GET /x HTTP/1.1\r\n\r\n", until: "from /x").hasPrefix("HTTP/1.1 200"))
        #expect(server.requests.map(\.target) == ["origin.test:443", "/x"])
        server.stop()
        #expect(server.failures.isEmpty)
    }

    @Test func servesManyAtOnce() async throws {
        let server = try LoopbackServer(tls: authority.issue(), handler: LoopbackServer.echo)
        let clients = try (0..<50).map { _ in try connect(server) }
        for client in clients { try client.send("GET /x HTTP/1.1\r\n\r\n") }
        for client in clients { #expect(try client.receive(until: "}\n").contains(#""target": "/x""#)) }
        #expect(server.openConnectionCount == 50)
    }
}
