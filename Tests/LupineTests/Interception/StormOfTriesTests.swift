import Dispatch
import FoundationEssentials
import LupineCore
import LupineTesting
import Testing

@testable import Lupine

/// Tasks with adapters, retriers and validators, while threads resume, suspend and cancel them at random, time goes on in leaps, and
/// sessions are invalidated: each ends once, and nothing is left of it.
@Suite(.timeLimit(.minutes(2)))
struct StormOfTriesTests {
    /// By how often a request was asked for: all kinds of ends, some of which lead to another try.
    private static func exchange(_ index: Int, _ random: inout SeededGenerator) -> StubExchange {
        switch Int.random(in: 0..<8, using: &random) {
        case 0: .failure(LupineError(.connectionLost, "gone"))
        case 1: .failure(LupineError(.couldNotConnect, "no"), delivery: .unsent)
        case 2: .response(status: 503, body: "later")
        case 3: .response(status: 302, headers: ["Location": "/hop\(index)"])
        case 4: .response(body: "stale")
        default: .response(body: "done")
        }
    }

    /// Waits at times, by the clock or by letting others run, and throws at times.
    private static func pause(_ random: Lock<SeededGenerator>, _ clock: ManualClock) async throws {
        switch random.withLock({ Int.random(in: 0..<16, using: &$0) }) {
        case 0..<4: try await clock.sleep(for: .seconds(1))
        case 4..<8: await Task.yield()
        case 8: throw LupineError(.authenticationFailed, "no")
        default: break
        }
    }

    private static func handlers(_ random: Lock<SeededGenerator>, _ clock: ManualClock) -> TaskHandlers {
        var handlers = TaskHandlers(
            adapters: [
                Adapter { request, _ in
                    try await pause(random, clock)
                    return request
                }
            ],
            retriers: [
                Retrier { _, attempt in
                    do { try await pause(random, clock) } catch { return .doNotRetryWithError(error) }
                    guard attempt.retryCount < 4 else { return .doNotRetry }
                    return random.withLock { Bool.random(using: &$0) } ? .retry : .retryWithDelay(.seconds(2))
                }
            ],
            validators: [
                ResponseValidator { _, _, data in
                    if data == Data("stale".utf8) { throw LupineError(.checksumMismatch, "stale") }
                }
            ])
        handlers.redirect = { _, _, next in
            try await pause(random, clock)
            return next
        }
        return handlers
    }

    /// Four threads, each with its own luck.
    private func disturb(_ tasks: [SessionTask], _ clock: ManualClock, seed: UInt64) async {
        await withTaskGroup(of: Void.self) { group in
            for thread in 0..<4 {
                group.addTask {
                    await withCheckedContinuation { continuation in
                        DispatchQueue(label: "thread").async {
                            var random = SeededGenerator(seed: seed &* 64 &+ UInt64(thread))
                            for _ in 0..<tasks.count * 2 {
                                let task = tasks[Int.random(in: 0..<tasks.count, using: &random)]
                                switch Int.random(in: 0..<20, using: &random) {
                                case 0: task.cancel()
                                case 1..<6: task.suspend()
                                case 6: clock.advance(by: .seconds(1))
                                case 7: _ = (task.state, task.metrics, task.currentRequest, task.error)
                                default: task.resume()
                                }
                            }
                            continuation.resume()
                        }
                    }
                }
            }
        }
    }

    @Test(arguments: 1...6 as ClosedRange<UInt64>, [false, true])
    func eachEndsOnce(_ seed: UInt64, isInvalidated: Bool) async throws {
        let clock = ManualClock(), random = Lock(SeededGenerator(seed: seed)), count = 150
        let transport = StubTransport { recorded in random.withLock { Self.exchange(recorded.index, &$0) } }
        let session = stubbed(transport, clock: clock, TaskHandlers()) { configuration in
            configuration.retryBudget = nil
            configuration.connectivity = { _ in
                let isThere = random.withLock { Bool.random(using: &$0) }
                return AsyncStream { continuation in
                    continuation.yield(isThere)
                    continuation.yield(true)
                }
            }
        }
        let ends = Lock([Int](repeating: 0, count: count)), left = DispatchGroup()
        let handlers = Self.handlers(random, clock)
        let tasks = try (0..<count).map { index in
            var request = try HTTPRequest.to("/\(index)")
            request.options.waitsForConnectivity = index.isMultiple(of: 2)
            left.enter()
            return session.dataTask(with: request, handlers: handlers) { _, _ in
                ends.withLock { $0[index] += 1 }
                left.leave()
            }
        }
        async let disturbed: Void = disturb(tasks, clock, seed: seed)
        if isInvalidated {
            try await transport.waitForRequests(count / 3)
            await session.invalidate()
        }
        await disturbed
        for task in tasks { task.resume() }
        // Whoever sleeps is woken until all have ended.
        await until {
            clock.advance(by: .seconds(2))
            return tasks.allSatisfy { $0.state == .completed }
        }
        await withCheckedContinuation { continuation in left.notify(queue: .global()) { continuation.resume() } }
        #expect(ends.withLock { $0.allSatisfy { $0 == 1 } })
        #expect(session.tasks.isEmpty && transport.runningCount == 0)
        // A decision that nobody awaits any more is over, or about to be.
        await until { clock.sleeperCount == 0 }
        await session.invalidate()
    }
}
