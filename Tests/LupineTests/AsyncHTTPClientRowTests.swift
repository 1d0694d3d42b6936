import FoundationEssentials
import Lupine
import LupineTesting
import Testing

/// What async-http-client was seen to do, probe by probe, done right.
@Suite(.timeLimit(.minutes(2)))
struct AsyncHTTPClientRowTests {
    private let session = URLSessionManager.direct()

    /// 2 to 4 of 20 fail there.
    @Test func twentyRequestsOverConnectionsClosedUnannounced() async throws {
        let server = try LoopbackServer { connection in
            guard try connection.readRequest() != nil else { return }
            try connection.send(.text("x"))
        }
        for _ in 0..<20 {
            #expect(try await session.send(.get, server.url("/")).text == "x")
        }
    }

    /// There the limit ends with the head.
    @Test func stalledBodyTotalTimeout() async throws {
        let server = try LoopbackServer { connection in
            _ = try connection.readRequest()
            try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n")
            try connection.stall()
        }
        let (error, after) = try await session.failure(.get, server.url("/")) { $0.timeouts.total = .milliseconds(300) }
        #expect(error.code == .timedOut)
        #expect(after >= .milliseconds(295) && after < .seconds(25))
    }

    /// There it is retried until the connect timeout.
    @Test func refusedIsNotRetried() async throws {
        let (error, after) = try await session.failure(.get, "http://127.0.0.1:1/") {
            $0.timeouts.connect = .seconds(30)
        }
        #expect(error.code == .couldNotConnect)
        #expect(after < .seconds(25))
    }

    @Test func untrustedIsTriedOnce() async throws {
        let server = try LoopbackServer(tls: .selfSigned(), handler: LoopbackServer.echo)
        let (error, _) = try await session.failure(.get, server.url("/"))
        #expect(error.code == .trustRejected)
        try await server.waitForOpenConnections()
        #expect(server.connectionCount == 1)
    }

    /// It cannot be sent again, and what is not sent is not said to have been.
    @Test func redirectOfAStreamedBodyIsRefused() async throws {
        let server = try LoopbackServer(
            handler: LoopbackServer.serving { _ in .redirect(to: "/other", status: 307) })
        let (error, _) = try await session.failure(
            .post, server.url("/"), body: .oneShotStream(reader: PatternReader(count: 5000)))
        #expect(error.code == .uploadSourceFailed)
        #expect(error.response?.status == 307)
        #expect(server.requests.map(\.body.count) == [5000])
    }

    /// There a text that is very regular is taken for a bomb.
    @Test func regularTextIsNoBomb() async throws {
        // 1,000,000 spaces: 1004 bytes with gzip.
        let deflated = try #require(Data(base64Encoded: Self.millionSpaces))
        let server = try LoopbackServer(
            handler: LoopbackServer.serving { _ in .bytes(Array(deflated), headers: ["Content-Encoding": "gzip"]) })
        let reply = try await session.send(.get, server.url("/"))
        #expect(reply.data == Data(repeating: 0x20, count: 1_000_000))
        #expect(reply.headers["Content-Encoding"] == nil)
        #expect(reply.headers["Content-Length"] == nil)
        #expect(reply.response.receivedHeaders["Content-Encoding"] == "gzip")
        #expect(reply.response.receivedHeaders["Content-Length"] == "\(deflated.count)")
        #expect(reply.metrics.receivedBytes == Int64(deflated.count))
    }

    @Test func cancelledDuringAStalledBody() async throws {
        let server = try LoopbackServer { connection in
            _ = try connection.readRequest()
            try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nab")
            try connection.stall()
        }
        let task = Task { try await session.send(.get, server.url("/")) }
        try await server.waitForRequests(1)
        let start = ContinuousClock.now
        task.cancel()
        let error = await #expect(throws: LupineError.self) { try await task.value }
        #expect(error?.code == .cancelled)
        #expect(start.duration(to: .now) < .seconds(25))
        try await server.waitForOpenConnections()
    }

    @Test func messagesNameTheHostAndTheCause() async throws {
        let server = try LoopbackServer { connection in
            _ = try connection.readRequest()
            try connection.stall()
        }
        let (error, _) = try await session.failure(.get, server.url("/")) { $0.timeouts.idle = .milliseconds(50) }
        #expect(error.errorDescription?.hasPrefix("timed-out: 127.0.0.1 sent and took no byte for 50 ms") == true)
    }

    /// There are tens of connections; here the limit is kept, and a request waits no longer than it says.
    @Test func waitingForAConnectionHasItsLimit() async throws {
        let session = URLSessionManager.direct { $0.transport.maximumConnectionsPerHost = 1 }
        let server = try LoopbackServer { connection in
            _ = try connection.readRequest()
            try connection.stall()
        }
        let first = Task { try await session.send(.get, server.url("/")) }
        try await server.waitForRequests(1)
        let (error, after) = try await session.failure(.get, server.url("/")) { $0.timeouts.pool = .milliseconds(100) }
        #expect(error.code == .timedOut)
        #expect(error.message.contains("no connection"))
        #expect(after < .seconds(25))
        first.cancel()
        _ = await first.result
        #expect(server.connectionCount == 1)
    }

    private static let millionSpaces =
        "H4sIAAAAAAACA+3BgQAAAADDIJX5Ux7kVQE" + String(repeating: "A", count: 1290) + "K8G1wgmy0BCDwA="
}
