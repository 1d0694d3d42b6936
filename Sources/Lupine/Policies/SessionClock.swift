/// The clock that pauses between tries are counted by, as what a session needs of it.
struct SessionClock: Sendable {
    /// Since some moment of its own.
    let elapsed: @Sendable () -> Duration
    /// Throws `CancellationError` when the Swift task is cancelled. Not longer than the longest wait: the system's clocks end
    /// the process where a time is beyond what they can count.
    let sleep: @Sendable (Duration) async throws -> Void

    init(_ clock: some Clock<Duration>) {
        let origin = clock.now
        elapsed = { origin.duration(to: clock.now) }
        sleep = { try await clock.sleep(for: min($0, .longestWait)) }
    }
}
