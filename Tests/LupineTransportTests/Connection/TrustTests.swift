import FoundationEssentials
import LupineCore
import LupineTesting
import LupineTransport
import Testing

/// TLS: whom a transport believes, and what a failure is called.
@Suite(.timeLimit(.minutes(2)))
struct TrustTests {
    private let directory: TemporaryDirectory
    private let authority: TestCertificateAuthority

    init() throws {
        directory = try TemporaryDirectory()
        authority = try TestCertificateAuthority()
        try authority.certificate.writePEM(to: directory.file("root.pem"))
    }

    private func run(
        _ tls: LoopbackTLS, trusting: CertificateAuthorities, host: String? = nil
    ) async throws -> RecordingReceiver {
        let server = try LoopbackServer(tls: tls, handler: LoopbackServer.routes(["/": .text("secret")]))
        var configuration = TransportConfiguration()
        configuration.certificateAuthorities = trusting
        let transport = CurlTransport(configuration: configuration)
        let receiver = try await transport.run(server, host: host)
        await transport.shutdown()
        try await server.waitForOpenConnections()
        #expect(receiver.code == nil || server.requestCount == 0, "nothing is sent to whom is not trusted")
        return receiver
    }

    private var own: [CertificateAuthorities] {
        [.file(directory.file("root.pem")), .systemAnd(directory.file("root.pem"))]
    }

    @Test func anOwnAuthorityIsTrusted() async throws {
        for authorities in own {
            for host in ["127.0.0.1", "localhost"] {
                let receiver = try await run(
                    LoopbackTLS(certificate: authority.issue()), trusting: authorities, host: host)
                #expect(receiver.code == nil, "\(receiver.completion?.error?.message ?? "")")
                #expect(receiver.text == "secret")
            }
        }
    }

    @Test func anIntermediateIsTrustedWhenSent() async throws {
        var tls = LoopbackTLS(certificate: try authority.makeIntermediate().issue())
        for authorities in own {
            tls.sendsIntermediates = true
            #expect(try await run(tls, trusting: authorities).code == nil)
            tls.sendsIntermediates = false
            #expect(try await run(tls, trusting: authorities).code == .trustRejected)
        }
    }

    @Test func anotherAuthorityIsNot() async throws {
        let stranger = LoopbackTLS(certificate: try TestCertificateAuthority().issue())
        for authorities in own + [.system] {
            let receiver = try await run(stranger, trusting: authorities)
            #expect(receiver.code == .trustRejected)
            #expect(receiver.completion?.delivery == .unsent)
        }
        #expect(try await run(LoopbackTLS(certificate: authority.issue()), trusting: .system).code == .trustRejected)
        #expect(try await run(LoopbackTLS(certificate: .selfSigned()), trusting: own[0]).code == .trustRejected)
    }

    @Test(arguments: [["other.example"], ["127.0.0.2"], ["*.example.com"], []])
    func aCertificateForAnotherHostIsNot(_ names: [String]) async throws {
        let tls = LoopbackTLS(certificate: try authority.issue(for: names, commonName: "other.example"))
        for authorities in own { #expect(try await run(tls, trusting: authorities).code == .trustRejected) }
    }

    /// Each says what to do: none tells a user to trust an authority that is trusted.
    @Test func theMessageSaysWhatToDo() async throws {
        let wrongHost = LoopbackTLS(certificate: try authority.issue(for: ["other.example"]))
        let expired = LoopbackTLS(certificate: try authority.issue(validity: .expired))
        let stranger = LoopbackTLS(certificate: try TestCertificateAuthority().issue())
        for authorities in own {
            for (tls, advice) in [
                (wrongHost, "is this the right host?"), (expired, "its owner must renew it"),
                (stranger, "give its file"),
            ] {
                let message = try await run(tls, trusting: authorities).completion?.error?.message ?? ""
                #expect(message.contains(advice), "\(message)")
            }
        }
    }

    /// RFC 9110 section 4.3.4: the subject's common name is no host.
    @Test func aCommonNameIsNoHost() async throws {
        let tls = LoopbackTLS(certificate: try authority.issue(for: ["other.example"], commonName: "localhost"))
        #expect(try await run(tls, trusting: own[0], host: "localhost").code == .trustRejected)
    }

    @Test(arguments: [TestCertificate.Validity.expired, .notYetValid])
    func outsideItsTimeIsNot(_ validity: TestCertificate.Validity) async throws {
        let tls = LoopbackTLS(certificate: try authority.issue(validity: validity))
        for authorities in own { #expect(try await run(tls, trusting: authorities).code == .trustRejected) }
    }

    @Test(arguments: [LoopbackTLS.HandshakeFault.close, .reset, .plaintext])
    func aHandshakeThatFailsIsTLSFailed(_ fault: LoopbackTLS.HandshakeFault) async throws {
        var tls = LoopbackTLS(certificate: try authority.issue())
        tls.handshakeFault = fault
        let receiver = try await run(tls, trusting: own[0])
        #expect(receiver.code == .tlsFailed)
        #expect(receiver.completion?.delivery == .unsent)
    }

    @Test func plainHTTPOnHTTPSIsTLSFailed() async throws {
        let server = try LoopbackServer { connection in
            _ = try connection.read(upTo: 1000)
            try connection.send("HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n")
        }
        let transport = CurlTransport()
        let receiver = RecordingReceiver()
        var options = TransferOptions()
        options.route.proxy = .none
        transport.start(
            HTTPRequest(url: try HTTPURL("https://127.0.0.1:\(server.port)/"), options: options), receiver: receiver)
        try await receiver.finish()
        #expect(receiver.code == .tlsFailed)
        await transport.shutdown()
    }

    @Test func httpsToAPlainPortOfTLSIsNoAnswer() async throws {
        let server = try LoopbackServer(tls: authority.issue()) { _ in }
        let transport = CurlTransport()
        let receiver = RecordingReceiver()
        transport.start(HTTPRequest(url: try HTTPURL("http://127.0.0.1:\(server.port)/")), receiver: receiver)
        try await receiver.finish()
        #expect([.badResponse, .connectionLost].contains(receiver.code))
        await transport.shutdown()
    }

    @Test func aFileOfAuthoritiesThatIsMissingIsTLSFailed() async throws {
        for authorities in [CertificateAuthorities.file("/nowhere/roots.pem"), .systemAnd("/nowhere/roots.pem")] {
            let receiver = try await run(LoopbackTLS(certificate: authority.issue()), trusting: authorities)
            #expect(receiver.code == .tlsFailed)
            let message = receiver.completion?.error?.message ?? ""
            #expect(message.contains(#""/nowhere/roots.pem""#), "\(message)")
        }
    }

    @Test func aClientWithoutACertificateIsRefused() async throws {
        var tls = LoopbackTLS(certificate: try authority.issue())
        tls.clientCertificate = .required
        for versions in [TLSVersion.tls12 ... .tls12, .tls13 ... .tls13] {
            tls.versions = versions
            let receiver = try await run(tls, trusting: own[0])
            #expect([.tlsFailed, .connectionLost].contains(receiver.code))
        }
    }

    /// No SIGPIPE, which would end this process.
    @Test func anUploadToAPeerThatClosesIsLost() async throws {
        let server = try LoopbackServer(tls: authority.issue()) { connection in
            _ = try connection.readHead()
            _ = try connection.readExactly(100_000)
            connection.reset()
        }
        var configuration = TransportConfiguration()
        configuration.certificateAuthorities = own[0]
        let transport = CurlTransport(configuration: configuration)
        for _ in 0..<5 {
            let receiver = try await transport.run(server, method: .post, body: .bytes(Data(count: 8 << 20)))
            #expect(receiver.code == .connectionLost)
            #expect(receiver.completion?.delivery == .unanswered)
        }
        await transport.shutdown()
    }
}
