import FoundationEssentials
import Lupine
import LupineCore
import LupineTesting
import Testing

/// Bodies read as they arrive.
@Suite(.timeLimit(.minutes(1)))
struct StreamTests {
    private func request(_ server: LoopbackServer) throws -> HTTPRequest {
        HTTPRequest(url: try HTTPURL(server.url("/")))
    }

    @Test func theHeadComesBeforeTheBody() async throws {
        let gate = Gate()
        let server = try LoopbackServer { connection in
            _ = try connection.readRequest()
            try connection.sendHead(headers: ["Transfer-Encoding": "chunked"])
            try connection.wait(gate)
            try connection.sendChunk("body")
            try connection.endChunks(trailers: ["X": "y"])
        }
        let answer = try await URLSessionManager().stream(for: request(server))
        #expect(answer.status == 200)
        #expect(answer.body.metrics == nil)
        gate.open()
        var body = Data()
        for try await piece in answer.body { body += piece }
        #expect(body == Data("body".utf8))
        #expect(answer.body.trailers["X"] == "y")
        #expect(answer.body.metrics?.receivedBytes == 4)
    }

    /// A reader that does not read makes the server wait; nothing is lost or doubled.
    @Test func aSlowReaderSlowsTheServer() async throws {
        let size = 64 << 20
        let sent = Gate()
        let server = try LoopbackServer(recordsTraffic: false) { connection in
            _ = try connection.readRequest()
            try connection.sendHead(headers: ["Content-Length": "\(size)"])
            let piece = (0..<1 << 20).map { UInt8(truncatingIfNeeded: $0 >> 8) }
            for _ in 0..<size >> 20 { try connection.send(piece) }
            sent.open()
        }
        let answer = try await URLSessionManager().stream(for: request(server))
        var count = 0
        for try await piece in answer.body {
            // What the sockets' buffers hold is a small part of the body.
            if count == 0 { #expect(!sent.isOpen) }
            #expect(piece.first == UInt8(truncatingIfNeeded: count >> 8))
            #expect(!piece.isEmpty && piece.count < 2 << 20)
            count += piece.count
        }
        #expect(count == size)
    }

    @Test func aBodyCutShortIsAnErrorAfterWhatCame() async throws {
        let server = try LoopbackServer { connection in
            _ = try connection.readRequest()
            try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf")
        }
        let answer = try await URLSessionManager().stream(for: request(server))
        var iterator = answer.body.makeAsyncIterator()
        #expect(try await iterator.next() == Data("half".utf8))
        let error = await #expect(throws: LupineError.self) { try await iterator.next() }
        #expect(error?.code == .incompleteBody)
        #expect(error?.response?.status == 200)
    }

    /// Two tasks that read one body share its pieces; both come to its end, or are cancelled.
    @Test(arguments: [false, true])
    func twoReaders(areCancelled: Bool) async throws {
        let gate = Gate()
        let server = try LoopbackServer { connection in
            _ = try connection.readRequest()
            try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 8\r\n\r\nhalf")
            if areCancelled { return try connection.stall() }
            try connection.wait(gate)
            try connection.send("more")
        }
        let body = try await URLSessionManager().stream(for: request(server)).body
        let counts = Lock([0, 0]), begun = [Gate(), Gate()]
        let tasks = [0, 1].map { reader in
            Task {
                begun[reader].open()
                for try await piece in body { counts.withLock { $0[reader] += piece.count } }
            }
        }
        for gate in begun { try await gate.opened() }
        if areCancelled { for task in tasks { task.cancel() } } else { gate.open() }
        for task in tasks { #expect(await (try? task.value) == nil || !areCancelled) }
        if !areCancelled { #expect(counts.withLock { $0.reduce(0, +) } == 8) }
    }

    @Test func whatEndsBeforeAHeadIsThrownAtOnce() async throws {
        let server = try LoopbackServer { connection in
            _ = try connection.readRequest()
            connection.reset()
        }
        let error = await #expect(throws: LupineError.self) {
            _ = try await URLSessionManager().stream(for: request(server))
        }
        #expect(error?.code == .connectionLost)
    }

    @Test(arguments: [false, true])
    func cancellingTheTaskEndsTheTransfer(afterHead: Bool) async throws {
        let server = try LoopbackServer { connection in
            _ = try connection.readRequest()
            if afterHead { try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf") }
            try connection.stall()
        }
        let request = try request(server)
        let reached = Gate()
        let task = Task {
            let answer = try await URLSessionManager().stream(for: request)
            for try await _ in answer.body { reached.open() }
        }
        if afterHead { try await reached.opened() } else { try await server.waitForRequests(1) }
        task.cancel()
        let error = await #expect(throws: LupineError.self) { try await task.value }
        #expect(error?.code == .cancelled)
        try await server.waitForOpenConnections()
    }

    @Test func lettingGoOfTheBodyEndsTheTransfer() async throws {
        let server = try LoopbackServer { connection in
            _ = try connection.readRequest()
            try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf")
            try connection.stall()
        }
        let session = URLSessionManager()
        _ = try await session.stream(for: request(server))
        try await server.waitForOpenConnections()
        await session.invalidate()
    }
}
