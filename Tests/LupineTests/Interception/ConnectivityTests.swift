import FoundationEssentials
import LupineCore
import LupineTesting
import Testing

@testable import Lupine

/// Requests that wait for a network.
@Suite(.timeLimit(.minutes(2)))
struct ConnectivityTests {
    /// A network that a test turns on and off.
    private final class Network: Sendable {
        private let state = Lock((isThere: false, watchers: [AsyncStream<Bool>.Continuation]()))
        let hosts = Notes<String?>()

        func set(_ isThere: Bool) {
            let watchers = state.withLock { state in
                state.isThere = isThere
                return state.watchers
            }
            for watcher in watchers { watcher.yield(isThere) }
        }

        var isThere: Bool { state.withLock(\.isThere) }

        @Sendable func watch(_ host: String?) -> AsyncStream<Bool> {
            hosts.add(host)
            let (stream, continuation) = AsyncStream.makeStream(of: Bool.self)
            let isThere = state.withLock { state in
                state.watchers.append(continuation)
                return state.isThere
            }
            continuation.yield(isThere)
            return stream
        }
    }

    private func session(
        _ network: Network, _ transport: StubTransport, clock: ManualClock = ManualClock(),
        _ handlers: TaskHandlers = TaskHandlers()
    ) -> URLSessionManager {
        stubbed(transport, clock: clock, handlers) { configuration in
            configuration.options.waitsForConnectivity = true
            configuration.connectivity = network.watch
        }
    }

    private func request(_ session: URLSessionManager, _ method: HTTPMethod = .get) throws -> HTTPRequest {
        var request = try HTTPRequest.to("/", method)
        request.options = session.configuration.options
        return request
    }

    /// As a network does: what is sent without it fails before a byte has left.
    private func transport(_ network: Network, _ code: LupineError.Code = .couldNotConnect) -> StubTransport {
        StubTransport { recorded in
            if network.isThere { return .response(body: "\(recorded.request.method)") }
            return .failure(LupineError(code, "no route", host: "host.test"), delivery: .unsent)
        }
    }

    @Test(
        arguments: [HTTPMethod.get, .post],
        [LupineError.Code.couldNotConnect, .couldNotResolve, .proxyFailed, .timedOut])
    func itGoesOutOnceTheNetworkIsBack(_ method: HTTPMethod, _ code: LupineError.Code) async throws {
        let network = Network(), waits = Gate()
        let transport = transport(network, code)
        var handlers = TaskHandlers()
        handlers.event = { _, event in if case .waitingForConnectivity = event { waits.open() } }
        let session = session(network, transport, handlers)
        let request = try request(session, method)
        let answer = Task { try await session.data(for: request) }
        try await waits.opened()
        #expect(transport.requests.count == 1)
        network.set(true)
        let got = try await answer.value
        #expect(got.text == method.rawValue)
        #expect(transport.requests.count == 2)
        // A name is not looked up without a network, and what proxy was meant is not known.
        #expect(network.hosts.all == [code == .couldNotConnect || code == .timedOut ? "host.test" : nil])
    }

    @Test func aHostThatRefusesIsToldAtOnce() async throws {
        let network = Network()
        network.set(true)
        let refused = StubExchange.failure(LupineError(.couldNotConnect, "refused"), delivery: .unsent)
        let session = session(network, StubTransport([refused]))
        let error = await #expect(throws: LupineError.self) { try await session.data(for: try request(session)) }
        #expect(error?.code == .couldNotConnect)
    }

    @Test func withoutTheOptionNobodyWaits() async throws {
        let network = Network()
        let session = session(network, transport(network))
        let error = await #expect(throws: LupineError.self) { try await session.data(for: .to()) }
        #expect(error?.code == .couldNotConnect && network.hosts.all.isEmpty)
    }

    @Test(arguments: [RequestDelivery.unanswered, .answered])
    func whatHasLeftDoesNotWait(_ delivery: RequestDelivery) async throws {
        let network = Network()
        let lost = StubExchange.failure(LupineError(.couldNotConnect, "lost"), delivery: delivery)
        let session = session(network, StubTransport([lost]))
        let error = await #expect(throws: LupineError.self) { try await session.data(for: try request(session)) }
        #expect(error?.code == .couldNotConnect && network.hosts.all.isEmpty)
    }

    @Test func theDeadlineIsHeld() async throws {
        let network = Network(), clock = ManualClock()
        let session = session(network, transport(network), clock: clock)
        var request = try request(session)
        request.options.timeouts.connectivity = .seconds(30)
        let answer = Task { [request] in try await session.data(for: request) }
        try await clock.waitForSleepers(count: 1)
        clock.advance(by: .seconds(30))
        let error = await #expect(throws: LupineError.self) { try await answer.value }
        #expect(error?.code == .notReachable)
        #expect(error?.message == "no network led to host.test for 30 s")
        #expect((error?.underlying as? LupineError)?.code == .couldNotConnect)
        try await clock.waitForNoSleepers()
    }

    /// A network that comes and goes does not begin the time anew.
    @Test func theDeadlineIsForAllWaitsTogether() async throws {
        let network = Network(), clock = ManualClock()
        // There when asked, and gone again when the request goes out.
        let flapping = StubTransport { _ in
            network.set(false)
            return .failure(LupineError(.couldNotConnect, "no route"), delivery: .unsent)
        }
        let session = session(network, flapping, clock: clock)
        var request = try request(session)
        request.options.timeouts.connectivity = .seconds(30)
        let answer = Task { [request] in try await session.data(for: request) }
        for round in 1...3 {
            try await flapping.waitForRequests(round)
            try await clock.waitForSleepers(count: 1)
            clock.advance(by: .seconds(10))
            network.set(true)
        }
        let error = await #expect(throws: LupineError.self) { try await answer.value }
        #expect(error?.code == .notReachable || error?.code == .couldNotConnect)
        #expect(flapping.requests.count <= 4)
    }

    @Test func cancelledWhileItWaits() async throws {
        let network = Network(), waits = Gate(), clock = ManualClock()
        var handlers = TaskHandlers()
        handlers.event = { _, event in if case .waitingForConnectivity = event { waits.open() } }
        let session = session(network, transport(network), clock: clock, handlers)
        let task = session.dataTask(with: try request(session))
        let result = Task { try await task.result() }
        try await waits.opened()
        task.cancel()
        let error = await #expect(throws: LupineError.self) { try await result.value }
        #expect(error?.code == .cancelled)
        await session.invalidate()
        try await clock.waitForNoSleepers()
    }

    /// Retriers are asked when the waiting was in vain, and not before.
    @Test func retriersAreAskedAfterwards() async throws {
        let network = Network(), clock = ManualClock()
        let asked = Notes<LupineError.Code>()
        let retrier = Retrier { _, attempt in
            asked.add(attempt.error.code)
            return .doNotRetry
        }
        let session = session(network, transport(network), clock: clock, TaskHandlers(retriers: [retrier]))
        let request = try request(session)
        let answer = Task { try await session.data(for: request) }
        try await clock.waitForSleepers(count: 1)
        #expect(asked.all.isEmpty)
        clock.advance(by: .seconds(60))
        let error = await #expect(throws: LupineError.self) { try await answer.value }
        #expect(error?.code == .notReachable)
        #expect(asked.all == [.notReachable])
    }

    /// The real one, for a host that needs no network.
    @Test func thisMachineIsReachable() async throws {
        for await isThere in Connectivity.watch("127.0.0.1") {
            #expect(isThere)
            break
        }
    }

    /// What was known when the waiting was given up is told with it.
    @Test func whatCameBeforeIsTold() async throws {
        let network = Network(), clock = ManualClock()
        let transport = StubTransport { recorded in
            if recorded.index == 0 { return .response(status: 302, headers: ["Location": "/b"]) }
            return .failure(LupineError(.couldNotConnect, "no route"), delivery: .unsent)
        }
        let session = session(network, transport, clock: clock)
        let request = try request(session)
        let answer = Task { try await session.data(for: request) }
        try await clock.waitForSleepers(count: 1)
        clock.advance(by: .seconds(60))
        let error = await #expect(throws: LupineError.self) { try await answer.value }
        #expect(error?.code == .notReachable && error?.metrics != nil)
        #expect(error?.redirects.map(\.path) == ["/"])
    }

    // MARK: The waiting by itself

    private func wait(
        _ changes: [Bool], ends: Bool = false, limit: Duration? = nil, clock: ManualClock = ManualClock(),
        begins: Notes<Int> = Notes()
    ) async -> Connectivity.Outcome {
        let (stream, continuation) = AsyncStream.makeStream(of: Bool.self)
        for change in changes { continuation.yield(change) }
        if ends { continuation.finish() }
        return await Connectivity.wait(stream, limit: limit, clock: SessionClock(clock)) { begins.add(1) }
    }

    @Test func theBeginIsToldOnce() async {
        let begins = Notes<Int>()
        guard case .returned(.zero) = await wait([false, false, false, true], begins: begins) else {
            Issue.record("it came back")
            return
        }
        #expect(begins.count == 1)
    }

    @Test(arguments: [[], [false]]) func whereNobodyCanTellNobodyWaits(_ changes: [Bool]) async {
        guard case .present = await wait(changes, ends: true, limit: .seconds(9)) else {
            Issue.record("nobody can tell")
            return
        }
    }

    @Test(arguments: [nil, Duration.seconds(9)]) func whoIsCancelledLearnsNothing(_ limit: Duration?) async throws {
        let begins = Notes<Int>(), clock = ManualClock()
        let waiting = Task { await wait([false], limit: limit, clock: clock, begins: begins) }
        await until { begins.count == 1 }
        waiting.cancel()
        guard case .abandoned = await waiting.value else {
            Issue.record("it was cancelled")
            return
        }
        #expect(clock.sleeperCount == 0)
    }
}
