import FoundationEssentials
import LupineCore
import LupineTesting
import Testing

@testable import Lupine

/// What a further try takes over from those before, and what it begins anew.
@Suite(.timeLimit(.minutes(2)))
struct TryPathTests {
    private let lost = StubExchange.failure(LupineError(.connectionLost, "gone", host: "host.test"))
    private let unsent = StubExchange.failure(LupineError(.couldNotConnect, "no"), delivery: .unsent)

    /// Of a kept connection, so that the request goes out again by itself.
    private var stale: StubExchange {
        var exchange = StubExchange.failure(LupineError(.connectionLost, "stale"), delivery: .unsent)
        exchange.metrics.isReusedConnection = true
        return exchange
    }

    private func redirect(_ path: String, _ status: HTTPStatus = 302) -> StubExchange {
        .response(status: status, headers: ["Location": path])
    }

    private func noting(_ notes: Notes<FailedAttempt>, tries: Int = 1) -> Retrier {
        Retrier { _, attempt in
            notes.add(attempt)
            return attempt.retryCount < tries - 1 ? .retry : .doNotRetry
        }
    }

    @Test func allSendingsAreCounted() async throws {
        let transport = StubTransport([stale, .response(status: 503), stale, .response(body: "done")])
        let answer = try await stubbed(transport, TaskHandlers(retriers: [always])).data(for: .to())
        #expect(answer.sendings == 4 && transport.requests.count == 4)
    }

    @Test func aTasksRequestHasTheSessionsFieldsEachTime() async throws {
        let transport = StubTransport([lost, .response()])
        _ = try await stubbed(transport, TaskHandlers(retriers: [always])).dataTask(with: .to()).result()
        #expect(
            transport.requests.map { $0.request.headers.values(for: "User-Agent") }
                == [[SessionConfiguration.userAgent], [SessionConfiguration.userAgent]])
        #expect(transport.requests.allSatisfy { $0.request.options.maximumBodySize != nil })
    }

    /// Each sending has what is left of the limit in all.
    @Test(arguments: ["retry", "network", "adapter"]) func theLimitGoesOn(_ kind: String) async throws {
        let transport = StubTransport([kind == "network" ? unsent : lost, .response()])
        let passing = Adapter { request, _ in request }
        let session = stubbed(
            transport, TaskHandlers(adapters: kind == "adapter" ? [passing] : [], retriers: [always])
        ) { configuration in
            // Gone, and back at once.
            configuration.connectivity = { _ in
                AsyncStream { continuation in
                    continuation.yield(false)
                    continuation.yield(true)
                    continuation.finish()
                }
            }
        }
        var request = try HTTPRequest.to()
        request.options.timeouts.total = .seconds(1000)
        request.options.waitsForConnectivity = kind == "network"
        _ = try await session.data(for: request)
        let limits = try transport.requests.map { try #require($0.request.options.timeouts.total) }
        #expect(limits.count == 2 && limits[1] < limits[0])
        #expect(limits[0] < .seconds(1000) || kind != "adapter")
    }

    /// Where an adapter leads is looked up among the hosts that take no plain HTTP.
    @Test func whereAnAdapterLeadsIsSecured() async throws {
        let transport = StubTransport([lost, .response()])
        let elsewhere = Adapter { request, _ in
            var request = request
            request.url = try HTTPURL("http://safe.test/")
            return request
        }
        let storage = HSTSStorage()
        storage.set(HSTSPolicy(host: "safe.test", expires: .distantFuture))
        let session = stubbed(transport, TaskHandlers(adapters: [elsewhere], retriers: [always])) {
            $0.hstsStorage = storage
        }
        _ = try await session.data(for: .to())
        #expect(transport.requests.map(\.request.url.description) == ["https://safe.test/", "https://safe.test/"])
    }

    @Test func eachTryHasItsRedirects() async throws {
        let transport = StubTransport([
            redirect("/b"), .response(status: 503), redirect("/c"), .response(status: 503), redirect("/d"),
            .response(body: "done"),
        ])
        let session = stubbed(transport, TaskHandlers(retriers: [always])) { $0.redirects.maximumRedirects = 1 }
        let task = session.dataTask(with: try .to("/a"))
        let answer = try await task.result()
        #expect(answer.text == "done" && answer.redirects.map(\.path) == ["/a"])
        #expect(task.metrics.redirectCount == 1)
    }

    // MARK: What may have been acted on

    struct Row: CustomStringConvertible, Sendable {
        let description: String
        let method: HTTPMethod
        let exchanges: [StubExchange]
        let mayHaveArrived: [Bool]
    }

    static var rows: [Row] {
        let tests = Self()
        return [
            Row(
                description: "a GET that led to another", method: .get,
                exchanges: [tests.redirect("/b"), .response(status: 503)], mayHaveArrived: [false]),
            Row(
                description: "a POST that led to a GET, and then one that did not leave", method: .post,
                exchanges: [tests.redirect("/b", 303), .response(status: 503), tests.unsent],
                mayHaveArrived: [true, false]),
            Row(
                description: "a POST that led to a GET that did not leave", method: .post,
                exchanges: [tests.redirect("/b", 303), tests.unsent], mayHaveArrived: [true]),
            Row(
                description: "a POST that led to a POST that did not leave", method: .post,
                exchanges: [tests.redirect("/b", 307), tests.unsent], mayHaveArrived: [true]),
        ]
    }

    @Test(arguments: rows) func whatMayHaveArrived(_ row: Row) async throws {
        let asked = Notes<FailedAttempt>()
        let transport = StubTransport(row.exchanges)
        let handlers = TaskHandlers(retriers: [noting(asked, tries: row.mayHaveArrived.count)])
        _ = try? await stubbed(transport, handlers).data(for: .to("/a", row.method, body: .text("x")))
        #expect(asked.all.map(\.mayHaveArrived) == row.mayHaveArrived)
    }

    // MARK: Bodies that can be read once

    /// Spent by the first exchange, though the last had none.
    @Test func aBodyThatARedirectLeftBehindIsSpent() async throws {
        let transport = StubTransport([redirect("/b", 303), .response(status: 503)], readsBodies: true)
        let asked = Notes<FailedAttempt>()
        let body = HTTPBody.oneShotStream(reader: PatternReader(count: 5))
        let error = await #expect(throws: LupineError.self) {
            try await stubbed(transport, TaskHandlers(retriers: [noting(asked, tries: 2)]))
                .data(for: .to("/a", .post, body: body))
        }
        #expect(asked.all.map(\.isRepeatable) == [false])
        #expect(error?.code == .uploadSourceFailed && transport.requests.count == 2)
    }

    @Test func noNewBodyIsGiven() async throws {
        let transport = StubTransport([.response(status: 401), .response()], readsBodies: true)
        var handlers = TaskHandlers(retriers: [always])
        handlers.newBody = { _ in nil }
        let body = HTTPBody.oneShotStream(reader: PatternReader(count: 5))
        let error = await #expect(throws: LupineError.self) {
            try await stubbed(transport, handlers).data(for: .to("/", .post, body: body))
        }
        #expect(error?.code == .uploadSourceFailed && error?.message.contains("no new body was given") == true)
        #expect(transport.requests.count == 1)
    }

    // MARK: Progress

    /// Hears of each event, before any are taken together.
    private final class Listener: TaskListener {
        let events = Notes<TaskEvent>()
        func add(_ events: [TaskEvent]) { for event in events { self.events.add(event) } }
    }

    /// Nothing that was told falls when a try begins at nothing again.
    @Test func progressNeverFalls() async throws {
        let cut = StubExchange([
            .head(HTTPResponse(status: 200, headers: ["Content-Length": "6"])), .body("abcd"),
            .failure(LupineError(.incompleteBody, "cut"), delivery: .answered),
        ])
        let whole = StubExchange.response(
            headers: ["Content-Length": "6"], pieces: [Array("ab".utf8), Array("cdef".utf8)])
        let transport = StubTransport([cut, whole], readsBodies: true)
        let body = HTTPBody.stream(length: 6) { PiecesReader(["ab", "cd", "ef"]) }
        let task = stubbed(transport, TaskHandlers(retriers: [always])).dataTask(with: try .to("/", .put, body: body))
        let listener = Listener()
        task.add(listener)
        #expect(try await task.result().text == "abcdef")
        let events = listener.events.all
        let received = events.compactMap { if case .received(let progress) = $0 { progress.completed } else { nil } }
        let sent = events.compactMap { if case .sent(let progress) = $0 { progress.completed } else { nil } }
        #expect(received == [4, 4, 6])
        #expect(sent == [2, 4, 6])
    }

    // MARK: The limit in all

    @Test func theLimitsEndTellsTheRedirects() async throws {
        var request = try HTTPRequest.to("/a")
        request.options.timeouts.total = .zero
        let core = stubbed(StubTransport([])).core
        var path = TaskPath(request, core: core)
        path.follow(try .to("/b"), core: core)
        let errors = Notes<LupineError>(), rung = Gate()
        let alarm = path.alarm {
            errors.add($0)
            rung.open()
        }
        try await rung.opened()
        #expect(errors.all.map(\.code) == [.timedOut] && alarm != nil)
        #expect(errors.all[0].redirects.map(\.path) == ["/a"])
    }
}
