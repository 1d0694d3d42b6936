import Lupine
import LupineCore
import LupineTesting
import Testing

/// Limits of requests in flight, where one connection would carry many.
@Suite(.timeLimit(.minutes(2)))
struct HTTP2RequestLimitTests {
    /// Answers the first stream at once, then holds `held` streams, answers the one after them, and when that is done all.
    @Test func streamsAreLimited() async throws {
        let held = 3, peers = try TLSPeers(), isFull = Gate()
        let server = try peers.server(offersHTTP2: true) { connection in
            guard let script = try HTTP2Script(connection) else { return }
            try script.answer(try script.nextRequest(), "first")
            let streams = try (0..<held).map { _ in try script.nextRequest() }
            isFull.open()
            try script.answer(try script.nextRequest(), "through")
            for stream in streams { try script.answer(stream, "held") }
            while true { try script.answer(try script.nextRequest(), "later") }
        }
        let session = peers.session { $0.transport.maximumRequestsPerHost = held }
        let url = server.url()
        #expect(try await session.send(.get, url).text == "first")
        let many = Task {
            try await withThrowingTaskGroup(of: String?.self) { group in
                for _ in 0..<10 { group.addTask { try await session.send(.get, url).text } }
                return try await group.reduce(into: []) { $0.append($1) }
            }
        }
        try await isFull.opened()
        // Were a fourth in flight, it would have the answer that is meant for this one.
        #expect(try await session.send(.get, url) { $0.ignoresRequestLimits = true }.text == "through")
        let answers = try await many.value
        #expect(answers.count { $0 == "held" } == held && answers.count { $0 == "later" } == 10 - held)
        #expect(server.connectionCount == 1)
        await session.invalidate()
    }

    /// Requests held to HTTP/1.1 have connections apart, and are in flight to the same host.
    @Test func bothVersionsCountTogether() async throws {
        let peers = try TLSPeers(), isHeld = Gate(), gate = Gate()
        let server = try peers.server(offersHTTP2: true) { connection in
            guard let script = try HTTP2Script(connection) else {
                while let request = try connection.readRequest() {
                    isHeld.open()
                    try connection.wait(gate)
                    try connection.send(.text("old"), to: request)
                }
                return
            }
            while true { try script.answer(try script.nextRequest(), "new") }
        }
        let session = peers.session { $0.transport.maximumRequestsPerHost = 1 }
        let url = server.url()
        #expect(try await session.send(.get, url).text == "new")
        let old = Task { try await session.send(.get, url) { $0.maximumHTTPVersion = .http1_1 }.text }
        try await isHeld.opened()
        let (error, _) = try await session.failure(.get, url) { $0.timeouts.pool = .milliseconds(50) }
        #expect(error.code == .timedOut)
        #expect(try await session.send(.get, url) { $0.ignoresRequestLimits = true }.text == "new")
        gate.open()
        #expect(try await old.value == "old")
        #expect(try await session.send(.get, url).text == "new")
        await session.invalidate()
    }
}
