import LupineCore
import LupineTesting
import LupineTransport
import Testing

/// Limits of requests in flight, over HTTP/1.1. They are counted where they arrive.
@Suite(.timeLimit(.minutes(2)))
struct RequestLimitTests {
    /// What is in flight at a server: each request, until just before its answer.
    private struct Flight {
        var now = 0, most = 0
        mutating func begin() {
            now += 1
            most = max(most, now)
        }
    }

    /// Answers `/through` at once, and all else when the gate is open.
    private func server(_ gate: Gate, _ flight: Lock<Flight>) throws -> LoopbackServer {
        try LoopbackServer { connection in
            while let request = try connection.readRequest() {
                flight.withLock { $0.begin() }
                if request.path != "/through" { try connection.wait(gate) }
                flight.withLock { $0.now -= 1 }
                try connection.send(.text("this is \(request.path)"), to: request)
            }
        }
    }

    private func transport(
        perHost: Int? = nil, total: Int? = nil, connections: Int = 8
    ) -> CurlTransport {
        var configuration = TransportConfiguration()
        configuration.maximumConnectionsPerHost = connections
        configuration.maximumRequestsPerHost = perHost
        configuration.maximumRequests = total
        return CurlTransport.alone(configuration)
    }

    @Test(arguments: [(1, 1), (3, 3), (nil, 8), (100, 8), (0, 1)] as [(Int?, Int)])
    func aHostHasNoMoreInFlightThanItsLimit(_ limit: Int?, _ most: Int) async throws {
        let gate = Gate(), flight = Lock(Flight())
        let server = try server(gate, flight), transport = transport(perHost: limit)
        let receivers = try (0..<20).map { try transport.begin(server, "/\($0)").receiver }
        try await server.waitForRequests(most)
        if most < 8 {
            // Asked for last, and there before any of those that wait.
            try await transport.run(server, "/through") { $0.ignoresRequestLimits = true }
            #expect(server.requests.map(\.path).last == "/through")
            #expect(flight.withLock { ($0.now, $0.most) } == (most, most + 1))
        }
        #expect(server.requestCount == (most < 8 ? most + 1 : most))
        flight.withLock { $0.most = 0 }
        gate.open()
        for (index, receiver) in receivers.enumerated() {
            try await receiver.finish()
            #expect(receiver.text == "this is /\(index)")
        }
        #expect(flight.withLock(\.most) <= most)
        await transport.shutdown()
    }

    @Test func allHostsTogetherHaveNoMoreThanTheTotal() async throws {
        let gate = Gate(), flight = Lock(Flight())
        let servers = try (0..<3).map { _ in try server(gate, flight) }
        let transport = transport(perHost: 3, total: 4)
        let receivers = try (0..<24).map { try transport.begin(servers[$0 % 3], "/\($0)").receiver }
        for server in servers { try await server.waitForRequests(1) }
        try await transport.run(servers[0], "/through") { $0.ignoresRequestLimits = true }
        gate.open()
        for receiver in receivers {
            try await receiver.finish()
            #expect(receiver.code == nil)
        }
        #expect(flight.withLock(\.most) <= 5)
        await transport.shutdown()
    }

    /// One that ignores the limits is in flight as any other.
    @Test func whoIgnoresLimitsCounts() async throws {
        let gate = Gate(), flight = Lock(Flight())
        let server = try server(gate, flight), transport = transport(perHost: 1)
        let urgent = try transport.begin(server) { $0.ignoresRequestLimits = true }.receiver
        try await server.waitForRequests(1)
        let receiver = try await transport.run(server, "/through") { $0.timeouts.pool = .milliseconds(50) }
        #expect(receiver.code == .timedOut && receiver.completion?.delivery == .unsent)
        #expect(receiver.completion?.error?.message.contains("limits of connections or requests") == true)
        gate.open()
        try await urgent.finish()
        #expect(server.requestCount == 1)
        await transport.shutdown()
    }

    /// A connection is needed all the same.
    @Test func whoIgnoresLimitsWaitsForAConnection() async throws {
        let gate = Gate(), flight = Lock(Flight())
        let server = try server(gate, flight), transport = transport(perHost: 1, connections: 1)
        let first = try transport.begin(server).receiver
        try await server.waitForRequests(1)
        let receiver = try await transport.run(server, "/through") {
            $0.ignoresRequestLimits = true
            $0.timeouts.pool = .milliseconds(50)
        }
        #expect(receiver.code == .timedOut)
        gate.open()
        try await first.finish()
        await transport.shutdown()
    }

    @Test func whoIsCancelledMakesRoom() async throws {
        let gate = Gate(), flight = Lock(Flight())
        let server = try server(gate, flight), transport = transport(perHost: 1)
        let (first, control) = try transport.begin(server)
        try await server.waitForRequests(1)
        let (second, waiting) = try transport.begin(server, "/never")
        let third = try transport.begin(server, "/through").receiver
        waiting.cancel()
        try await second.finish()
        control.cancel()
        try await first.finish()
        try await third.finish()
        #expect(third.text == "this is /through")
        #expect(server.requests.map(\.path) == ["/", "/through"])
        await transport.shutdown()
    }
}
