import FoundationEssentials
import LupineCore
import LupineTesting
import LupineTransport
import Testing

/// Kept connections that die: what may be sent again is, what may not is not (RFC 9110 section 9.2.2, RFC 9112 section 9.3.1).
@Suite(.timeLimit(.minutes(2)))
struct ResendingTests {
    /// Answers the first request of each connection, reads the second and ends.
    private static func dyingAtTheSecond(_ reset: Bool) -> LoopbackServer.Handler {
        { connection in
            guard let first = try connection.readRequest() else { return }
            try connection.send(.text("this is \(first.path)"), to: first)
            guard try connection.readRequest() != nil else { return }
            if reset { connection.reset() }
        }
    }

    @Test(arguments: ["POST", "PATCH", "LOCK"] as [HTTPMethod], [false, true])
    func whatIsNotIdempotentGoesOutOnce(_ method: HTTPMethod, _ reset: Bool) async throws {
        for body in [HTTPBody.text("pay"), .bytes(Data(count: 100_000)), .stream { PiecesReader(["pay"]) }] {
            let server = try LoopbackServer(handler: Self.dyingAtTheSecond(reset))
            let transport = CurlTransport()
            try await transport.expectUnharmed(server)
            let receiver = try await transport.run(server, "/pay", method: method, body: body)
            #expect(receiver.code == .connectionLost)
            #expect(receiver.completion?.delivery == .unanswered)
            #expect(server.requests.filter { $0.path == "/pay" }.count == 1)
            try await transport.expectUnharmed(server)
            await transport.shutdown()
        }
    }

    @Test(arguments: ["GET", "HEAD", "PUT", "DELETE", "OPTIONS"] as [HTTPMethod], [false, true])
    func whatIsIdempotentGoesOutAgain(_ method: HTTPMethod, _ reset: Bool) async throws {
        let bodies: [HTTPBody] =
            method == .put
            ? [.text("x"), .bytes(Data(count: 100_000)), .stream { PiecesReader(["x"]) }, .empty] : [.empty]
        for body in bodies {
            let server = try LoopbackServer(handler: Self.dyingAtTheSecond(reset))
            let transport = CurlTransport()
            try await transport.expectUnharmed(server)
            let receiver = try await transport.run(server, "/again", method: method, body: body)
            #expect(receiver.code == nil)
            #expect(receiver.head?.status == 200)
            let seen = server.requests.filter { $0.path == "/again" }
            #expect(seen.count == 2)
            #expect(seen.first?.body == seen.last?.body)
            await transport.shutdown()
        }
    }

    @Test func aOneShotBodyCannotGoOutAgain() async throws {
        let server = try LoopbackServer(handler: Self.dyingAtTheSecond(false))
        let transport = CurlTransport()
        try await transport.expectUnharmed(server)
        let receiver = try await transport.run(
            server, "/once", method: .put, body: .oneShotStream(length: 3, reader: PiecesReader(["one"])))
        #expect(receiver.code == .connectionLost)
        #expect(server.requests.filter { $0.path == "/once" }.count == 1)
        await transport.shutdown()
    }

    /// A fresh connection that dies is no stale one: nothing is tried again by itself.
    @Test(arguments: [
        (HTTPMethod.get, "the request may be sent again"), (.put, "the request may be sent again"),
        (.post, "the server may have acted on the POST"), (.patch, "the server may have acted on the PATCH"),
    ])
    func aFreshConnectionIsTriedOnce(method: HTTPMethod, advice: String) async throws {
        let server = try LoopbackServer { _ = try $0.readRequest() }
        let transport = CurlTransport()
        let receiver = try await transport.run(server, method: method)
        #expect(receiver.code == .connectionLost)
        #expect(receiver.completion?.error?.message.contains("; \(advice) (") == true)
        #expect(server.connectionCount == 1)
        await transport.shutdown()
    }

    /// Once a byte of an answer has come nothing goes out again.
    @Test func aBegunAnswerIsNotAskedForAgain() async throws {
        for start in [
            "HTTP/1.1 200 OK\r\n", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhe", "HTTP/1.1 103 x\r\n\r\n",
        ] {
            let server = try LoopbackServer { connection in
                guard let first = try connection.readRequest() else { return }
                try connection.send(.text("this is \(first.path)"))
                guard try connection.readRequest() != nil else { return }
                try connection.send(start)
            }
            let transport = CurlTransport()
            try await transport.expectUnharmed(server)
            let receiver = try await transport.run(server, "/begun")
            #expect(receiver.code == (start.contains("he") && start.contains("5") ? .incompleteBody : .connectionLost))
            #expect(receiver.completion?.delivery == .answered)
            #expect(server.requests.filter { $0.path == "/begun" }.count == 1)
            await transport.shutdown()
        }
    }

    /// B62: closed while idle, or just as the next request leaves. What does fail may be sent again, and says so.
    @Test(arguments: [false, true])
    func connectionsDroppedWhileIdle(_ reset: Bool) async throws {
        let server = try LoopbackServer { connection in
            guard let request = try connection.readRequest() else { return }
            try connection.send(.text("this is \(request.path)"))
            if reset { connection.reset() }
        }
        let transport = CurlTransport()
        for index in 0..<50 {
            let receiver = try await transport.run(server, "/\(index)")
            if receiver.code == nil {
                #expect(receiver.text == "this is /\(index)")
            } else {
                #expect(receiver.code == .connectionLost)
                #expect(receiver.completion?.metrics.isReusedConnection == true)
                #expect(receiver.completion?.delivery != .answered)
            }
        }
        await transport.shutdown()
    }

    /// The end has been seen before the next request leaves: not even a POST fails.
    @Test func anEndSeenInTimeCostsNothing() async throws {
        let server = try LoopbackServer { connection in
            guard let request = try connection.readRequest() else { return }
            try connection.send(.text("this is \(request.path)"))
        }
        let transport = CurlTransport.alone()
        for index in 0..<20 {
            let receiver = try await transport.run(server, "/\(index)", method: .post, body: .text("x"))
            // A loop kept from running may not have looked yet: then nothing leaves, and the session sends it again.
            #expect(receiver.code == nil || receiver.completion?.delivery == .unsent)
            if receiver.code == nil { #expect(receiver.text == "this is /\(index)") }
            try await server.waitForOpenConnections()
        }
        await transport.shutdown()
    }

    @Test func bytesSentAreNeverToldBackwards() async throws {
        let server = try LoopbackServer { connection in
            guard let first = try connection.readRequest() else { return }
            try connection.send(.text("this is \(first.path)"))
            guard let head = try connection.readHead() else { return }
            if connection.index == 0 {
                _ = try connection.readExactly(1_000_000)
                connection.reset()
            } else {
                try connection.readBody(of: head)
                try connection.send(.text("ok"))
            }
        }
        let transport = CurlTransport()
        try await transport.expectUnharmed(server)
        // `run` looks at the contract.
        let receiver = try await transport.run(server, "/up", method: .put, body: .bytes(Data(count: 4 << 20)))
        #expect(receiver.code == nil || receiver.code == .connectionLost)
        await transport.shutdown()
    }
}
