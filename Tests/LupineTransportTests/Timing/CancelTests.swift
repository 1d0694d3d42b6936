import FoundationEssentials
import LupineCore
import LupineTesting
import LupineTransport
import Testing

/// Cancelling, wherever an exchange is: it ends once, with `cancelled`, and its place and its connection are free.
@Suite(.timeLimit(.minutes(2)))
struct CancelTests {
    private func limited(_ count: Int) -> CurlTransport {
        var configuration = TransportConfiguration()
        configuration.maximumConnectionsPerHost = count
        return .alone(configuration)
    }

    private func expectCancelled(_ receiver: RecordingReceiver, _ delivery: RequestDelivery) async throws {
        let completion = try await receiver.finish()
        #expect(completion.error?.code == .cancelled)
        #expect(completion.delivery == delivery)
        #expect(receiver.violations.isEmpty)
    }

    private func afterwards(_ transport: CurlTransport, _ server: LoopbackServer) async throws {
        try await server.waitForOpenConnections()
        try await transport.expectUnharmed(server)
        await transport.shutdown()
    }

    /// A server that waits before it reads where its path says so.
    private func server(_ script: @escaping LoopbackServer.Handler) throws -> LoopbackServer {
        try LoopbackServer { connection in
            if connection.index == 0 { return try script(connection) }
            try connection.serve { .text("this is \($0.path)") }
        }
    }

    @Test func beforeTheLoopHasSeenIt() async throws {
        let loop = EventLoop()
        let transport = CurlTransport(eventLoop: loop)
        let server = try LoopbackServer(handler: LoopbackServer.serving { .text("this is \($0.path)") })
        let held = Gate()
        // The loop is kept busy until both are asked for.
        let blocker = Blocker()
        loop.execute { blocker.block { held.open() } }
        try await held.opened()
        let (receiver, control) = try transport.begin(server)
        control.cancel()
        blocker.release()
        try await expectCancelled(receiver, .unsent)
        #expect(server.connectionCount == 0)
        try await transport.expectUnharmed(server)
        await transport.shutdown()
    }

    @Test func waitingInTheQueue() async throws {
        let transport = limited(1)
        let gate = Gate()
        let server = try LoopbackServer { connection in
            while let request = try connection.readRequest() {
                if request.path == "/first" { try connection.wait(gate) }
                try connection.send(.text("this is \(request.path)"))
            }
        }
        let first = try transport.begin(server, "/first").receiver
        let waiting = try (0..<10).map { try transport.begin(server, "/\($0)") }
        try await server.waitForRequests(1)
        for index in stride(from: 0, to: 10, by: 2) { waiting[index].control.cancel() }
        for index in stride(from: 0, to: 10, by: 2) { try await expectCancelled(waiting[index].receiver, .unsent) }
        gate.open()
        try await first.finish()
        for index in stride(from: 1, to: 10, by: 2) {
            try await waiting[index].receiver.finish()
            #expect(waiting[index].receiver.text == "this is /\(index)")
        }
        #expect(server.requests.map(\.path) == ["/first", "/1", "/3", "/5", "/7", "/9"])
        await transport.shutdown()
    }

    @Test func connecting() async throws {
        let listener = try FullListener()
        let transport = limited(1)
        var options = TransferOptions()
        options.route.proxy = .none
        let request = HTTPRequest(url: try HTTPURL("http://127.0.0.1:\(listener.port)/"), options: options)
        // The second has the place of the first only when that is free.
        for _ in 0..<3 {
            let receiver = RecordingReceiver()
            let control = transport.start(request, receiver: receiver)
            let gate = Gate()
            transport.eventLoop.execute { gate.open() }
            try await gate.opened()
            control.cancel()
            try await expectCancelled(receiver, .unsent)
        }
        await transport.shutdown()
    }

    @Test func inTheHandshake() async throws {
        var tls = LoopbackTLS(certificate: try .selfSigned())
        tls.handshakeFault = .stall
        let server = try LoopbackServer(tls: tls) { _ in }
        let transport = limited(1)
        let (receiver, control) = try transport.begin(server)
        try await server.waitForConnections(1)
        control.cancel()
        try await expectCancelled(receiver, .unsent)
        try await server.waitForOpenConnections()
        await transport.shutdown()
    }

    @Test func sendingTheBody() async throws {
        let gate = Gate()
        let server = try server { connection in
            _ = try connection.readHead()
            try connection.wait(gate)
            // What the system had taken over still comes.
            while try !connection.read(upTo: 1 << 16).isEmpty {}
        }
        let transport = limited(1)
        let (receiver, control) = try transport.begin(
            server, method: .post, body: .bytes(Data(count: 64 << 20)))
        try await server.waitForRequests(1)
        control.cancel()
        try await expectCancelled(receiver, .unanswered)
        gate.open()
        try await afterwards(transport, server)
    }

    /// The source is let go, though it was waiting.
    @Test func waitingForTheBodysSource() async throws {
        let server = try server { _ = try $0.readRequest() }
        let transport = limited(1)
        let closed = Gate()
        let (receiver, control) = try transport.begin(
            server, method: .post, body: .stream { StuckReader(closed: closed) })
        try await server.waitForConnections(1)
        control.cancel()
        let completion = try await receiver.finish()
        #expect(completion.error?.code == .cancelled)
        if receiver.completion?.delivery != .unsent { try await closed.opened() }
        try await server.waitForOpenConnections()
        await transport.shutdown()
    }

    @Test func waitingForTheHead() async throws {
        let server = try server { connection in
            _ = try connection.readRequest()
            try connection.stall()
        }
        let transport = limited(1)
        let (receiver, control) = try transport.begin(server)
        try await server.waitForRequests(1)
        control.cancel()
        try await expectCancelled(receiver, .unanswered)
        try await afterwards(transport, server)
    }

    @Test(arguments: [false, true])
    func inTheBody(_ isPaused: Bool) async throws {
        let server = try server { connection in
            _ = try connection.readRequest()
            try connection.sendHead(headers: ["Content-Length": "1000000000000"])
            while true { try connection.send([UInt8](repeating: 1, count: 100_000)) }
        }
        let transport = limited(1)
        let receiver = RecordingReceiver(keepsBody: false) { $0 > 3 && isPaused ? .pause : .proceed }
        let (_, control) = try transport.begin(server, receiver: receiver)
        try await receiver.waitForBodyPieces(4)
        control.cancel()
        try await expectCancelled(receiver, .answered)
        try await afterwards(transport, server)
    }

    /// Decoded bytes are held back, and libcurl is done.
    @Test func pausedWithBytesLeftOver() async throws {
        let body = Coded.gzip([UInt8](repeating: 7, count: 300_000))
        let server = try LoopbackServer(
            handler: LoopbackServer.serving {
                $0.path == "/next" ? .text("this is /next") : DecodingTests.answer("gzip", body: body)
            })
        let transport = limited(1)
        let receiver = RecordingReceiver { _ in .pause }
        let (_, control) = try transport.begin(server, receiver: receiver)
        try await receiver.waitForBodyPieces(1)
        control.cancel()
        control.resume()
        try await expectCancelled(receiver, .answered)
        #expect(receiver.bodyPieceCount == 1)
        try await transport.expectUnharmed(server)
        await transport.shutdown()
    }

    @Test func afterTheEndIsNothing() async throws {
        let server = try LoopbackServer(handler: LoopbackServer.serving { .text("this is \($0.path)") })
        let transport = limited(1)
        let (receiver, control) = try transport.begin(server, "/next")
        try await receiver.finish()
        for _ in 0..<3 {
            control.cancel()
            control.pause()
            control.resume()
        }
        try await transport.expectUnharmed(server)
        #expect(receiver.code == nil)
        #expect(receiver.violations.isEmpty)
        #expect(server.connectionCount == 1)
        await transport.shutdown()
    }

    /// From many threads at once, at any moment.
    @Test func atAnyMomentFromAnywhere() async throws {
        let server = try LoopbackServer(recordsTraffic: false, handler: LoopbackServer.serving { _ in .text("ok") })
        let transport = CurlTransport()
        let receivers = try await withThrowingTaskGroup(of: RecordingReceiver.self) { group in
            for index in 0..<400 {
                group.addTask {
                    let (receiver, control) = try transport.begin(server)
                    for _ in 0..<(index % 20) { await Task.yield() }
                    control.pause()
                    control.resume()
                    control.cancel()
                    try await receiver.finish()
                    return receiver
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        for receiver in receivers {
            #expect(receiver.code == nil || receiver.code == .cancelled)
            #expect(receiver.violations.isEmpty)
        }
        let last = try await transport.run(server)
        #expect(last.text == "ok")
        await transport.shutdown()
        try await server.waitForOpenConnections()
    }
}
