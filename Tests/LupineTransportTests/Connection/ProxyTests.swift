import FoundationEssentials
import LupineCore
import LupineTesting
import LupineTransport
import Testing

/// Plain HTTP proxies: forwarding, tunnels, and what goes wrong on the way.
@Suite(.timeLimit(.minutes(2)))
struct ProxyTests {
    private func run(
        _ url: String, proxy: String, headers: HTTPHeaders = [:], configuration: TransportConfiguration = .init()
    ) async throws -> RecordingReceiver {
        var options = TransferOptions()
        options.route.proxy = .url(proxy)
        let transport = CurlTransport(configuration: configuration)
        let receiver = RecordingReceiver()
        transport.start(HTTPRequest(url: try HTTPURL(url), headers: headers, options: options), receiver: receiver)
        try await receiver.finish()
        #expect(receiver.violations.isEmpty)
        await transport.shutdown()
        return receiver
    }

    @Test func httpGoesInAbsoluteForm() async throws {
        let proxy = try LoopbackServer(handler: LoopbackServer.serving { .text("for \($0.target)") })
        let receiver = try await run("http://service.test/a?b", proxy: proxy.url(""))
        #expect(receiver.text == "for http://service.test/a?b")
        let request = try #require(proxy.requests.first)
        #expect(
            request.headText == """
                GET http://service.test/a?b HTTP/1.1\r\nHost: service.test\r\n\
                Accept-Encoding: gzip, deflate, br, zstd\r\n\r\n
                """)
    }

    @Test func httpsGoesThroughATunnelThatSeesNothing() async throws {
        let authority = try TestCertificateAuthority()
        let directory = try TemporaryDirectory()
        try authority.certificate.writePEM(to: directory.file("root.pem"))
        let tls = LoopbackTLS(certificate: try authority.issue(for: ["service.test"]))
        let proxy = try LoopbackServer { connection in
            guard try connection.readHead() != nil else { return }
            try connection.send("HTTP/1.1 200 Connection established\r\nX-Proxy: yes\r\n\r\n")
            try connection.startTLS(tls)
            while let request = try connection.readRequest() { try connection.send(.text("this is \(request.path)")) }
        }
        var configuration = TransportConfiguration()
        configuration.certificateAuthorities = .file(directory.file("root.pem"))
        let receiver = try await run(
            "https://service.test/x", proxy: proxy.url(""),
            headers: ["Authorization": "Bearer secret", "Cookie": "a=b"],
            configuration: configuration)
        #expect(receiver.code == nil, "\(receiver.completion?.error?.message ?? "")")
        #expect(receiver.text == "this is /x")
        #expect(receiver.order == ["head", "body", "finish"])
        #expect(receiver.head?.headers["X-Proxy"] == nil)
        let connect = try #require(proxy.requests.first)
        #expect(connect.method == .connect)
        #expect(connect.target == "service.test:443")
        #expect(!connect.headers.contains("Authorization") && !connect.headers.contains("Cookie"))
        #expect(proxy.requests.last?.headers["Authorization"] == "Bearer secret")
    }

    /// A proxy that is spoken to over TLS is vouched for as servers are: by the same authorities, and by no others.
    @Test(arguments: [true, false], ["http", "https"])
    func aProxyOverTLS(_ isTrusted: Bool, _ scheme: String) async throws {
        let authority = try TestCertificateAuthority()
        let directory = try TemporaryDirectory()
        let root = isTrusted ? authority.certificate : try TestCertificateAuthority().certificate
        try root.writePEM(to: directory.file("root.pem"))
        let proxy = try LoopbackServer(
            tls: authority.issue(),
            handler: LoopbackServer.serving { request in
                request.method == .connect ? .text("no", status: 403) : .text("for \(request.target)")
            })
        var configuration = TransportConfiguration()
        configuration.certificateAuthorities = .file(directory.file("root.pem"))
        let receiver = try await run("\(scheme)://service.test/x", proxy: proxy.url(""), configuration: configuration)
        #expect(receiver.text == (isTrusted && scheme == "http" ? "for http://service.test/x" : ""))
        #expect(receiver.code == (isTrusted && scheme == "http" ? nil : .proxyFailed))
        #expect(receiver.completion?.error?.host == (receiver.code == nil ? nil : "service.test"))
        #expect(proxy.requestCount == (isTrusted ? 1 : 0))
    }

    @Test(arguments: [
        "HTTP/1.1 403 Forbidden\r\nContent-Length: 2\r\n\r\nno", "HTTP/1.1 407 Auth\r\nContent-Length: 0\r\n\r\n",
        "HTTP/1.1 502 Bad Gateway\r\nConnection: close\r\n\r\n", "HTTP/1.1 302 Found\r\nLocation: http://x/\r\n\r\n",
        "", "HTTP/1.1 200", "garbage\r\n\r\n",
    ])
    func aTunnelThatIsRefusedIsTheProxysFailure(_ answer: String) async throws {
        let proxy = try LoopbackServer { connection in
            guard try connection.readHead() != nil else { return }
            try connection.send(answer)
        }
        let receiver = try await run("https://service.test/x", proxy: proxy.url(""), headers: ["Authorization": "x"])
        #expect(receiver.code == .proxyFailed, "\(receiver.completion?.error?.message ?? "")")
        #expect(receiver.completion?.delivery == .unsent)
        #expect(receiver.head == nil)
    }

    @Test func aProxyThatIsNotThereFails() async throws {
        let gone = try ClosedPort()
        for url in ["http://service.test/", "https://service.test/"] {
            #expect(try await run(url, proxy: "http://127.0.0.1:\(gone.port)").code == .proxyFailed)
            #expect(try await run(url, proxy: "http://proxy.invalid:3128").code == .proxyFailed)
            #expect(try await run(url, proxy: "socks5h://127.0.0.1:\(gone.port)").code == .proxyFailed)
        }
    }

    @Test func aSocksProxyThatSpeaksSomethingElseFails() async throws {
        let proxy = try LoopbackServer { connection in
            _ = try connection.read(upTo: 100)
            try connection.send("HTTP/1.1 400 Bad Request\r\n\r\n")
        }
        #expect(try await run("http://service.test/", proxy: "socks5h://127.0.0.1:\(proxy.port)").code == .proxyFailed)
    }

    /// SOCKS 4 is given addresses: a name that has none is no fault of the proxy's.
    @Test func aNameThatSocks4CannotBeGivenIsUnknown() async throws {
        let proxy = try LoopbackServer { _ in }
        let receiver = try await run("http://nothere.invalid/", proxy: "socks4://127.0.0.1:\(proxy.port)")
        #expect(receiver.code == .couldNotResolve)
        #expect(receiver.completion?.error?.host == "nothere.invalid")
    }

    @Test func aProxysOwnAnswerIsAnAnswer() async throws {
        let proxy = try LoopbackServer(handler: LoopbackServer.serving { _ in .text("no", status: 502) })
        let receiver = try await run("http://service.test/", proxy: proxy.url(""))
        #expect(receiver.code == nil)
        #expect(receiver.head?.status == 502)
    }

    @Test(arguments: ["nonsense://x", "http://"])
    func aProxyThatCannotBeReadIsRefused(_ proxy: String) async throws {
        let receiver = try await run("http://service.test/", proxy: proxy)
        #expect(receiver.code == .invalidRequest)
    }
}
