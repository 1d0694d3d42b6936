import FoundationEssentials
import LupineCore
import LupineTesting
import LupineTransport
import Testing

/// The four limits of time: each ends what it is for, and says which it was.
@Suite(.timeLimit(.minutes(2)))
struct TimeoutTests {
    /// Runs one exchange that must end by a limit, well before anybody's default.
    private func expectLimit(
        _ words: String, _ server: LoopbackServer, on transport: CurlTransport = CurlTransport.alone(),
        path: String = "/",
        method: HTTPMethod = .get, body: HTTPBody = .empty, delivery: RequestDelivery? = nil,
        options: (inout TransferOptions) -> Void
    ) async throws {
        let clock = ContinuousClock(), start = clock.now
        let receiver = try await transport.run(server, path, method: method, body: body, options: options)
        let error = try #require(receiver.completion?.error)
        #expect(error.code == .timedOut)
        #expect(error.message.contains(words), "\(error.message)")
        #expect(start.duration(to: clock.now) < .seconds(25))
        if let delivery { #expect(receiver.completion?.delivery == delivery) }
        await transport.shutdown()
        try await server.waitForOpenConnections()
    }

    @Test func idleBeforeTheHead() async throws {
        try await expectLimit("no byte for 50 ms", LoopbackServer { try $0.stall() }, delivery: .unanswered) {
            $0.timeouts.idle = .milliseconds(50)
        }
    }

    @Test(arguments: ["HTTP/1.1 2", "HTTP/1.1 200 OK\r\n", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhe"])
    func idleWithinTheAnswer(_ start: String) async throws {
        let server = try LoopbackServer { connection in
            _ = try connection.readRequest()
            try connection.send(start)
            try connection.stall()
        }
        try await expectLimit("no byte for 200 ms", server) { $0.timeouts.idle = .milliseconds(200) }
    }

    /// Each byte by itself, also those within a line: the whole takes longer than the limit, no pause does.
    @Test(arguments: [false, true])
    func aDripIsNotIdle(isSecure: Bool) async throws {
        let directory = try TemporaryDirectory(), authority = try TestCertificateAuthority()
        let answer: @Sendable (LoopbackConnection) throws -> Void = { connection in
            _ = try connection.readRequest()
            try connection.drip(
                "HTTP/1.1 200 A long reason phrase\r\nContent-Length: 5\r\n\r\nhello", each: .milliseconds(100))
        }
        let server =
            try isSecure ? LoopbackServer(tls: authority.issue(), handler: answer) : LoopbackServer(handler: answer)
        var configuration = TransportConfiguration()
        configuration.certificateAuthorities = .file(directory.file("root.pem"))
        try authority.certificate.writePEM(to: directory.file("root.pem"))
        let transport = CurlTransport.alone(configuration)
        let receiver = try await transport.run(server) { $0.timeouts.idle = .seconds(4) }
        #expect(receiver.code == nil)
        #expect(receiver.text == "hello")
        await transport.shutdown()
    }

    @Test func anUploadThatNobodyReadsIsIdle() async throws {
        let server = try LoopbackServer { connection in
            _ = try connection.readHead()
            try connection.delay(.seconds(3))
            // What the system had taken over still comes.
            while try !connection.read(upTo: 1 << 16).isEmpty {}
        }
        let body = HTTPBody.bytes(Data(count: 64 << 20))
        try await expectLimit("took no byte for 300 ms", server, method: .put, body: body) {
            $0.timeouts.idle = .milliseconds(300)
        }
    }

    /// A source that gives nothing leaves the connection as silent.
    @Test func anUploadWithoutASourceIsIdle() async throws {
        let server = try LoopbackServer { _ = try $0.readRequest() }
        let body = HTTPBody.stream { StuckReader() }
        try await expectLimit("source gave no byte for 200 ms", server, method: .put, body: body) {
            $0.timeouts.idle = .milliseconds(200)
        }
    }

    @Test func totalCoversTheBody() async throws {
        let server = try LoopbackServer { connection in
            _ = try connection.readRequest()
            try connection.sendHead(headers: ["Content-Length": "1000000"])
            try connection.drip([UInt8](repeating: 0x78, count: 1_000_000), each: .milliseconds(10))
        }
        try await expectLimit("within 3 s in all", server, delivery: .answered) {
            $0.timeouts.total = .seconds(3)
        }
    }

    @Test func totalCoversTheWaitForAConnection() async throws {
        var configuration = TransportConfiguration()
        configuration.maximumConnectionsPerHost = 1
        let transport = CurlTransport.alone(configuration)
        let server = try LoopbackServer { try $0.stall() }
        let (_, first) = try transport.begin(server)
        try await server.waitForConnections(1)
        try await expectLimit("in all", server, on: transport, delivery: .unsent) {
            $0.timeouts.total = .milliseconds(50)
        }
        first.cancel()
        #expect(server.connectionCount == 1)
    }

    @Test func poolIsTheWaitForAConnection() async throws {
        var configuration = TransportConfiguration()
        configuration.maximumConnectionsPerHost = 1
        let transport = CurlTransport.alone(configuration)
        let server = try LoopbackServer { try $0.stall() }
        try transport.begin(server)
        try await server.waitForConnections(1)
        try await expectLimit(
            "no connection to 127.0.0.1 was free within 50 ms", server, on: transport, delivery: .unsent
        ) {
            $0.timeouts.pool = .milliseconds(50)
        }
        #expect(server.connectionCount == 1)
    }

    @Test func poolDoesNotRunOnAConnection() async throws {
        let server = try LoopbackServer { connection in
            _ = try connection.readRequest()
            try connection.delay(.milliseconds(300))
            try connection.send(.text("late"))
        }
        let transport = CurlTransport.alone()
        let receiver = try await transport.run(server) { $0.timeouts.pool = .milliseconds(50) }
        #expect(receiver.text == "late")
        await transport.shutdown()
    }

    @Test func connectIsTheWayToTheConnection() async throws {
        let listener = try FullListener()
        let transport = CurlTransport.alone()
        for milliseconds in [50, 300] {
            var options = TransferOptions()
            options.route.proxy = .none
            options.timeouts.connect = .milliseconds(milliseconds)
            let receiver = RecordingReceiver()
            transport.start(
                HTTPRequest(url: try HTTPURL("http://127.0.0.1:\(listener.port)/"), options: options),
                receiver: receiver)
            let completion = try await receiver.finish(within: .seconds(15))
            #expect(completion.error?.code == .timedOut)
            #expect(completion.error?.message.contains("could not connect") == true)
            #expect(completion.error?.message.contains("within \(milliseconds) ms") == true)
            #expect(completion.delivery == .unsent)
        }
        await transport.shutdown()
    }

    @Test func connectCoversTheHandshake() async throws {
        var tls = LoopbackTLS(certificate: try .selfSigned())
        tls.handshakeFault = .stall
        let server = try LoopbackServer(tls: tls) { _ in }
        try await expectLimit("could not connect to 127.0.0.1 within 200 ms", server, delivery: .unsent) {
            $0.timeouts.connect = .milliseconds(200)
        }
    }

    @Test func connectDoesNotRunOnAConnection() async throws {
        let server = try LoopbackServer { connection in
            _ = try connection.readRequest()
            try connection.delay(.seconds(5))
            try connection.send(.text("late"))
        }
        let transport = CurlTransport.alone()
        let receiver = try await transport.run(server) { $0.timeouts.connect = .seconds(4) }
        #expect(receiver.text == "late")
        await transport.shutdown()
    }

    @Test(arguments: [Duration.zero, .seconds(-1)])
    func zeroOrLessIsAtOnce(_ limit: Duration) async throws {
        for path in [\Timeouts.total, \Timeouts.connect] {
            let server = try LoopbackServer { try $0.stall() }
            let transport = CurlTransport.alone()
            let receiver = try await transport.run(server) { $0.timeouts[keyPath: path] = limit }
            #expect(receiver.code == .timedOut)
            await transport.shutdown()
        }
    }

    @Test func noneWait() async throws {
        let server = try LoopbackServer(handler: LoopbackServer.routes(["/": .text("ok")]))
        let transport = CurlTransport.alone()
        let receiver = try await transport.run(server) {
            $0.timeouts.total = nil
            $0.timeouts.idle = nil
            $0.timeouts.connect = nil
        }
        #expect(receiver.text == "ok")
        await transport.shutdown()
    }

    @Test func oneExchangesLimitIsNoOthers() async throws {
        let gate = Gate()
        let server = try LoopbackServer { connection in
            _ = try connection.readRequest()
            try connection.wait(gate)
            try connection.send(.text("ok"))
        }
        let transport = CurlTransport.alone()
        let patient = try transport.begin(server).receiver
        let hasty = try await transport.run(server) { $0.timeouts.total = .milliseconds(50) }
        #expect(hasty.code == .timedOut)
        #expect(patient.completion == nil)
        gate.open()
        try await patient.finish()
        #expect(patient.text == "ok")
        await transport.shutdown()
    }
}

/// A source that never gives anything, until its reading is cancelled.
final class StuckReader: BodyReader {
    let closed: Gate?
    private let never = Gate()

    init(closed: Gate? = nil) { self.closed = closed }

    func read(upTo count: Int) async throws -> Data? {
        try await never.opened(within: .seconds(3600))
        return nil
    }

    func close() { closed?.open() }
}
