import Dispatch
import LupineTesting
import Testing

@Suite(.timeLimit(.minutes(2)))
struct ManualClockTests {
    private typealias Instant = ManualClock.Instant

    @Test func instantsCount() {
        let early = Instant(offset: .seconds(1))
        let late = early.advanced(by: .seconds(2))
        #expect(late.offset == .seconds(3))
        #expect(early < late)
        #expect(!(late < early))
        // The sign: positive when the other is later.
        #expect(early.duration(to: late) == .seconds(2))
        #expect(late.duration(to: early) == .seconds(-2))
        #expect(early.advanced(by: early.duration(to: late)) == late)
        #expect(early.duration(to: early) == .zero)
    }

    @Test func standsStillUntilAdvanced() {
        let clock = ManualClock(now: .init(offset: .seconds(10)))
        #expect(clock.now.offset == .seconds(10))
        clock.advance(by: .milliseconds(1500))
        #expect(clock.now.offset == .milliseconds(11_500))
        clock.advance(by: .seconds(-5))
        clock.advance(to: .init())
        #expect(clock.now.offset == .milliseconds(11_500))
        clock.advance(to: .init(offset: .seconds(20)))
        #expect(clock.now.offset == .seconds(20))
        #expect(clock.minimumResolution == .zero)
        #expect(clock.nextDeadline == nil)
    }

    @Test func thePastIsNoSleep() async throws {
        let clock = ManualClock(now: .init(offset: .seconds(1)))
        try await clock.sleep(until: .init(offset: .seconds(1)))
        try await clock.sleep(until: .init())
        try await clock.sleep(for: .seconds(-1))
        #expect(clock.sleeperCount == 0)
    }

    @Test func sleepsToTheDeadlineAndNotBefore() async throws {
        let clock = ManualClock()
        let woken = Gate()
        let task = Task {
            try await clock.sleep(for: .seconds(2))
            woken.open()
        }
        try await clock.waitForSleepers(count: 1)
        #expect(clock.nextDeadline == .init(offset: .seconds(2)))
        clock.advance(by: .milliseconds(1999))
        #expect(clock.sleeperCount == 1)
        #expect(!woken.isOpen)
        clock.advance(by: .milliseconds(1))
        #expect(clock.sleeperCount == 0)
        try await task.value
        #expect(woken.isOpen)
    }

    /// Runs jobs in the order in which they are handed to it. Swift's own pool keeps no order.
    private final class QueueExecutor: TaskExecutor {
        private let queue = DispatchQueue(label: "sleepers")
        func enqueue(_ job: consuming ExecutorJob) {
            let job = UnownedJob(job)
            queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
        }
    }

    @Test func wakesInTheOrderOfDeadlines() async throws {
        let clock = ManualClock()
        let executor = QueueExecutor()
        let (woken, journal) = AsyncStream.makeStream(of: Int.self)
        let seconds = [5, 3, 9, 1, 3, 7, 2, 3]
        for (name, count) in seconds.enumerated() {
            Task(executorPreference: executor) {
                try await clock.sleep(until: .init(offset: .seconds(count)))
                journal.yield(name)
            }
            // One after the other, so that those with one deadline have an order.
            try await clock.waitForSleepers(count: name + 1)
        }
        // Behind the last sleeper's job, which has entered itself and may not have come to rest.
        await Task(executorPreference: executor) {}.value
        clock.advance(by: .seconds(7))
        #expect(clock.sleeperCount == 1)
        clock.advance(by: .seconds(100))
        var order: [Int] = []
        for await name in woken.prefix(seconds.count) { order.append(name) }
        #expect(order == [3, 6, 1, 4, 7, 0, 5, 2])
    }

    @Test func wakesEachOnce() async throws {
        let clock = ManualClock()
        let count = 500
        try await withThrowingTaskGroup(of: Int.self) { group in
            for index in 0..<count {
                group.addTask {
                    try await clock.sleep(for: .seconds(index % 10 + 1))
                    return index
                }
            }
            try await clock.waitForSleepers(count: count)
            for _ in 0..<10 { clock.advance(by: .seconds(1)) }
            var seen: Set<Int> = []
            for try await index in group { seen.insert(index) }
            #expect(seen.count == count)
        }
        #expect(clock.sleeperCount == 0)
    }

    @Test func aCancelledTaskDoesNotSleep() async throws {
        let clock = ManualClock()
        let gate = Gate()
        let task = Task {
            try? await gate.opened()
            try await clock.sleep(for: .seconds(1))
        }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(clock.sleeperCount == 0)
    }

    @Test func aCancelledTaskDoesNotEvenPassTheDeadline() async throws {
        let clock = ManualClock()
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            try await clock.sleep(until: .init())
        }
        await #expect(throws: CancellationError.self) { try await task.value }
    }

    @Test func cancellingWakesThatSleeperAlone() async throws {
        let clock = ManualClock()
        let cancelled = Task { try await clock.sleep(for: .seconds(1)) }
        let other = Task { try await clock.sleep(for: .seconds(1)) }
        try await clock.waitForSleepers(count: 2)
        cancelled.cancel()
        await #expect(throws: CancellationError.self) { try await cancelled.value }
        #expect(clock.sleeperCount == 1)
        clock.advance(by: .seconds(1))
        try await other.value
        // Nothing is left to be woken a second time.
        clock.advance(by: .seconds(1))
        cancelled.cancel()
        #expect(clock.sleeperCount == 0)
    }

    @Test func cancellingAndAdvancingAtOnceWakesOnce() async throws {
        for _ in 0..<200 {
            let clock = ManualClock()
            let sleeper = Task { try await clock.sleep(for: .seconds(1)) }
            async let advanced: Void = clock.advance(by: .seconds(1))
            sleeper.cancel()
            await advanced
            // Either end will do; a second waking would trap.
            if case .failure(let error) = await sleeper.result { #expect(error is CancellationError) }
            #expect(clock.sleeperCount == 0)
        }
    }

    @Test func waitingForSleepersHasABound() async throws {
        let clock = ManualClock()
        try await clock.waitForSleepers(count: 0)
        await #expect(throws: WaitTimeoutError.self) {
            try await clock.waitForSleepers(count: 1, within: .milliseconds(5))
        }
    }
}
