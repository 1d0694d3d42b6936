internal import LupineCore

/// A clock that stands still until a test advances it.
///
/// ```swift
/// let clock = ManualClock()
/// async let answer = retrying(clock: clock)
/// try await clock.waitForSleepers(count: 1)       // it has come to its pause
/// clock.advance(by: .seconds(5))                  // and the pause is over
/// ```
public final class ManualClock: Clock, Sendable {
    /// A moment: the time since the clock's zero.
    public struct Instant: InstantProtocol {
        /// The time since the clock's zero.
        public let offset: Swift.Duration

        /// A moment that long after zero. Zero by default.
        public init(offset: Swift.Duration = .zero) { self.offset = offset }

        /// The moment that long after this one.
        public func advanced(by duration: Swift.Duration) -> Instant { Instant(offset: offset + duration) }
        /// How long after this one the other is: positive when the other is later.
        public func duration(to other: Instant) -> Swift.Duration { other.offset - offset }
        /// The earlier is less.
        public static func < (left: Instant, right: Instant) -> Bool { left.offset < right.offset }
    }

    struct Sleeper: Sendable {
        let deadline: Instant
        let continuation: CheckedContinuation<Void, any Error>
    }

    struct State: Sendable {
        var now: Instant
        /// By an ever-growing number: of two with one deadline the first to sleep wakes first.
        var sleepers: [UInt64: Sleeper] = [:]
        var nextID: UInt64 = 0
    }

    private let state: Watched<State>

    /// A clock that shows `now`. Zero by default.
    public init(now: Instant = Instant()) { state = Watched(State(now: now)) }

    /// The moment shown.
    public var now: Instant { state.read(\.now) }
    /// There is none: every moment can be reached.
    public var minimumResolution: Swift.Duration { .zero }
    /// How many sleep now.
    public var sleeperCount: Int { state.read(\.sleepers.count) }
    /// When the next sleeper is due.
    public var nextDeadline: Instant? { state.read { $0.sleepers.values.map(\.deadline).min() } }

    /// Moves on, and wakes those whose time has come, the earliest first. A negative duration moves nothing: time does not
    /// run back.
    public func advance(by duration: Swift.Duration) { advance { $0.advanced(by: duration) } }

    /// Moves on to a moment; an earlier one moves nothing.
    public func advance(to instant: Instant) { advance { _ in instant } }

    private func advance(_ target: (Instant) -> Instant) {
        let due = state.update { state -> [Sleeper] in
            state.now = max(state.now, target(state.now))
            let now = state.now
            let due = state.sleepers.filter { $0.value.deadline <= now }
            for id in due.keys { state.sleepers[id] = nil }
            return due.sorted { ($0.value.deadline, $0.key) < ($1.value.deadline, $1.key) }.map(\.value)
        }
        for sleeper in due { sleeper.continuation.resume() }
    }

    /// Sleeps until the clock shows the deadline; not at all when it does already.
    ///
    /// - Throws: `CancellationError` when the task is cancelled, before or meanwhile.
    public func sleep(until deadline: Instant, tolerance: Swift.Duration? = nil) async throws {
        try Task.checkCancellation()
        let id = state.update { state -> UInt64 in
            state.nextID += 1
            return state.nextID
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
                let isDue = state.update { state in
                    if deadline <= state.now { return true }
                    state.sleepers[id] = Sleeper(deadline: deadline, continuation: continuation)
                    return false
                }
                if isDue { return continuation.resume() }
                // A cancellation that came before the sleeper was entered found nobody to wake.
                if Task.isCancelled { wakeCancelled(id) }
            }
        } onCancel: {
            wakeCancelled(id)
        }
    }

    private func wakeCancelled(_ id: UInt64) {
        state.update { $0.sleepers.removeValue(forKey: id) }?.continuation.resume(throwing: CancellationError())
    }

    /// Waits until at least so many sleep, so that a test knows that the code it drives has come to its pause.
    ///
    /// - Parameter limit: at most so long, in real time; 30 seconds by default.
    /// - Throws: ``WaitTimeoutError``; `CancellationError` when the task is cancelled.
    public func waitForSleepers(count: Int, within limit: Swift.Duration = .testLimit) async throws {
        try await state.wait(for: "\(count) sleepers", within: limit) { $0.sleepers.count >= count }
    }

    /// Waits until nobody sleeps any more: all have been woken, or cancelled.
    ///
    /// - Parameter limit: at most so long, in real time; 30 seconds by default.
    /// - Throws: ``WaitTimeoutError``; `CancellationError` when the task is cancelled.
    public func waitForNoSleepers(within limit: Swift.Duration = .testLimit) async throws {
        try await state.wait(for: "no sleepers", within: limit) { $0.sleepers.isEmpty }
    }
}
