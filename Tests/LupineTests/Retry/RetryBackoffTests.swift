import Lupine
import Testing

/// How long pauses are, and that no setting makes one that is none.
@Suite struct RetryBackoffTests {
    private func pauses(_ count: Int, retries: Int = 0, wait: [String] = [], _ policy: RetryPolicy) throws -> [Duration]
    {
        let attempt = try RetryRow(.get, .status(503), retries: retries, wait: wait, .never).attempt()
        var generator = SeededGenerator(seed: 2026)
        return (0..<count).compactMap { _ in
            switch policy.decision(after: attempt, now: RetryRow.now, using: &generator) {
            case .retry: .zero
            case .retryWithDelay(let delay): delay
            case .doNotRetry, .doNotRetryWithError: nil
            }
        }
    }

    /// Every tenth of the range gets its tenth. Of 10,000 throws a tenth has 1000, give or take 30: five times that is allowed.
    @Test(arguments: [(0, 500), (1, 1000), (5, 16_000), (6, 30_000), (50, 30_000)])
    func fullJitterIsUniform(retries: Int, milliseconds: Int) throws {
        let longest = Duration.milliseconds(milliseconds)
        let pauses = try pauses(10_000, retries: retries, RetryPolicy(limit: 100))
        #expect(pauses.count == 10_000)
        #expect(pauses.allSatisfy { $0 >= .zero && $0 <= longest })
        var tenths = [Int](repeating: 0, count: 10)
        for pause in pauses { tenths[min(9, Int(pause / longest * 10))] += 1 }
        #expect(tenths.allSatisfy { (850...1150).contains($0) }, "\(tenths)")
    }

    @Test func withoutJitterPausesAreTheirLongest() throws {
        var policy = RetryPolicy(limit: 100)
        policy.jitter = .none
        let all = try (0..<9).map { try #require(pauses(1, retries: $0, policy).first) }
        #expect(all == [0.5, 1, 2, 4, 8, 16, 30, 30, 30].map { Duration.milliseconds(Int($0 * 1000)) })
    }

    /// Clients that are told the same moment come after it, each at another, over half as long again.
    @Test func jitterComesAfterWhatTheServerAsksFor() throws {
        let pauses = try pauses(1000, wait: ["Sun, 06 Nov 1994 08:49:47 GMT"], RetryPolicy())
        #expect(pauses.allSatisfy { $0 >= .seconds(10) && $0 <= .seconds(15) })
        #expect(pauses.contains { $0 > .seconds(14) })
        #expect(Set(pauses).count > 990)
    }

    @Test func theSameNumbersGiveTheSamePauses() throws {
        #expect(try pauses(20, RetryPolicy()) == pauses(20, RetryPolicy()))
    }

    /// Settings without sense: pauses from nothing to the longest there is, and no trap.
    @Test(arguments: [-Double.infinity, -2, -1, -0.0, 0, 1e-300, 0.5, 1, 2, 1e300, .infinity, .nan])
    func oddSettings(base: Double) throws {
        let huge = Duration.seconds(Int64.max), tiny = Duration(secondsComponent: 0, attosecondsComponent: 1)
        let durations = [.zero - huge, .seconds(-1), .zero - tiny, .zero, tiny, .seconds(1), huge]
        for scale in durations {
            for end in durations {
                for retries in [0, 1, 2, 3, 64, 1023, 1024, 5000] {
                    for jitter in [RetryPolicy.Jitter.full, .none] {
                        var policy = RetryPolicy(limit: .max)
                        policy.exponentialBackoffBase = base
                        policy.exponentialBackoffScale = scale
                        policy.maximumDelay = end
                        policy.maximumRetryAfter = huge
                        policy.jitter = jitter
                        let wait = try pauses(2, retries: retries, wait: ["99999999999999999999"], policy)
                        let pause = try pauses(2, retries: retries, policy)
                        guard (pause + wait).allSatisfy({ $0 >= .zero && $0 <= .seconds(Int64(1) << 32) }),
                            pause.allSatisfy({ $0 <= max(.zero, end) || $0 == .zero }), pause.count == 2,
                            wait.count == 2
                        else {
                            Issue.record("\(base) \(scale) \(end) \(retries) \(jitter): \(pause) \(wait)")
                            return
                        }
                    }
                }
            }
        }
    }
}
