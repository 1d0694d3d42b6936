import FoundationEssentials
import Lupine
import LupineCore
import LupineTesting
import Testing

/// Budgets and circuits of a session's hosts, through its tasks.
@Suite(.timeLimit(.minutes(2)))
struct HostLimitFlowTests {
    private func breaking(_ failures: Int = 3) -> (inout SessionConfiguration) -> Void {
        { configuration in
            var breaker = CircuitBreaker()
            breaker.failureThreshold = failures
            configuration.circuitBreaker = breaker
        }
    }

    @Test func aDyingHostIsNotHammered() async throws {
        let transport = StubTransport { _ in .response(status: 503) }
        let session = stubbed(transport, TaskHandlers(retriers: [always])) { configuration in
            configuration.maximumRetries = 100
            configuration.retryBudget?.refill = 0
        }
        for _ in 0..<50 { _ = try await session.data(for: .to()) }
        // 10 of the reserve, and one for five requests.
        #expect((55...70).contains(transport.requests.count), "\(transport.requests.count)")
        // Another host has its own.
        let before = transport.requests.count
        _ = try await session.data(for: HTTPRequest(url: try HTTPURL("http://other.test/")))
        #expect(transport.requests.count - before == 11)
    }

    @Test func withoutABudgetAllIsRetried() async throws {
        let transport = StubTransport { _ in .failure(LupineError(.connectionLost, "gone")) }
        let session = stubbed(transport, TaskHandlers(retriers: [always])) { configuration in
            configuration.maximumRetries = 50
            configuration.retryBudget = nil
        }
        _ = try? await session.data(for: .to())
        #expect(transport.requests.count == 51)
    }

    /// A refusal that another credential answers is no trouble of the host's.
    @Test func whatIsNoTroubleIsFree() async throws {
        let transport = StubTransport { _ in .response(status: 401) }
        let session = stubbed(transport, TaskHandlers(retriers: [always])) { $0.maximumRetries = 50 }
        _ = try await session.data(for: .to())
        #expect(transport.requests.count == 51)
    }

    @Test func aHostThatFailsIsNotAskedAndThenTriedByOne() async throws {
        let clock = ManualClock(), isWell = Gate(), trial = Gate()
        let transport = StubTransport { recorded in
            guard isWell.isOpen else { return .failure(LupineError(.couldNotConnect, "refused"), delivery: .unsent) }
            return .response(body: "\(recorded.index)").held(until: trial)
        }
        let session = stubbed(transport, clock: clock, TaskHandlers(), breaking())
        for _ in 0..<3 {
            let error = await #expect(throws: LupineError.self) { try await session.data(for: .to()) }
            #expect(error?.code == .couldNotConnect)
        }
        for _ in 0..<3 {
            let error = await #expect(throws: LupineError.self) { try await session.data(for: .to()) }
            #expect(error?.code == .notReachable && error?.host == "host.test")
        }
        #expect(transport.requests.count == 3)
        isWell.open()
        clock.advance(by: .seconds(30))
        let first = Task { try await session.data(for: .to()) }
        try await transport.waitForRequests(4)
        let error = await #expect(throws: LupineError.self) { try await session.data(for: .to()) }
        #expect(error?.code == .notReachable)
        trial.open()
        #expect(try await first.value.text == "3")
        #expect(try await session.data(for: .to()).text == "4")
    }

    /// Closures, retries and cancellations meet a closed way as async functions do.
    @Test func everyFormIsToldOnce() async throws {
        let transport = StubTransport { _ in .response(status: 500) }
        let session = stubbed(transport, TaskHandlers(retriers: [always])) { configuration in
            self.breaking(2)(&configuration)
            configuration.maximumRetries = 5
        }
        // Two failures, then the circuit is open for the other tries.
        let error = await #expect(throws: LupineError.self) { try await session.data(for: .to()) }
        #expect(error?.code == .notReachable)
        #expect(transport.requests.count == 2)
        let results = Notes<LupineError.Code?>(), done = Gate()
        session.dataTask(with: try .to()) { _, result in
            if case .failure(let error) = result { results.add(error.code) }
            done.open()
        }.resume()
        try await done.opened()
        let streamed = await #expect(throws: LupineError.self) { try await session.stream(for: .to()) }
        #expect(streamed?.code == .notReachable)
        await session.invalidate()
        #expect(results.all == [.notReachable] && session.tasks.isEmpty)
    }

    @Test func aTrialThatIsCancelledLetsTheNextTry() async throws {
        let clock = ManualClock(), well = Gate()
        let transport = StubTransport { _ in
            well.isOpen ? .unanswered : .failure(LupineError(.timedOut, "mute"))
        }
        let session = stubbed(transport, clock: clock, TaskHandlers(), breaking(1))
        _ = try? await session.data(for: .to())
        clock.advance(by: .seconds(30))
        well.open()
        for round in 2...3 {
            let task = session.dataTask(with: try .to())
            task.resume()
            try await transport.waitForRequests(round)
            task.cancel()
            _ = try? await task.result()
        }
        #expect(transport.requests.count == 3)
        await session.invalidate()
    }

    /// Used up, there is one retry for five requests.
    @Test func eachRequestPaysIn() async throws {
        let transport = StubTransport { _ in .response(status: 503) }
        let session = stubbed(transport, TaskHandlers(retriers: [always])) { configuration in
            configuration.maximumRetries = 100
            configuration.retryBudget?.refill = 0
        }
        _ = try await session.data(for: .to())
        #expect(transport.requests.count == 11)
        for _ in 0..<6 { _ = try await session.data(for: .to()) }
        #expect(transport.requests.count == 11 + 6 + 1)
    }

    /// What was not sent has not arrived.
    @Test func whatACircuitHoldsBackHasNotArrived() async throws {
        let transport = StubTransport([.response(status: 503)])
        let asked = Notes<FailedAttempt>()
        let retrier = Retrier { _, attempt in
            asked.add(attempt)
            return attempt.retryCount == 0 ? .retry : .doNotRetry
        }
        _ = try? await stubbed(transport, TaskHandlers(retriers: [retrier]), breaking(1)).data(for: .to("/", .post))
        #expect(asked.all.map(\.error.code) == [.unacceptableStatus, .notReachable])
        #expect(asked.all.map(\.mayHaveArrived) == [true, false])
    }

    /// A stream speaks for its host once, by its head: its end is not heard.
    @Test func aStreamCountsOnce() async throws {
        let transport = StubTransport([.response(status: 503), .response(status: 503), .response()])
        let session = stubbed(transport, TaskHandlers(), breaking(3))
        for _ in 0..<2 { for try await _ in try await session.stream(for: .to()).body {} }
        #expect(try await session.data(for: .to()).status == 200)
    }

    @Test func aStreamsHeadIsTrialEnough() async throws {
        let clock = ManualClock(), goOn = Gate()
        let stream = StubExchange([.head(HTTPResponse(status: 200)), .body("a"), .hold(goOn), .body("b")])
        let transport = StubTransport([.response(status: 503), stream, .response(body: "done")])
        let session = stubbed(transport, clock: clock, TaskHandlers(), breaking(1))
        _ = try await session.data(for: .to())
        clock.advance(by: .seconds(30))
        let trial = try await session.stream(for: .to())
        #expect(try await session.data(for: .to()).text == "done")
        goOn.open()
        for try await _ in trial.body {}
    }

    /// The circuit is that of the host that failed, not of the one that led there.
    @Test func aRedirectsEndIsTheOtherHosts() async throws {
        let transport = StubTransport { recorded in
            guard recorded.request.url.host == "host.test" else { return .response(status: 503) }
            return recorded.request.url.path == "/away"
                ? .response(status: 302, headers: ["Location": "http://other.test/"]) : .response(body: "well")
        }
        let session = stubbed(transport, TaskHandlers(), breaking(1))
        #expect(try await session.data(for: .to("/away")).status == 503)
        #expect(try await session.data(for: .to()).text == "well")
        let error = await #expect(throws: LupineError.self) {
            try await session.data(for: HTTPRequest(url: try HTTPURL("http://other.test/")))
        }
        #expect(error?.code == .notReachable)
    }
}
