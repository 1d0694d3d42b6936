import Dispatch
import FoundationEssentials
import LupineCore
import LupineTesting
import Testing

@testable import Lupine

/// Tasks that are cancelled while, or just before, something is decided about them: the end comes once, and what was awaited stops.
@Suite(.timeLimit(.minutes(2)))
struct CancelledDecisionTests {
    private let lost = StubExchange.failure(LupineError(.connectionLost, "gone", host: "host.test"))

    private func breaking(_ configuration: inout SessionConfiguration) {
        var breaker = CircuitBreaker()
        breaker.failureThreshold = 1
        configuration.circuitBreaker = breaker
    }

    /// Cancels its task as soon as that begins: after the machine has said so, and before an adapter is asked.
    private final class Canceller: TaskListener {
        let task: SessionTask
        init(_ task: SessionTask) { self.task = task }
        func add(_ events: [TaskEvent]) {
            for event in events { if case .resumed = event { task.cancel() } }
        }
    }

    @Test func beforeItIsPrepared() async throws {
        let asked = Notes<Int>(), ends = Notes<LupineError.Code?>()
        let adapter = Adapter { request, _ in
            asked.add(1)
            return request
        }
        let transport = StubTransport([])
        let session = stubbed(transport, TaskHandlers(adapters: [adapter]))
        let task = session.dataTask(with: try .to())
        task.whenCompleted { ends.add($0.error?.code) }
        task.add(Canceller(task))
        task.resume()
        #expect(ends.all == [.cancelled])
        #expect(session.tasks.isEmpty)
        await session.invalidate()
        #expect(asked.count == 0 && transport.requests.isEmpty)
    }

    /// Before the first wait of an adapter nobody knows yet which Swift task to cancel.
    @Test func byTheAdapterItself() async throws {
        let clock = ManualClock(), woken = Gate()
        let adapter = Adapter { request, task in
            task.cancel()
            defer { woken.open() }
            try await clock.sleep(for: .seconds(1))
            return request
        }
        let session = stubbed(StubTransport([]), TaskHandlers(adapters: [adapter]))
        let error = await #expect(throws: LupineError.self) { try await session.data(for: .to()) }
        #expect(error?.code == .cancelled)
        try await woken.opened()
        #expect(clock.sleeperCount == 0)
        await session.invalidate()
    }

    /// An adapter that does not wait, and an exchange that ends as it begins: the second decision is there before the first is noted.
    @Test func inAPauseThatCameAtOnce() async throws {
        let clock = ManualClock()
        let transport = StubTransport([lost])
        let session = stubbed(transport, clock: clock, TaskHandlers(), breaking)
        _ = try? await session.data(for: .to())
        let handlers = TaskHandlers(
            adapters: [Adapter { request, _ in request }],
            retriers: [Retrier { _, _ in .retryWithDelay(.seconds(9)) }])
        let task = session.dataTask(with: try .to(), handlers: handlers)
        task.resume()
        try await clock.waitForSleepers(count: 1)
        task.cancel()
        try await clock.waitForNoSleepers()
        #expect(task.error?.code == .cancelled && transport.requests.count == 1)
        await session.invalidate()
    }

    /// A retrier's word about a task that has ended changes nothing.
    @Test(arguments: [
        RetryResult.doNotRetry, .retry, .retryWithDelay(.seconds(9)),
        .doNotRetryWithError(LupineError(.authenticationFailed, "no")),
    ]) func beforeARetrierAnswers(_ result: RetryResult) async throws {
        let asked = Gate(), answer = Gate(), clock = ManualClock(), ends = Notes<LupineError.Code?>()
        let retrier = Retrier { _, _ in
            asked.open()
            // Deaf to its cancellation.
            _ = await Task { try await answer.opened() }.result
            return result
        }
        let transport = StubTransport([lost])
        let session = stubbed(transport, clock: clock, TaskHandlers(retriers: [retrier]))
        let task = session.dataTask(with: try .to()) { task, _ in ends.add(task.error?.code) }
        task.resume()
        try await asked.opened()
        weak let exchange = task.status.withLock { $0.exchange }
        task.cancel()
        answer.open()
        // The decision has the exchange until it is over.
        await until { exchange == nil }
        #expect(task.error?.code == .cancelled)
        await session.invalidate()
        #expect(transport.requests.count == 1 && session.tasks.isEmpty && clock.sleeperCount == 0)
        await until { ends.count > 0 }
        #expect(ends.all == [.cancelled])
    }

    /// Nobody is asked about a task that was cancelled while it waited for a network.
    @Test func whileANetworkIsAwaited() async throws {
        let waits = Gate(), asked = Notes<LupineError.Code>()
        var handlers = TaskHandlers(retriers: [
            Retrier { _, attempt in
                asked.add(attempt.error.code)
                return .doNotRetry
            }
        ])
        handlers.event = { _, event in if case .waitingForConnectivity = event { waits.open() } }
        let nowhere = StubExchange.failure(LupineError(.couldNotConnect, "no route"), delivery: .unsent)
        let session = stubbed(StubTransport([nowhere]), handlers) { configuration in
            configuration.connectivity = { _ in
                let (stream, continuation) = AsyncStream.makeStream(of: Bool.self)
                continuation.yield(false)
                return stream
            }
        }
        var request = try HTTPRequest.to()
        request.options.waitsForConnectivity = true
        let task = session.dataTask(with: request)
        task.resume()
        try await waits.opened()
        weak let exchange = task.status.withLock { $0.exchange }
        task.cancel()
        await until { exchange == nil }
        #expect(task.error?.code == .cancelled && asked.all.isEmpty)
        await session.invalidate()
    }

    /// Ends with another failure just when it is cancelled.
    private struct Crossing: HTTPTransport {
        final class Control: ExchangeControl {
            private let receiver: Lock<(any ExchangeReceiver)?>
            init(_ receiver: any ExchangeReceiver) { self.receiver = Lock(receiver) }
            func pause() {}
            func resume() {}
            func cancel() {
                let error = LupineError(.connectionLost, "gone")
                receiver.withLock { $0.take() }?.didFinish(ExchangeCompletion(error: error))
            }
        }

        func start(_ request: HTTPRequest, receiver: any ExchangeReceiver) -> any ExchangeControl { Control(receiver) }
        func shutdown() async {}
    }

    @Test(arguments: [false, true]) func asItFailed(isRetried: Bool) async throws {
        let asked = Notes<Int>()
        let retrier = Retrier { _, _ in
            asked.add(1)
            return .retry
        }
        var configuration = SessionConfiguration()
        configuration.callbackQueue = .global()
        let session = URLSessionManager(configuration: configuration, transport: Crossing())
        let task = session.dataTask(with: try .to(), handlers: isRetried ? TaskHandlers(retriers: [retrier]) : nil)
        task.resume()
        task.cancel()
        #expect(task.state == .completed && task.error?.code == .cancelled)
        #expect(asked.count == 0 && session.tasks.isEmpty)
        await session.invalidate()
    }

    /// An answer that is accepted when its task has ended is not the task's.
    @Test func beforeItsAnswerIsAccepted() async throws {
        let asked = Gate(), answer = Gate()
        var handlers = TaskHandlers()
        handlers.response = { _, _ in
            asked.open()
            _ = await Task { try await answer.opened() }.result
            return .allow
        }
        let session = stubbed(StubTransport([.response(body: "abc")]), handlers)
        let task = session.dataTask(with: try .to())
        task.resume()
        try await asked.opened()
        weak let exchange = task.status.withLock { $0.exchange }
        task.cancel()
        await until { task.state == .completed }
        answer.open()
        await until { exchange == nil }
        #expect(task.response == nil && task.error?.code == .cancelled)
        await session.invalidate()
    }
}
