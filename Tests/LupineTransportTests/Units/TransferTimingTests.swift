import LupineCore
import Testing

@testable import LupineTransport

@Suite struct TransferTimingTests {
    private func at(_ milliseconds: UInt64) -> MonotonicTime {
        MonotonicTime(nanoseconds: 1_000_000_000 + milliseconds * 1_000_000)
    }

    private func timing(
        pool: Duration? = nil, connect: Duration? = nil, idle: Duration? = nil, total: Duration? = nil
    ) -> TransferTiming {
        var timeouts = Timeouts()
        timeouts.pool = pool
        timeouts.connect = connect
        timeouts.idle = idle
        timeouts.total = total
        return TransferTiming(timeouts: timeouts, submitted: at(0))
    }

    private func expect(
        _ timing: TransferTiming, _ limit: TransferTiming.Limit, at milliseconds: UInt64,
        _ location: SourceLocation = #_sourceLocation
    ) {
        #expect(timing.next.limit == limit, sourceLocation: location)
        #expect(timing.next.time == at(milliseconds), sourceLocation: location)
    }

    @Test func eachLimitRunsInItsOwnStage() {
        var timing = timing(
            pool: .milliseconds(100), connect: .milliseconds(200), idle: .milliseconds(300), total: .seconds(9))
        expect(timing, .pool, at: 100)
        timing.start(at: at(50))
        expect(timing, .connect, at: 250)
        timing.connected(at: at(80))
        expect(timing, .idle, at: 380)
        timing.active(at: at(8_900))
        expect(timing, .total, at: 9_000)
    }

    @Test func theTotalCountsFromSubmissionThroughEveryStage() {
        var timing = timing(pool: .seconds(1), connect: .seconds(1), idle: .seconds(1), total: .milliseconds(500))
        expect(timing, .total, at: 500)
        timing.start(at: at(400))
        expect(timing, .total, at: 500)
        timing.connected(at: at(450))
        expect(timing, .total, at: 500)
    }

    @Test func withoutLimitsNothingEverComes() {
        var timing = timing()
        #expect(timing.next.time == .distantFuture)
        timing.start(at: at(1))
        timing.connected(at: at(2))
        #expect(timing.next.time == .distantFuture)
    }

    @Test func aPauseStopsTheIdleLimitAndNoOther() {
        var timing = timing(idle: .milliseconds(100), total: .milliseconds(900))
        timing.start(at: at(0))
        timing.connected(at: at(0))
        timing.pause()
        expect(timing, .total, at: 900)
        timing.resume(at: at(700))
        expect(timing, .idle, at: 800)
    }

    @Test func zeroAndNegativeLimitsAreReachedAtOnce() {
        expect(timing(total: .zero), .total, at: 0)
        expect(timing(total: .seconds(-5)), .total, at: 0)
    }

    @Test(arguments: [
        (TransferTiming.Limit.pool, Duration.milliseconds(50), "50 ms"), (.connect, .seconds(30), "30 s"),
        (.idle, .milliseconds(1_500), "1.5 s"), (.total, .milliseconds(60_250), "60.25 s"),
    ])
    func theErrorNamesHostAndLimit(limit: TransferTiming.Limit, duration: Duration, text: String) {
        let error = timing(pool: duration, connect: duration, idle: duration, total: duration)
            .error(limit, host: "example.com")
        #expect(error.code == .timedOut)
        #expect(error.host == "example.com")
        #expect(error.message.contains("example.com"))
        #expect(error.message.contains(text))
        #expect(!error.message.contains("\n"))
    }
}

@Suite struct MonotonicTimeTests {
    private let start = MonotonicTime(nanoseconds: 5_000_000_000)

    @Test func addsAndSaturates() {
        func after(_ duration: Duration?) -> MonotonicTime { start.adding(TimeLimit(duration)) }
        #expect(after(.milliseconds(1)).nanoseconds == 5_001_000_000)
        #expect(after(.nanoseconds(7)).nanoseconds == 5_000_000_007)
        #expect(after(.zero) == start)
        #expect(after(.seconds(-1)) == start)
        #expect(after(.milliseconds(-1)) == start)
        #expect(after(nil) == .distantFuture)
        // 292 years.
        #expect(after(.seconds(Int64.max)).nanoseconds == 5_000_000_000 + UInt64(Int64.max))
        #expect(MonotonicTime(nanoseconds: .max - 1).adding(TimeLimit(.seconds(1))) == .distantFuture)
    }

    @Test func waitsAreRoundedUp() {
        #expect(start.milliseconds(until: start) == 0)
        #expect(start.milliseconds(until: MonotonicTime(nanoseconds: 4_000_000_000)) == 0)
        #expect(start.milliseconds(until: start.adding(TimeLimit(.nanoseconds(1)))) == 1)
        #expect(start.milliseconds(until: start.adding(TimeLimit(.milliseconds(250)))) == 250)
    }

    @Test func theClockNeverRunsBackwards() {
        var last = MonotonicTime.now()
        for _ in 0..<1_000 {
            let now = MonotonicTime.now()
            #expect(now >= last)
            last = now
        }
    }
}
