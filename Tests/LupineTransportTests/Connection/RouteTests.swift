import FoundationEssentials
import LupineCore
import LupineTesting
import LupineTransport
import Testing

/// Where connections go, and from where.
@Suite(.timeLimit(.minutes(2)))
struct RouteTests {
    private func server(on address: LoopbackServer.Address = .ipv4) throws -> LoopbackServer {
        try LoopbackServer(on: address, handler: LoopbackServer.serving { .text("this is \($0.path)") })
    }

    private func run(
        _ url: String, _ transport: CurlTransport = CurlTransport(),
        _ change: (inout ConnectionRoute) -> Void = { _ in }
    ) async throws -> RecordingReceiver {
        var options = TransferOptions()
        options.route.proxy = .none
        change(&options.route)
        let receiver = RecordingReceiver()
        transport.start(HTTPRequest(url: try HTTPURL(url), options: options), receiver: receiver)
        try await receiver.finish()
        #expect(receiver.violations.isEmpty)
        await transport.shutdown()
        return receiver
    }

    /// Names outside ASCII go by their A-labels (RFC 5891 section 4), whatever the process's locale.
    @Test(arguments: [
        ("bücher.test", "xn--bcher-kva.test"), ("日本.test", "xn--wgv71a.test"), ("STRASSE.test", "strasse.test"),
    ])
    func internationalNames(_ name: String, label: String) async throws {
        let server = try server()
        let receiver = try await run("http://\(name):\(server.port)/x") {
            $0.connectTo = [ConnectTo(toHost: "127.0.0.1", toPort: server.port)]
        }
        #expect(receiver.text == "this is /x")
        #expect(server.requests.last?.headers["Host"] == "\(label):\(server.port)")
    }

    @Test func anIPv6AddressNeedsNoBracketsToConnectTo() async throws {
        let server = try server(on: .ipv6)
        let receiver = try await run("http://a.test/x") {
            $0.connectTo = [ConnectTo(host: "a.test", toHost: "::1", toPort: server.port)]
        }
        #expect(receiver.text == "this is /x")
    }

    @Test func aMissingSocketIsNamed() async throws {
        let receiver = try await run("http://localhost/x") { $0.unixSocket = "/nowhere/x.sock" }
        #expect(receiver.code == .couldNotConnect)
        #expect(receiver.completion?.error?.message.contains("\"/nowhere/x.sock\"") == true)
    }

    /// Numbers that are none are brought within their bounds.
    @Test(arguments: [Int.max, Int.min, 0])
    func extremeNumbers(_ number: Int) async throws {
        let server = try server()
        var configuration = TransportConfiguration()
        configuration.maximumConnectionsPerHost = number
        configuration.maximumConnections = number
        configuration.receiveBufferSize = number
        configuration.maximumHeadSize = number == 0 ? 1000 : Int.max
        configuration.idleConnectionLifetime = .seconds(Int64(number))
        let receiver = try await run(server.url("/x"), CurlTransport(configuration: configuration))
        #expect(receiver.text == "this is /x")
    }

    @Test func resolveEntriesGoBeforeTheResolver() async throws {
        let server = try server()
        var configuration = TransportConfiguration()
        configuration.resolve = [
            ResolveEntry(host: "service.test", port: server.port, addresses: ["127.0.0.1"]),
            ResolveEntry(host: "six.test", port: server.port, addresses: ["::1", "127.0.0.1"]),
        ]
        for host in ["service.test", "six.test"] {
            let receiver = try await run("http://\(host):\(server.port)/x", CurlTransport(configuration: configuration))
            #expect(receiver.text == "this is /x")
            #expect(server.requests.last?.headers["Host"] == "\(host):\(server.port)")
        }
        #expect(try await run("http://service.test:\(server.port)/").code == .couldNotResolve, "nor for others")
    }

    @Test func connectToGoesElsewhere() async throws {
        let server = try server()
        for entry in [
            ConnectTo(toHost: "127.0.0.1", toPort: server.port),
            ConnectTo(host: "service.test", port: 80, toHost: "127.0.0.1", toPort: server.port),
            ConnectTo(host: "service.test", toHost: "localhost", toPort: server.port),
        ] {
            let receiver = try await run("http://service.test/x") { $0.connectTo = [entry] }
            #expect(receiver.text == "this is /x")
            #expect(server.requests.last?.headers["Host"] == "service.test")
        }
        // Not for another host, and not for the next request.
        let other = ConnectTo(host: "else.test", toHost: "127.0.0.1", toPort: server.port)
        #expect(try await run("http://service.invalid/") { $0.connectTo = [other] }.code == .couldNotResolve)
    }

    @Test func routesDoNotShareConnections() async throws {
        let first = try server(), second = try server()
        let transport = CurlTransport()
        for server in [first, second, first] {
            let receiver = RecordingReceiver()
            var options = TransferOptions()
            options.route.proxy = .none
            options.route.connectTo = [ConnectTo(toHost: "127.0.0.1", toPort: server.port)]
            transport.start(HTTPRequest(url: try HTTPURL("http://service.test/"), options: options), receiver: receiver)
            try await receiver.finish()
            #expect(receiver.completion?.metrics.remoteAddress?.port == server.port)
        }
        #expect(first.requestCount == 2)
        #expect(second.requestCount == 1)
        await transport.shutdown()
    }

    @Test func aUnixSocketIsConnectedTo() async throws {
        let directory = try TemporaryDirectory()
        let server = try server(on: .unix(directory.file("server")))
        let transport = CurlTransport()
        for index in 0..<5 {
            let receiver = try await transport.run(server, "/\(index)", host: "service.test") {
                $0.route.unixSocket = directory.file("server")
            }
            #expect(receiver.text == "this is /\(index)")
            #expect(receiver.completion?.metrics.isReusedConnection == (index > 0))
            #expect(receiver.completion?.metrics.remoteAddress == nil)
        }
        #expect(server.requests.last?.headers["Host"] == "service.test")
        #expect(server.connectionCount == 1)
        await transport.shutdown()
        let missing = try await run("http://service.test/") { $0.unixSocket = directory.file("nobody") }
        #expect(missing.code == .couldNotConnect)
    }

    /// A server whose port nobody else listens on in the other address family.
    private func aloneOnItsPort(_ address: LoopbackServer.Address) throws -> (LoopbackServer, HeldPort) {
        while true {
            let server = try server(on: address)
            if let held = HeldPort(server.port, ipv6: address == .ipv4) { return (server, held) }
        }
    }

    @Test func anAddressFamilyIsKeptTo() async throws {
        let (four, holdsFour) = try aloneOnItsPort(.ipv4), (six, holdsSix) = try aloneOnItsPort(.ipv6)
        defer { withExtendedLifetime((holdsFour, holdsSix)) {} }
        for (family, server, right) in [
            (AddressFamily.ipv4, four, true), (.ipv6, six, true), (.ipv4, six, false), (.ipv6, four, false),
            (.any, four, true), (.any, six, true),
        ] {
            let receiver = try await run("http://localhost:\(server.port)/x") { $0.addressFamily = family }
            if right {
                #expect(receiver.text == "this is /x")
            } else {
                #expect(receiver.code == .couldNotConnect)
            }
        }
        let literal = try await run(six.url()) { $0.addressFamily = .ipv4 }
        #expect([.couldNotResolve, .couldNotConnect].contains(literal.code))
    }

    @Test func anInterfaceIsSentFrom() async throws {
        let server = try server()
        for interface in ["lo", "127.0.0.5", "host!127.0.0.7", "if!lo"] {
            let receiver = try await run(server.url("/x")) { $0.interface = interface }
            #expect(receiver.text == "this is /x", "\(interface): \(receiver.completion?.error?.message ?? "")")
            if interface.contains("127") {
                #expect(interface.hasSuffix(receiver.completion?.metrics.localAddress?.ip ?? "none"))
            }
        }
        for interface in ["nosuchif0", "192.0.2.1"] {
            #expect(try await run(server.url("/x")) { $0.interface = interface }.code == .couldNotConnect)
        }
    }

    @Test func keepAliveProbesCanBeAsked() async throws {
        let server = try server()
        #expect(try await run(server.url("/x")) { $0.tcpKeepAlive = TCPKeepAlive() }.text == "this is /x")
    }

    @Test(arguments: ["http://127.0.0.1:0/", "http://0.0.0.0:1/", "http://[::]:1/"])
    func portsThatNobodyHas(_ url: String) async throws {
        let receiver = try await run(url)
        #expect([.couldNotConnect, .invalidURL].contains(receiver.code))
    }
}
