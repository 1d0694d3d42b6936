import FoundationEssentials
import Glibc
import LupineCore
import LupineTesting
import Testing

/// Stopping is prompt wherever scripts block. The bound is some hundred times what it takes.
private let bound = Duration.seconds(10)

@Suite(.timeLimit(.minutes(2)))
struct LoopbackStoppingTests {
    enum Blocking: CaseIterable {
        case readingHead, readingBody, sending, delay, gate, stall, dripping, lingering
    }

    @Test(arguments: Blocking.allCases)
    func stopsAScriptThatBlocks(_ kind: Blocking) async throws {
        let closed = Gate()
        let reached = Gate()
        let server = try LoopbackServer { connection in
            reached.open()
            switch kind {
            case .readingHead: _ = try connection.readRequest()
            case .readingBody: _ = try connection.readExactly(1000)
            case .sending: while true { try connection.send([UInt8](repeating: 0, count: 1 << 20)) }
            case .delay: try connection.delay(.seconds(3600))
            case .gate: try connection.wait(closed)
            case .stall: try connection.stall()
            case .dripping: try connection.drip("abc", each: .seconds(3600))
            case .lingering:
                _ = try connection.readExactly(1)
                try connection.close()
            }
        }
        let client = try RawClient(server)
        if kind == .lingering { try client.send("abc") }
        try await reached.opened()
        let duration = ContinuousClock().measure { server.stop() }
        #expect(duration < bound)
        #expect(server.openConnectionCount == 0)
        #expect(server.failures.isEmpty)
        server.stop()
        // The port may be another's by now: whoever answers there, it is not this server.
        _ = try? RawClient(server)
        #expect(server.connectionCount == 1)
    }

    @Test(arguments: [nil, LoopbackTLS.HandshakeFault.stall])
    func stopsAHandshakeThatHangs(_ fault: LoopbackTLS.HandshakeFault?) async throws {
        var tls = LoopbackTLS(certificate: try .selfSigned())
        tls.handshakeFault = fault
        let server = try LoopbackServer(tls: tls) { _ in }
        let client = try RawClient(server)
        try client.send([0x16, 0x03])
        try await server.waitForConnections(1)
        #expect(ContinuousClock().measure { server.stop() } < bound)
        #expect(server.handshakeFailures.isEmpty)
    }

    @Test func stopsWhileATLSPeerDoesNotRead() async throws {
        let reached = Gate()
        let server = try LoopbackServer(tls: .selfSigned()) { connection in
            reached.open()
            while true { try connection.send([UInt8](repeating: 0, count: 1 << 20)) }
        }
        let client = try RawClient(server)
        try client.startTLS()
        try await reached.opened()
        #expect(ContinuousClock().measure { server.stop() } < bound)
        #expect(server.failures.isEmpty)
    }

    @Test func theLastReferenceStops() async throws {
        let reached = Gate()
        let client: RawClient
        do {
            let server = try LoopbackServer { connection in
                reached.open()
                try connection.stall()
            }
            client = try RawClient(server)
            try await reached.opened()
        }
        #expect(try client.receive().isEmpty)
    }

    @Test func aScriptMayStopItsOwnServer() async throws {
        let box = ServerBox()
        let server = try LoopbackServer { _ in
            box.stop()
            box.stopped.open()
        }
        box.server.withLock { $0 = server }
        // The script holds the box, and so the server itself.
        defer { box.server.withLock { $0 = nil } }
        _ = try RawClient(server)
        try await box.stopped.opened()
        server.stop()
        try await server.waitForOpenConnections()
    }

    @Test func stoppingFromManyTasksIsHarmless() async throws {
        let server = try LoopbackServer { try $0.stall() }
        let clients = try (0..<20).map { _ in try RawClient(server) }
        try await server.waitForConnections(20)
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<4 { group.addTask { server.stop() } }
        }
        #expect(server.openConnectionCount == 0)
        for client in clients { #expect(try client.receive().isEmpty) }
    }

    /// In a process of its own, where nothing else opens descriptors or starts threads.
    @Test func leavesNoThreadAndNoDescriptor() async {
        await #expect(processExitsWith: .success) {
            func run(_ count: Int, tls: Bool) async throws {
                let handler: LoopbackServer.Handler = { try $0.stall() }
                let server =
                    tls
                    ? try LoopbackServer(tls: .selfSigned(), handler: handler) : try LoopbackServer(handler: handler)
                let clients = try (0..<count).map { _ in try RawClient(server) }
                try await server.waitForConnections(count)
                server.stop()
                for client in clients { client.close() }
            }
            func entries(_ folder: String) throws -> Int {
                try FileManager.default.contentsOfDirectory(atPath: "/proc/self/\(folder)").count
            }
            // Once, for what the runtime opens and starts for itself.
            try await run(2, tls: true)
            let before = (files: try entries("fd"), threads: try entries("task"))
            try await run(100, tls: false)
            try await run(100, tls: true)
            let after = (files: try entries("fd"), threads: try entries("task"))
            #expect(after.files == before.files)
            // The runtime's own pools may have grown by a few.
            #expect(after.threads <= before.threads + 6)
            guard after.files == before.files, after.threads <= before.threads + 6 else { exit(1) }
        }
    }
}

private final class ServerBox: Sendable {
    let server = Lock<LoopbackServer?>(nil)
    let stopped = Gate()
    func stop() { server.withLock { $0 }?.stop() }
}
