import FoundationEssentials
import LupineCore
import LupineTesting
import LupineTransport
import Testing

/// Connections: kept, counted, given in turn, given up.
@Suite(.timeLimit(.minutes(2)))
struct ReuseTests {
    private func server(_ gate: Gate? = nil) throws -> LoopbackServer {
        try LoopbackServer { connection in
            while let request = try connection.readRequest() {
                if let gate, request.path.hasPrefix("/wait") { try connection.wait(gate) }
                try connection.send(.text("this is \(request.path)"))
            }
        }
    }

    private func transport(perHost: Int = 6, total: Int? = nil) -> CurlTransport {
        var configuration = TransportConfiguration()
        configuration.maximumConnectionsPerHost = perHost
        configuration.maximumConnections = total
        return CurlTransport(configuration: configuration)
    }

    @Test func aConnectionIsUsedAgain() async throws {
        let server = try server()
        let transport = transport()
        for index in 0..<30 {
            let receiver = try await transport.run(server, "/\(index)")
            #expect(receiver.completion?.metrics.isReusedConnection == (index > 0))
            #expect(receiver.completion?.metrics.remoteAddress == SocketAddress(ip: "127.0.0.1", port: server.port))
            #expect(receiver.completion?.metrics.httpVersion == .http1_1)
        }
        #expect(server.connectionCount == 1)
        await transport.shutdown()
        try await server.waitForOpenConnections()
    }

    /// A slow first answer holds up nobody while there are connections to be had, in the clear and over TLS.
    @Test(arguments: [false, true])
    func aSlowFirstAnswerHoldsUpNobody(_ isSecure: Bool) async throws {
        let gate = Gate()
        let script: LoopbackServer.Handler = { connection in
            while let request = try connection.readRequest() {
                if request.path == "/wait" { try connection.wait(gate) }
                try connection.send(.text("this is \(request.path)"))
            }
        }
        let authority = try TestCertificateAuthority()
        let directory = try TemporaryDirectory()
        try authority.certificate.writePEM(to: directory.file("root.pem"))
        let server =
            isSecure ? try LoopbackServer(tls: authority.issue(), handler: script) : try LoopbackServer(handler: script)
        var configuration = TransportConfiguration()
        configuration.certificateAuthorities = .file(directory.file("root.pem"))
        let transport = CurlTransport(configuration: configuration)
        let slow = try transport.begin(server, "/wait").receiver
        let others = try (0..<5).map { try transport.begin(server, "/\($0)").receiver }
        for (index, receiver) in others.enumerated() {
            try await receiver.finish()
            #expect(receiver.text == "this is /\(index)")
        }
        #expect(slow.completion == nil)
        gate.open()
        try await slow.finish()
        #expect(slow.text == "this is /wait")
        await transport.shutdown()
    }

    @Test(arguments: [1, 3, 6])
    func aHostGetsItsLimit(_ limit: Int) async throws {
        let gate = Gate()
        let server = try server(gate)
        let transport = transport(perHost: limit)
        let receivers = try (0..<20).map { try transport.begin(server, "/wait/\($0)").receiver }
        try await server.waitForRequests(limit)
        let elsewhere = try self.server()
        try await transport.expectUnharmed(elsewhere)
        #expect(server.requestCount == limit)
        gate.open()
        for receiver in receivers {
            try await receiver.finish()
            #expect(receiver.code == nil)
        }
        #expect(server.connectionCount == limit)
        await transport.shutdown()
    }

    @Test func allHostsGetTheTotal() async throws {
        let gate = Gate()
        let servers = try (0..<3).map { _ in try server(gate) }
        let transport = transport(total: 4)
        let receivers = try (0..<12).map { try transport.begin(servers[$0 % 3], "/wait/\($0)").receiver }
        for (server, count) in zip(servers, [2, 1, 1]) { try await server.waitForRequests(count) }
        let settled = Gate()
        transport.eventLoop.execute { settled.open() }
        try await settled.opened()
        #expect(servers.map(\.requestCount).reduce(0, +) == 4)
        gate.open()
        for receiver in receivers {
            try await receiver.finish()
            #expect(receiver.code == nil)
        }
        await transport.shutdown()
    }

    @Test func priorityGoesFirst() async throws {
        let gate = Gate()
        let server = try server(gate)
        let transport = transport(perHost: 1)
        let first = try transport.begin(server, "/wait").receiver
        try await server.waitForRequests(1)
        let receivers = try [("/low", 0.1), ("/b", 0.5), ("/high", 1), ("/c", 0.5), ("/d", 0.5)].map { path, priority in
            try transport.begin(server, path) { $0.priority = Float(priority) }.receiver
        }
        gate.open()
        for receiver in [first] + receivers { try await receiver.finish() }
        #expect(server.requests.map(\.path) == ["/wait", "/high", "/b", "/c", "/d", "/low"])
        await transport.shutdown()
    }

    /// A crowd for one host does not keep another host waiting.
    @Test func hostsTakeTurns() async throws {
        let gate = Gate()
        let crowded = try server(gate), quiet = try server()
        let transport = transport(perHost: 1, total: 1)
        let order = Lock<[String]>([])
        func begin(_ server: LoopbackServer, _ path: String, _ name: String) throws -> RecordingReceiver {
            let receiver = RecordingReceiver { _ in
                order.withLock { $0.append(name) }
                return .proceed
            }
            return try transport.begin(server, path, receiver: receiver).receiver
        }
        var receivers = [try begin(crowded, "/wait", "first")]
        try await crowded.waitForRequests(1)
        for index in 0..<20 { receivers.append(try begin(crowded, "/\(index)", "crowd")) }
        for index in 0..<3 { receivers.append(try begin(quiet, "/\(index)", "quiet")) }
        gate.open()
        for receiver in receivers { try await receiver.finish() }
        let names = order.withLock { $0 }
        let last = try #require(names.lastIndex(of: "quiet"))
        #expect(last <= 7, "\(names)")
        await transport.shutdown()
    }

    @Test func aLimitOfManyIsKeptOverSeveralMultiHandles() async throws {
        let gate = Gate()
        let server = try server(gate)
        let transport = transport(perHost: 600)
        let receivers = try (0..<400).map { try transport.begin(server, "/wait/\($0)").receiver }
        try await server.waitForRequests(400)
        #expect(server.connectionCount == 400)
        gate.open()
        for (index, receiver) in receivers.enumerated() {
            try await receiver.finish()
            #expect(receiver.text == "this is /wait/\(index)")
        }
        await transport.shutdown()
        try await server.waitForOpenConnections()
    }

    @Test func unusedConnectionsAreGivenUp() async throws {
        let server = try server()
        var configuration = TransportConfiguration()
        configuration.idleConnectionLifetime = .seconds(1)
        let transport = CurlTransport(configuration: configuration)
        try await transport.expectUnharmed(server)
        try await server.waitForOpenConnections()
        #expect(server.connectionCount == 1)
        try await transport.expectUnharmed(server)
        #expect(server.connectionCount == 2)
        await transport.shutdown()
    }

    @Test func aClosedPortIsToldAtOnce() async throws {
        let closed = try ClosedPort()
        let transport = CurlTransport.alone()
        let clock = ContinuousClock(), start = clock.now
        for _ in 0..<10 {
            let receiver = RecordingReceiver()
            var options = TransferOptions()
            options.route.proxy = .none
            let url = try HTTPURL("http://127.0.0.1:\(closed.port)/")
            transport.start(HTTPRequest(url: url, options: options), receiver: receiver)
            try await receiver.finish()
            #expect(receiver.code == .couldNotConnect)
            #expect(receiver.completion?.delivery == .unsent)
            #expect(receiver.completion?.error?.host == "127.0.0.1")
        }
        // Each within 100 ms, ten times over for a machine that is busy.
        #expect(start.duration(to: clock.now) < .seconds(25))
        await transport.shutdown()
    }

    @Test func aNameWithoutAnAddressIsTold() async throws {
        let transport = transport()
        let receiver = RecordingReceiver()
        var options = TransferOptions()
        options.route.proxy = .none
        transport.start(HTTPRequest(url: try HTTPURL("http://nowhere.invalid/"), options: options), receiver: receiver)
        try await receiver.finish()
        #expect(receiver.code == .couldNotResolve)
        #expect(receiver.completion?.delivery == .unsent)
        await transport.shutdown()
    }
}
