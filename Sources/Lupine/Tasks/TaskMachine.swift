/// What becomes of a task: a pure state machine, told what is asked of it and what happened, that says what to do.
///
/// A task makes one exchange after another: again where a kept connection died or a retrier says so, elsewhere after a redirect.
/// Before the first, which may take its time to be made, and between two, it may wait for a decision of the user's.
struct TaskMachine: Hashable {
    enum Phase: Hashable {
        /// Not begun.
        case idle
        /// An exchange runs.
        case exchanging
        /// No exchange runs; what comes next is the user's to say.
        case deciding
        /// The next exchange waits for ``resume()``.
        case ready
        case ended
    }

    enum Action: Hashable {
        case none
        /// Start the next exchange.
        case begin
        /// Read no more, and read on.
        case pause, unpause
        /// End the exchange; its end ends the task.
        case cancel
        /// Tell the end.
        case complete
    }

    /// What an exchange's end leads to.
    enum Outcome: Hashable { case end, again, decision }

    private(set) var phase = Phase.idle
    private(set) var isSuspended = true
    private(set) var isCancelled = false

    var state: SessionTask.State {
        if phase == .ended { return .completed }
        if isCancelled { return .canceling }
        return isSuspended ? .suspended : .running
    }

    mutating func resume() -> Action {
        guard phase != .ended, !isCancelled, isSuspended else { return .none }
        isSuspended = false
        switch phase {
        case .idle, .ready:
            phase = .exchanging
            return .begin
        case .exchanging: return .unpause
        case .deciding, .ended: return .none
        }
    }

    mutating func suspend() -> Action {
        guard phase != .ended, !isCancelled, !isSuspended else { return .none }
        isSuspended = true
        return phase == .exchanging ? .pause : .none
    }

    mutating func cancel() -> Action {
        guard phase != .ended, !isCancelled else { return .none }
        isCancelled = true
        if phase == .exchanging { return .cancel }
        phase = .ended
        return .complete
    }

    mutating func exchangeEnded(_ outcome: Outcome) -> Action {
        guard phase == .exchanging else { return .none }
        if isCancelled || outcome == .end {
            phase = .ended
            return .complete
        }
        if outcome == .decision {
            phase = .deciding
            return .none
        }
        return goOn()
    }

    /// The decision that an ended exchange waited for is there.
    mutating func decided(_ outcome: Outcome) -> Action {
        guard phase == .deciding, outcome != .decision else { return .none }
        guard outcome == .end else { return goOn() }
        phase = .ended
        return .complete
    }

    /// There is no more time, in all, for the next exchange to wait for ``resume()``. (One that runs ends by itself, and a
    /// decision is made in the user's place.)
    mutating func expire() -> Action {
        guard phase == .ready else { return .none }
        phase = .ended
        return .complete
    }

    private mutating func goOn() -> Action {
        phase = isSuspended ? .ready : .exchanging
        return isSuspended ? .none : .begin
    }
}
