import FoundationEssentials
import Lupine
import LupineCore
import LupineTesting
import Testing

/// What retriers are asked, and what is done with what they say.
@Suite(.timeLimit(.minutes(2)))
struct RetrierTests {
    private let lost = StubExchange.failure(LupineError(.connectionLost, "gone", host: "host.test"))

    private func noting(_ notes: Notes<FailedAttempt>, _ result: RetryResult = .retry) -> Retrier {
        Retrier { _, attempt in
            notes.add(attempt)
            return result
        }
    }

    @Test func aFailureOnTheWayIsTriedAgain() async throws {
        let transport = StubTransport([lost, lost, .response(body: "done")])
        let asked = Notes<FailedAttempt>()
        let answer = try await stubbed(transport, TaskHandlers(retriers: [noting(asked)])).data(for: .to())
        #expect(answer.text == "done")
        #expect(answer.sendings == 3)
        #expect(asked.all.map(\.retryCount) == [0, 1])
        #expect(asked.all.map(\.error.code) == [.connectionLost, .connectionLost])
        #expect(asked.all[1].previous.map(\.code) == [.connectionLost])
    }

    /// Whoever asks for no check gets the answer of the last try, as without retriers.
    @Test func anErrorsStatusIsOfferedAndThenTold() async throws {
        let transport = StubTransport([.response(status: 503, body: "a"), .response(status: 503, body: "b")])
        let asked = Notes<FailedAttempt>()
        let once = Retrier { _, attempt in
            asked.add(attempt)
            return attempt.retryCount == 0 ? .retry : .doNotRetry
        }
        let answer = try await stubbed(transport, TaskHandlers(retriers: [once])).data(for: .to())
        #expect(answer.status == 503 && answer.text == "b")
        #expect(asked.all.map(\.error.code) == [.unacceptableStatus, .unacceptableStatus])
        #expect(asked.all[0].error.data == Data("a".utf8))
        #expect(asked.all[1].previous.map(\.data) == [nil])
        #expect(asked.all[1].previous.map(\.response?.status) == [503])
    }

    @Test(arguments: [200, 204, 302, 304, 399]) func otherStatusesAreNot(_ status: Int) async throws {
        let transport = StubTransport([.response(status: HTTPStatus(rawValue: status))])
        let answer = try await stubbed(transport, TaskHandlers(retriers: [always])).data(for: .to())
        #expect(answer.status.rawValue == status && transport.requests.count == 1)
    }

    @Test func theFirstThatWantsItCounts() async throws {
        let transport = StubTransport([lost, .response()])
        let first = Notes<FailedAttempt>(), second = Notes<FailedAttempt>(), third = Notes<FailedAttempt>()
        let session = stubbed(transport, TaskHandlers(retriers: [noting(first, .doNotRetry), noting(second)]))
        _ = try await session.data(for: .to(), handlers: TaskHandlers(retriers: [noting(third)]))
        #expect([first.count, second.count, third.count] == [1, 1, 0])
    }

    @Test func anotherErrorEndsIt() async throws {
        struct Mine: Error {}
        let other = Notes<FailedAttempt>()
        let handlers = TaskHandlers(retriers: [Retrier { _, _ in .doNotRetryWithError(Mine()) }, noting(other)])
        let error = await #expect(throws: LupineError.self) {
            try await stubbed(StubTransport([lost]), handlers).data(for: .to())
        }
        #expect(error?.underlying is Mine && other.count == 0)
    }

    @Test func retriersThatNeverHaveEnoughAreBounded() async throws {
        let transport = StubTransport { _ in .response(status: 500) }
        let session = stubbed(transport, TaskHandlers(retriers: [always])) { $0.maximumRetries = 7 }
        #expect(try await session.data(for: .to()).status == 500)
        #expect(transport.requests.count == 8)
    }

    @Test func thePauseGoesByTheSessionsClock() async throws {
        let clock = ManualClock()
        let transport = StubTransport([lost, .response(body: "done")])
        let session = stubbed(
            transport, clock: clock, TaskHandlers(retriers: [Retrier { _, _ in .retryWithDelay(.seconds(3600)) }]))
        let answer = Task { try await session.data(for: .to()) }
        try await clock.waitForSleepers(count: 1)
        clock.advance(by: .seconds(3599))
        #expect(clock.sleeperCount == 1 && transport.requests.count == 1)
        clock.advance(by: .seconds(1))
        #expect(try await answer.value.text == "done")
    }

    @Test func cancelledInThePause() async throws {
        let clock = ManualClock()
        let transport = StubTransport([lost])
        let session = stubbed(
            transport, clock: clock, TaskHandlers(retriers: [Retrier { _, _ in .retryWithDelay(.seconds(9)) }]))
        let task = session.dataTask(with: try .to())
        let result = Task { try await task.result() }
        try await clock.waitForSleepers(count: 1)
        task.cancel()
        let error = await #expect(throws: LupineError.self) { try await result.value }
        #expect(error?.code == .cancelled)
        // Nobody sleeps on.
        try await clock.waitForNoSleepers()
        await session.invalidate()
    }

    @Test func suspendedInThePauseItGoesOnOnceResumed() async throws {
        let clock = ManualClock()
        let transport = StubTransport([lost, .response(body: "done")])
        let session = stubbed(
            transport, clock: clock, TaskHandlers(retriers: [Retrier { _, _ in .retryWithDelay(.seconds(9)) }]))
        let task = session.dataTask(with: try .to())
        task.resume()
        try await clock.waitForSleepers(count: 1)
        task.suspend()
        clock.advance(by: .seconds(9))
        for _ in 0..<100 { await Task.yield() }
        #expect(transport.requests.count == 1)
        #expect(try await task.result().text == "done")
    }

    @Test func theLimitInAllCountsInThePause() async throws {
        let transport = StubTransport([lost])
        let session = stubbed(transport, TaskHandlers(retriers: [Retrier { _, _ in .retryWithDelay(.seconds(9)) }]))
        var request = try HTTPRequest.to()
        request.options.timeouts.total = .milliseconds(20)
        let error = await #expect(throws: LupineError.self) { try await session.data(for: request) }
        #expect(error?.code == .timedOut)
        let asked = Notes<FailedAttempt>()
        request.options.timeouts.total = .seconds(100)
        _ = try await stubbed(StubTransport([lost, .response()]), TaskHandlers(retriers: [noting(asked)]))
            .data(for: request)
        let remaining = try #require(asked.all.first?.remaining)
        #expect(remaining > .seconds(50) && remaining <= .seconds(100))
    }

    @Test func nobodyIsAskedAboutACancelledTask() async throws {
        let asked = Notes<FailedAttempt>()
        let gate = Gate()
        let transport = StubTransport([StubExchange.response().held(until: gate)])
        let session = stubbed(transport, TaskHandlers(retriers: [noting(asked)]))
        let task = session.dataTask(with: try .to())
        task.resume()
        try await transport.waitForRequests(1)
        task.cancel()
        _ = try? await task.result()
        #expect(task.error?.code == .cancelled && asked.count == 0)
    }

    // MARK: What may be sent a second time

    struct Arrival: CustomStringConvertible {
        let method: HTTPMethod
        let delivery: RequestDelivery
        let mayHaveArrived: Bool
        var description: String { "\(method) \(delivery)" }
    }

    @Test(arguments: [
        Arrival(method: .get, delivery: .unsent, mayHaveArrived: false),
        Arrival(method: .get, delivery: .unanswered, mayHaveArrived: false),
        Arrival(method: .put, delivery: .answered, mayHaveArrived: false),
        Arrival(method: .post, delivery: .unsent, mayHaveArrived: false),
        Arrival(method: .post, delivery: .unanswered, mayHaveArrived: true),
        Arrival(method: .post, delivery: .answered, mayHaveArrived: true),
        Arrival(method: .patch, delivery: .unanswered, mayHaveArrived: true),
    ]) func whatMayHaveArrivedIsTold(_ row: Arrival) async throws {
        let asked = Notes<FailedAttempt>()
        let transport = StubTransport([.failure(LupineError(.connectionLost, "gone"), delivery: row.delivery)])
        _ = try? await stubbed(transport, TaskHandlers(retriers: [noting(asked, .doNotRetry)]))
            .data(for: .to("/", row.method))
        #expect(asked.all.map(\.mayHaveArrived) == [row.mayHaveArrived])
    }

    /// A POST that led to a GET has been acted on, though the GET could be sent again.
    @Test func whatLedARedirectHasArrived() async throws {
        let asked = Notes<FailedAttempt>()
        let transport = StubTransport([.response(status: 303, headers: ["Location": "/b"]), .response(status: 503)])
        _ = try await stubbed(transport, TaskHandlers(retriers: [noting(asked, .doNotRetry)]))
            .data(for: .to("/a", .post, body: .text("x")))
        #expect(asked.all.map(\.mayHaveArrived) == [true])
        #expect(asked.all.map(\.request.method) == [.post])
        #expect(asked.all.map(\.request.url.path) == ["/a"])
    }

    @Test func aRetryBeginsBeforeTheRedirects() async throws {
        let transport = StubTransport([
            .response(status: 302, headers: ["Location": "/b"]), .response(status: 503),
            .response(status: 302, headers: ["Location": "/c"]), .response(body: "done"),
        ])
        let answer = try await stubbed(transport, TaskHandlers(retriers: [always])).data(for: .to("/a"))
        #expect(transport.requests.map(\.request.url.path) == ["/a", "/b", "/a", "/c"])
        #expect(answer.redirects.map(\.path) == ["/a"])
    }

    @Test(arguments: [false, true]) func aBodyThatCanBeReadOnceIsNotSentTwice(givesNew: Bool) async throws {
        let transport = StubTransport([.response(status: 401), .response(body: "done")], readsBodies: true)
        let asked = Notes<FailedAttempt>()
        var handlers = TaskHandlers(retriers: [noting(asked)])
        if givesNew { handlers.newBody = { _ in .text("again") } }
        let body = HTTPBody.oneShotStream(reader: PatternReader(count: 5))
        let request = try HTTPRequest.to("/", .post, body: body)
        let session = stubbed(transport, handlers)
        if givesNew {
            #expect(try await session.data(for: request).text == "done")
            #expect(transport.requests.last?.text == "again")
        } else {
            let error = await #expect(throws: LupineError.self) { try await session.data(for: request) }
            #expect(error?.code == .uploadSourceFailed)
            #expect((error?.underlying as? LupineError)?.response?.status == 401)
            #expect(transport.requests.count == 1)
        }
        #expect(asked.all.map(\.isRepeatable) == [givesNew])
    }

    // MARK: What is seen from outside

    @Test func progressIsThatOfTheAnswer() async throws {
        let transport = StubTransport([
            .response(status: 503, headers: ["Content-Length": "9"], body: "try later"),
            StubExchange([
                .head(HTTPResponse(status: 200, headers: ["Content-Length": "6"])), .body("abc"),
                .failure(LupineError(.incompleteBody, "cut"), delivery: .answered),
            ]),
            .response(headers: ["Content-Length": "6"], body: "abcdef"),
        ])
        let events = Notes<TaskEvent>()
        var handlers = TaskHandlers(retriers: [always])
        handlers.event = { _, event in events.add(event) }
        let told = Notes<TransferProgress>()
        let answer = try await stubbed(transport, handlers).data(for: .to(), downloadProgress: { told.add($0) })
        #expect(answer.text == "abcdef")
        #expect(told.all.last == TransferProgress(completed: 6, total: 6))
        #expect(told.all.map(\.completed) == told.all.map(\.completed).sorted())
    }

    @Test func eventsTellOfTheTries() async throws {
        let transport = StubTransport([lost, .response(status: 503), .response(body: "done")])
        let session = stubbed(transport)
        let task = session.dataTask(with: try .to(), handlers: TaskHandlers(retriers: [always]))
        let reader = Task {
            var names: [String] = []
            for await event in task.events {
                switch event {
                case .retrying(let error, let delay): names.append("retrying \(error.code) \(delay == .zero)")
                case .response(let head): names.append("response \(head.status)")
                case .completed(let error): names.append("completed \(error == nil)")
                default: break
                }
            }
            return names
        }
        _ = try await task.result()
        let names = await reader.value
        #expect(names.suffix(2) == ["response 200", "completed true"])
        #expect(task.metrics.transactions.count == 3)
        #expect(task.metrics.transactions.map(\.status) == [nil, 503, 200])
    }

    @Test func closuresAreCalledOnceWithTheLast() async throws {
        let transport = StubTransport([lost, .response(status: 503), .response(body: "done")])
        let session = stubbed(transport, TaskHandlers(retriers: [always]))
        let results = Notes<String?>()
        let done = Gate()
        session.dataTask(with: try .to()) { _, result in
            results.add(try? result.get().text)
            done.open()
        }.resume()
        try await done.opened()
        await session.invalidate()
        #expect(results.all == ["done"])
    }

    // MARK: What is told, to the letter

    private static func names(_ events: [TaskEvent]) -> [String] {
        events.compactMap { event in
            switch event {
            case .retrying(let error, let delay): "retrying \(error.code) \(delay)"
            case .response(let head): "response \(head.status)"
            case .completed(let error): "completed \(error == nil)"
            default: nil
            }
        }
    }

    /// A task's events up to its end.
    private func events(
        _ transport: StubTransport, _ handlers: TaskHandlers, _ request: HTTPRequest
    ) async throws -> [TaskEvent] {
        let events = Notes<TaskEvent>(), done = Gate()
        var handlers = handlers
        handlers.event = { _, event in
            events.add(event)
            if case .completed = event { done.open() }
        }
        _ = try? await stubbed(transport, handlers).data(for: request)
        try await done.opened()
        return events.all
    }

    /// A pause of less than nothing is none.
    @Test func everyRetryIsToldWithItsPause() async throws {
        let results: [RetryResult] = [.retry, .retryWithDelay(.seconds(-1)), .retryWithDelay(.zero)]
        let transport = StubTransport([lost, .response(status: 503), lost, .response()])
        let told = try await events(
            transport, TaskHandlers(retriers: [Retrier { _, attempt in results[attempt.retryCount] }]), .to())
        #expect(
            Self.names(told) == [
                "retrying connection-lost 0.0 seconds", "response 503", "retrying unacceptable-status 0.0 seconds",
                "retrying connection-lost 0.0 seconds", "response 200", "completed true",
            ])
    }

    @Test(arguments: [400, 401, 500, 599]) func everyErrorsStatusIsOffered(_ status: Int) async throws {
        let transport = StubTransport([.response(status: HTTPStatus(rawValue: status)), .response()])
        #expect(try await stubbed(transport, TaskHandlers(retriers: [always])).data(for: .to()).status == 200)
        #expect(transport.requests.count == 2)
    }

    /// Without a retrier an error's body is that of the answer.
    @Test func anErrorsBodyCountsWhereNobodyTriesAgain() async throws {
        let transport = StubTransport([.response(status: 404, headers: ["Content-Length": "4"], body: "none")])
        let task = stubbed(transport, TaskHandlers(validators: [ResponseValidator { _, _, _ in }]))
            .dataTask(with: try .to())
        _ = try await task.result()
        #expect(task.downloadProgress == TransferProgress(completed: 4, total: 4))
    }
}
