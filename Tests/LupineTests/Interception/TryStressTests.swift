import Dispatch
import FoundationEssentials
import LupineCore
import LupineTesting
import Testing

@testable import Lupine

/// Tasks with all that interceptors have, ended and turned at any moment.
@Suite(.timeLimit(.minutes(3)))
struct TryStressTests {
    private struct Generator: RandomNumberGenerator {
        var state: UInt64
        mutating func next() -> UInt64 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return state ^ (state >> 29)
        }
    }

    /// Fails in every way, and answers now and then.
    private static func transport() -> StubTransport {
        StubTransport { recorded in
            switch (recorded.index &* 7 + 3) % 9 {
            case 0: .failure(LupineError(.connectionLost, "gone"))
            case 1: .response(status: 503, headers: ["Retry-After": "0"], body: "busy")
            case 2: .response(status: 401, body: "who")
            case 3: .response(status: 303, headers: ["Location": "/b"], body: "there")
            case 4:
                StubExchange([
                    .head(HTTPResponse(status: 200, headers: ["Content-Length": "6"])), .body("abc"),
                    .failure(LupineError(.incompleteBody, "cut"), delivery: .answered),
                ])
            case 5: .failure(LupineError(.couldNotConnect, "no"), delivery: .unsent)
            default: .response(headers: ["Content-Length": "6"], pieces: [Array("abc".utf8), Array("def".utf8)])
            }
        }
    }

    private static func pause(_ random: Lock<Generator>) async throws {
        let kind = random.withLock { Int.random(in: 0..<4, using: &$0) }
        switch kind {
        case 0: return
        case 1: await Task.yield()
        default: await Duration.microseconds(kind * 200).pass()
        }
    }

    private static func handlers(_ random: Lock<Generator>) -> TaskHandlers {
        let authentication = AuthenticationInterceptor(
            authenticator: BearerAuthenticator { token in
                try await pause(random)
                return Token(value: token.value + "1")
            }, credential: .old, refreshWindow: nil)
        var handlers = TaskHandlers(
            adapters: [
                Adapter { request, task in
                    try await pause(random)
                    switch random.withLock({ Int.random(in: 0..<12, using: &$0) }) {
                    case 0: task.suspend()
                    case 1: task.cancel()
                    case 2: task.resume()
                    default: break
                    }
                    return request
                }
            ],
            retriers: [
                Retrier { task, attempt in
                    try? await pause(random)
                    switch random.withLock({ Int.random(in: 0..<12, using: &$0) }) {
                    case 0: task.suspend()
                    case 1: task.cancel()
                    case 2: return .doNotRetry
                    case 3: return .doNotRetryWithError(CancellationError())
                    case 4...6: return .retryWithDelay(.microseconds(300))
                    case 7,
                        8 where !attempt.mayHaveArrived:
                        return .retry
                    default: break
                    }
                    return .doNotRetry
                }
            ], validators: [.statusCode(200..<400)])
        handlers.intercept(with: authentication)
        return handlers
    }

    @Test(arguments: 0..<8) func everyTaskEndsOnce(_ seed: Int) async throws {
        let random = Lock(Generator(state: UInt64(seed + 1) &* 0x9E37_79B9_7F4A_7C15))
        let count = 300
        let ends = Lock([Int](repeating: 0, count: count)), wrong = Notes<String>()
        weak var core: SessionCore?
        do {
            let session = stubbed(Self.transport(), clock: ContinuousClock(), Self.handlers(random)) { configuration in
                configuration.circuitBreaker = CircuitBreaker()
                configuration.circuitBreaker?.openDuration = .milliseconds(1)
                configuration.connectivity = { _ in
                    AsyncStream { continuation in
                        continuation.yield(random.withLock { Bool.random(using: &$0) })
                        continuation.yield(true)
                    }
                }
            }
            core = session.core
            // Whoever an interceptor suspended goes on.
            let reviving = Task { [weak session] in
                while !Task.isCancelled {
                    for task in session?.tasks ?? [] { task.resume() }
                    await Duration.milliseconds(5).pass()
                }
            }
            defer { reviving.cancel() }
            await withTaskGroup(of: Void.self) { group in
                for index in 0..<count {
                    group.addTask {
                        var request = try! HTTPRequest.to("/\(index)", index % 5 == 0 ? .post : .get)
                        request.options.waitsForConnectivity = index % 3 == 0
                        if index % 7 == 0 { request.options.timeouts.total = .milliseconds(2) }
                        if index % 4 == 3 {
                            let work = Task { [request] in
                                let answer = try await session.stream(for: request)
                                var text = Data()
                                for try await piece in answer.body { text += piece }
                                if answer.status == 200, text != Data("abcdef".utf8) { wrong.add("\(text.count)") }
                            }
                            try? await Self.pause(random)
                            if index % 8 == 3 { work.cancel() }
                            _ = await work.result
                            ends.withLock { $0[index] += 1 }
                            return
                        }
                        let task = session.dataTask(with: request) { _, result in
                            ends.withLock { $0[index] += 1 }
                            if case .success(let answer) = result, answer.data != Data("abcdef".utf8) {
                                wrong.add("\(answer.status) \(answer.data.count)")
                            }
                        }
                        task.resume()
                        for _ in 0..<4 {
                            try? await Self.pause(random)
                            switch random.withLock({ Int.random(in: 0..<10, using: &$0) }) {
                            case 0: task.cancel()
                            case 1: task.suspend()
                            default: task.resume()
                            }
                        }
                    }
                }
            }
            if seed % 2 == 0 {
                for task in session.tasks { task.resume() }
                await Duration.milliseconds(20).pass()
            }
            await session.invalidate()
            #expect(session.tasks.isEmpty)
        }
        await until { ends.withLock { !$0.contains(0) } }
        #expect(ends.withLock { $0.allSatisfy { $0 == 1 } })
        #expect(wrong.all == [])
        await until { core == nil }
    }

    /// Retriers and adapters that ask the very session, and end it.
    @Test func interceptorsAskTheirOwnSession() async throws {
        let holder = Lock<URLSessionManager?>(nil)
        let transport = StubTransport { recorded in
            recorded.request.url.path == "/inner" ? .response(body: "inner") : .response(status: 503)
        }
        let asking = Retrier { _, attempt in
            guard attempt.request.url.path != "/inner", let session = holder.withLock(\.self) else {
                return .doNotRetry
            }
            if attempt.retryCount == 2 {
                await session.invalidate()
                return .retry
            }
            _ = try? await session.data(for: .to("/inner"))
            return .retry
        }
        let adapting = Adapter { request, _ in
            if request.url.path != "/inner", let session = holder.withLock(\.self) {
                _ = try? await session.data(for: .to("/inner"))
            }
            return request
        }
        let session = stubbed(transport, TaskHandlers(adapters: [adapting], retriers: [asking]))
        holder.withLock { $0 = session }
        let error = await #expect(throws: LupineError.self) { try await session.data(for: .to("/outer")) }
        #expect(error?.code == .cancelled)
        #expect(session.tasks.isEmpty)
        holder.withLock { $0 = nil }
    }

    /// Hundreds in pauses hold up nobody.
    @Test func manyPausesHoldUpNobody() async throws {
        let clock = ManualClock()
        let transport = StubTransport { recorded in
            recorded.request.url.path == "/free" ? .response(body: "free") : .response(status: 503)
        }
        let session = stubbed(
            transport, clock: clock,
            TaskHandlers(retriers: [Retrier { _, _ in .retryWithDelay(.seconds(100)) }])
        ) { $0.retryBudget = nil }
        let tasks = try (0..<500).map { _ in session.dataTask(with: try .to("/busy")) }
        for task in tasks { task.resume() }
        try await clock.waitForSleepers(count: 500, within: .seconds(20))
        #expect(try await session.data(for: .to("/free")).text == "free")
        await session.invalidate()
        try await clock.waitForNoSleepers()
    }
}
