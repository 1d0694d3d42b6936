import Dispatch
import FoundationEssentials
import LupineCore
import LupineSerialization
import LupineTesting
import Testing

@testable import Lupine

/// What interceptors were seen to do wrong.
@Suite(.timeLimit(.minutes(2)))
struct TryFaultTests {
    private let lost = StubExchange.failure(LupineError(.connectionLost, "gone", host: "host.test"))
    private let cut = StubExchange([
        .head(HTTPResponse(status: 200, headers: ["Content-Length": "9"])), .body("abcdef"),
        .failure(LupineError(.incompleteBody, "cut"), delivery: .answered),
    ])

    // MARK: Secrets

    /// What one adapter attached for an origin does not go along when the next leads elsewhere.
    @Test func aSecretOfAnEarlierAdapterStaysAtHome() async throws {
        let transport = StubTransport([.response()])
        let attaching = Adapter { request, _ in
            var request = request
            request.headers["Authorization"] = "Bearer secret"
            return request
        }
        let leading = Adapter { request, _ in
            var request = request
            request.url = try HTTPURL("http://mirror.test/")
            return request
        }
        _ = try await stubbed(transport, TaskHandlers(adapters: [attaching]))
            .data(for: .to(), handlers: TaskHandlers(adapters: [leading]))
        let sent = try #require(transport.requests.first).request
        #expect(sent.url.host == "mirror.test")
        #expect(sent.headers["Authorization"] == nil)
    }

    // MARK: Validation of streams

    @Test(arguments: [false, true]) func theTypeOfAStreamIsValidated(isStream: Bool) async throws {
        let transport = StubTransport([.response(headers: ["Content-Type": "text/html"], body: "<p>")])
        let handlers = TaskHandlers(validators: [.contentType(["application/json"])])
        let session = stubbed(transport)
        let error = await #expect(throws: LupineError.self) {
            if isStream {
                _ = try await session.stream(for: .to(), handlers: handlers)
            } else {
                _ = try await session.data(for: .to(), handlers: handlers)
            }
        }
        #expect(error?.code == .unacceptableContentType)
    }

    /// A stream without a body has no type to be wrong.
    @Test func aStreamOfNothingHasNoType() async throws {
        let handlers = TaskHandlers(validators: [.contentType(["application/json"])])
        let session = stubbed(
            StubTransport([.response(status: 204), .response(headers: ["Content-Length": "0"])]))
        for _ in 0..<2 { _ = try await session.stream(for: .to(), handlers: handlers) }
    }

    // MARK: Progress

    @Test func progressIsNoMoreThanTheWhole() async throws {
        let transport = StubTransport([cut, .response(headers: ["Content-Length": "3"], body: "abc")])
        let told = Notes<TransferProgress>()
        let session = stubbed(transport, TaskHandlers(retriers: [always]))
        let answer = try await session.data(for: .to(), downloadProgress: { told.add($0) })
        #expect(answer.text == "abc")
        for progress in told.all { #expect(progress.completed <= progress.total ?? .max, "\(progress)") }
        #expect(told.all.map(\.completed) == told.all.map(\.completed).sorted())
    }

    /// The body of an error's answer that is handed on counts as any other.
    @Test(arguments: [false, true]) func whatIsHandedOnCounts(isStream: Bool) async throws {
        let transport = StubTransport([
            .response(status: 404, headers: ["Content-Length": "4"], pieces: [Array("nono".utf8)])
        ])
        var handlers = TaskHandlers(retriers: [Retrier { _, _ in .doNotRetry }])
        let counts = Notes<Int64>()
        handlers.event = { _, event in if case .received(let progress) = event { counts.add(progress.completed) } }
        if !isStream { handlers.data = { _, _ in } }
        let session = stubbed(transport)
        if isStream {
            for try await _ in try await session.stream(for: .to(), handlers: handlers).body {}
        } else {
            _ = try await session.data(for: .to(), handlers: handlers)
        }
        await session.invalidate()
        await withCheckedContinuation { done in session.configuration.eventQueue.async { done.resume() } }
        #expect(counts.all.last == 4)
    }

    // MARK: What is known of a task

    @Test func theHeadOfAnEarlierTryIsNotTheAnswers() async throws {
        let transport = StubTransport([.response(status: 503), lost])
        let once = Retrier { _, attempt in attempt.retryCount == 0 ? .retry : .doNotRetry }
        let session = stubbed(transport)
        let task = session.dataTask(with: try .to(), handlers: TaskHandlers(retriers: [once]))
        let error = await #expect(throws: LupineError.self) { try await task.result() }
        #expect(error?.code == .connectionLost)
        #expect(task.response == nil)
    }

    /// An error of another request, thrown by an adapter or retrier, has that request's metrics.
    @Test func anotherRequestsMetricsAreNotTheTasks() async throws {
        let token = URLSessionManager(transport: StubTransport([.response(status: 500)]))
        let api = HTTPSessionManager(transport: StubTransport { _ in .response(status: 500, body: "no token") })
        let transport = StubTransport([.response(status: 401)])
        let refreshing = Retrier { _, _ in
            do {
                _ = try await api.get("http://token.test/")
                return .retry
            } catch { return .doNotRetryWithError(error) }
        }
        let task = stubbed(transport).dataTask(with: try .to(), handlers: TaskHandlers(retriers: [refreshing]))
        let error = await #expect(throws: LupineError.self) { try await task.result() }
        #expect(error?.response?.url?.host == "token.test")
        #expect(task.metrics.transactions.map(\.status) == [401])
        _ = token
    }

    /// Events carry no body bytes: whoever takes none would hold all of them.
    @Test func aFailedTrysBodyIsNotInItsEvent() async throws {
        let transport = StubTransport([.response(status: 503, body: "sorry"), .response()])
        let errors = Notes<LupineError>()
        var handlers = TaskHandlers(retriers: [always])
        handlers.event = { _, event in if case .retrying(let error, _) = event { errors.add(error) } }
        let session = stubbed(transport, handlers)
        _ = try await session.data(for: .to())
        await withCheckedContinuation { done in session.configuration.eventQueue.async { done.resume() } }
        #expect(errors.all.map(\.response?.status) == [503])
        #expect(errors.all.map(\.data) == [nil])
    }

    // MARK: The end

    /// Of a stream too: whoever is asked about it is told that the answer is of no interest any more.
    @Test(arguments: [false, true]) func aRetrierIsCancelledWithItsTask(isStream: Bool) async throws {
        let entered = Gate(), left = Gate()
        let waiting = Retrier { _, _ in
            entered.open()
            try? await Gate().opened()
            left.open()
            return .doNotRetry
        }
        let transport = StubTransport([.response(status: 503, body: "x")])
        let session = stubbed(transport, TaskHandlers(retriers: [waiting]))
        let work = Task {
            if isStream { _ = try await session.stream(for: .to()) } else { _ = try await session.data(for: .to()) }
        }
        try await entered.opened()
        work.cancel()
        _ = await work.result
        try await left.opened(within: .seconds(5))
        await session.invalidate()
    }

    @Test func waitsForANetworkOfAnyLength() async throws {
        let noRoute = StubExchange.failure(LupineError(.couldNotConnect, "no route"), delivery: .unsent)
        let waits = Gate()
        var handlers = TaskHandlers()
        handlers.event = { _, event in if case .waitingForConnectivity = event { waits.open() } }
        let session = stubbed(StubTransport([noRoute]), clock: ContinuousClock(), handlers) { configuration in
            configuration.connectivity = { _ in AsyncStream { $0.yield(false) } }
        }
        var request = try HTTPRequest.to()
        request.options.waitsForConnectivity = true
        request.options.timeouts.connectivity = .seconds(Int64.max)
        let task = session.dataTask(with: request)
        task.resume()
        try await waits.opened()
        await Duration.milliseconds(100).pass()
        #expect(task.state == .running)
        task.cancel()
        await session.invalidate()
    }

    @Test func pausesOfAnyLength() async throws {
        let transport = StubTransport([lost])
        let delay = Duration.seconds(Int64.max)
        let session = stubbed(
            transport, clock: ContinuousClock(), TaskHandlers(retriers: [Retrier { _, _ in .retryWithDelay(delay) }]))
        let task = session.dataTask(with: try .to())
        task.resume()
        try await transport.waitForRequests(1)
        await Duration.milliseconds(100).pass()
        task.cancel()
        _ = try? await task.result()
        #expect(transport.requests.count == 1)
        #expect(task.error?.code == .cancelled)
    }

    // MARK: What adapters change

    @Test func anAdaptersOptionsCount() async throws {
        let transport = StubTransport { _ in .response() }
        let changing = Adapter { request, _ in
            var request = request
            request.options.usesNewConnection = true
            request.options.timeouts.total = .seconds(7)
            return request
        }
        let session = stubbed(transport, TaskHandlers(adapters: [changing]))
        _ = try await session.data(for: .to())
        var limited = try HTTPRequest.to()
        limited.options.timeouts.total = .seconds(1000)
        _ = try await session.data(for: limited)
        let sent = transport.requests.map(\.request.options)
        #expect(sent.map(\.usesNewConnection) == [true, true])
        #expect(sent.allSatisfy { $0.timeouts.total.map { $0 <= .seconds(7) } ?? false })
    }

    /// A request made from nothing has the session's limit too.
    @Test func anAdaptersOwnRequestIsBoundedInMemory() async throws {
        let transport = StubTransport([.response(body: "more than that")])
        let making = Adapter { request, _ in HTTPRequest(url: request.url) }
        let session = stubbed(transport, TaskHandlers(adapters: [making])) { $0.maximumInMemoryBodySize = 4 }
        let error = await #expect(throws: LupineError.self) { try await session.data(for: .to()) }
        #expect(error?.code == .responseTooLarge)
    }

    // MARK: Budgets

    /// What requests pay into is what their retries are paid from.
    @Test(arguments: [false, true]) func theBudgetIsThatOfTheHostThatIsAsked(isAdapted: Bool) async throws {
        let transport = StubTransport { _ in .response(status: 503) }
        let leading = Adapter { request, _ in
            var request = request
            request.url = try HTTPURL("http://other.test/")
            return request
        }
        var handlers = TaskHandlers(retriers: [always])
        if isAdapted { handlers.adapters = [leading] }
        let session = stubbed(transport, handlers) { configuration in
            configuration.retryBudget?.refill = 0
            configuration.retryBudget?.reserve = 0
            configuration.retryBudget?.ratio = 1
            configuration.maximumRetries = 1
        }
        if !isAdapted {
            session.hstsStorage.store(
                ["Strict-Transport-Security": "max-age=1000"], for: try HTTPURL("https://host.test/"))
        }
        for _ in 0..<10 { _ = try await session.data(for: .to()) }
        #expect(transport.requests.count == 20)
    }
}

/// What is asked twice, or too much.
@Suite(.timeLimit(.minutes(2)))
struct RulingFaultTests {
    struct Mine: Error {}

    private func noting(_ notes: Notes<LupineError.Code>, _ result: RetryResult) -> Retrier {
        Retrier { _, attempt in
            notes.add(attempt.error.code)
            return result
        }
    }

    /// A stream that was refused by its head has been ruled upon.
    @Test func aRetrierIsAskedOnceAboutAStreamsHead() async throws {
        let asked = Notes<LupineError.Code>()
        let handlers = TaskHandlers(retriers: [noting(asked, .doNotRetry)], validators: [.acceptable])
        let session = stubbed(StubTransport([.response(status: 503, body: "later")]))
        let error = await #expect(throws: LupineError.self) { try await session.stream(for: .to(), handlers: handlers) }
        #expect(error?.code == .unacceptableStatus)
        #expect(asked.all == [.unacceptableStatus])
    }

    @Test func anotherErrorEndsAStream() async throws {
        let asked = Notes<LupineError.Code>()
        let handlers = TaskHandlers(retriers: [
            Retrier { _, attempt in
                asked.add(attempt.error.code)
                return asked.count == 1 ? .doNotRetryWithError(LupineError(.connectionLost, "mine")) : .retry
            }
        ])
        let transport = StubTransport([.response(status: 503, body: "later"), .response()])
        let error = await #expect(throws: LupineError.self) {
            try await stubbed(transport).stream(for: .to(), handlers: handlers)
        }
        #expect(error?.code == .connectionLost && error?.message.hasPrefix("mine") == true)
        #expect(asked.count == 1 && transport.requests.count == 1)
    }

    /// "An error that a decision throws ends the task with it."
    @Test func whatADecisionThrowsIsNotTriedAgain() async throws {
        let transport = StubTransport { _ in .response(body: "x") }
        var handlers = TaskHandlers(retriers: [always])
        handlers.response = { _, _ in throw LupineError(.connectionLost, "of another request") }
        let error = await #expect(throws: LupineError.self) {
            try await stubbed(transport).data(for: .to(), handlers: handlers)
        }
        #expect(error?.message == "of another request")
        #expect(transport.requests.count == 1)
    }

    /// That this machine has no network says nothing about a host.
    @Test func aHostIsNotBlamedForTheNetwork() async throws {
        let isThere = Lock(false), watchers = Lock<[AsyncStream<Bool>.Continuation]>([])
        let transport = StubTransport { _ in
            isThere.withLock(\.self)
                ? .response(body: "done") : .failure(LupineError(.couldNotConnect, "no route"), delivery: .unsent)
        }
        let waiting = Notes<Int>()
        var handlers = TaskHandlers()
        handlers.event = { task, event in if case .waitingForConnectivity = event { waiting.add(task.identifier) } }
        let session = stubbed(transport, handlers) { configuration in
            configuration.circuitBreaker = CircuitBreaker()
            configuration.circuitBreaker?.failureThreshold = 3
            configuration.connectivity = { _ in
                let (stream, continuation) = AsyncStream.makeStream(of: Bool.self)
                continuation.yield(isThere.withLock(\.self))
                watchers.withLock { $0.append(continuation) }
                return stream
            }
        }
        var request = try HTTPRequest.to()
        request.options.waitsForConnectivity = true
        let asked = (0..<5).map { _ in Task { [request] in try await session.data(for: request) } }
        await until { waiting.count == 5 }
        isThere.withLock { $0 = true }
        for watcher in watchers.withLock(\.self) { watcher.yield(true) }
        for asking in asked { #expect(try await asking.value.text == "done") }
    }

    /// One that refuses while the network is there is.
    @Test func aHostThatRefusesIsBlamedThoughItWasWaitedFor() async throws {
        let transport = StubTransport { _ in .failure(LupineError(.couldNotConnect, "refused"), delivery: .unsent) }
        let session = stubbed(transport) { configuration in
            configuration.circuitBreaker = CircuitBreaker()
            configuration.circuitBreaker?.failureThreshold = 3
            configuration.connectivity = { _ in
                AsyncStream { continuation in
                    continuation.yield(true)
                    continuation.finish()
                }
            }
        }
        var request = try HTTPRequest.to()
        request.options.waitsForConnectivity = true
        for _ in 0..<6 { _ = try? await session.data(for: request) }
        #expect(transport.requests.count == 3)
    }
}
