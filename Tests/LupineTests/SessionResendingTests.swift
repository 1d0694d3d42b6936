import FoundationEssentials
import Lupine
import LupineTesting
import Testing

/// Connections that die between requests, as a session's caller sees them: not at all, where that is safe.
@Suite(.timeLimit(.minutes(2)))
struct SessionResendingTests {
    private func session(_ change: (inout SessionConfiguration) -> Void = { _ in }) -> HTTPSessionManager {
        var configuration = SessionConfiguration()
        configuration.options.route.proxy = .none
        change(&configuration)
        return HTTPSessionManager(configuration: configuration)
    }

    /// B62.
    @Test(arguments: ["close", "reset", "announced", "second"])
    func fiftyRequestsToAServerThatDropsItsConnections(_ ending: String) async throws {
        let server = try LoopbackServer { connection in
            while let request = try connection.readRequest() {
                try connection.send(.text("this is \(request.path)"), isLast: ending == "announced")
                switch ending {
                case "reset": return connection.reset()
                case "second":
                    // Reads one more, and answers it not.
                    _ = try connection.readRequest()
                    return
                default: return
                }
            }
        }
        let session = session()
        for index in 0..<50 {
            let reply = try await session.get(server.url("/\(index)"))
            #expect(reply.text == "this is /\(index)")
        }
        await session.invalidate()
    }

    @Test func aPostIsNeverSentTwice() async throws {
        let server = try LoopbackServer { connection in
            guard let first = try connection.readRequest() else { return }
            try connection.send(.text("this is \(first.path)"))
            _ = try connection.readRequest()
        }
        let session = session()
        for round in 0..<10 {
            try await session.get(server.url("/get"))
            await #expect {
                try await session.post(server.url("/pay/\(round)"), parameters: ["a": "b"])
            } throws: {
                ($0 as? LupineError)?.code == .connectionLost
            }
            #expect(server.requests.filter { $0.path == "/pay/\(round)" }.count == 1)
        }
        await session.invalidate()
    }

    /// Of a POST on a connection that was dropped before it was to leave, nothing has left: it goes out on another.
    @Test(arguments: [false, true])
    func aPostOfWhichNothingLeftGoesOut(_ reset: Bool) async throws {
        let server = try LoopbackServer { connection in
            guard let request = try connection.readRequest() else { return }
            try connection.send(.text("this is \(request.path)"))
            if reset { connection.reset() }
        }
        let session = session()
        for index in 0..<30 {
            let reply = try await session.post(server.url("/\(index)"), parameters: ["a": "b"])
            #expect(reply.text == "this is /\(index)")
            try await server.waitForOpenConnections()
        }
        #expect(server.requestCount == 30)
        await session.invalidate()
    }

    /// As after a network's failure: every kept connection is dead, and none has said so.
    @Test func fortyDeadConnectionsAtOnce() async throws {
        let count = 40, gate = Gate()
        let server = try LoopbackServer { connection in
            guard let first = try connection.readRequest() else { return }
            if connection.index < count { try connection.wait(gate) }
            try connection.send(.text("this is \(first.path)"))
            if connection.index < count, try connection.readRequest() != nil { connection.reset() }
        }
        let session = session { $0.transport.maximumConnectionsPerHost = count }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for index in 0..<count { group.addTask { try await session.get(server.url("/\(index)")) } }
            try await server.waitForRequests(count)
            gate.open()
            try await group.waitForAll()
        }
        #expect(server.openConnectionCount == count)
        let reply = try await session.get(server.url("/after"))
        #expect(reply.text == "this is /after" && reply.sendings == 3)
        await session.invalidate()
    }

    @Test func aServerThatAlwaysEndsIsGivenUp() async throws {
        let server = try LoopbackServer { connection in
            guard try connection.readRequest() != nil, connection.index == 0 else { return }
            try connection.send(.text("once"))
            _ = try connection.readRequest()
        }
        let session = session()
        try await session.get(server.url("/a"))
        await #expect {
            try await session.get(server.url("/b"))
        } throws: {
            ($0 as? LupineError)?.code == .connectionLost
        }
        #expect(server.requests.filter { $0.path == "/b" }.count <= 3)
        await session.invalidate()
    }
}
