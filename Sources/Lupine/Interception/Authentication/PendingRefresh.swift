internal import LupineCore

/// What a refresh that is under way comes to, and who waits for it.
final class PendingRefresh<Credential: Sendable>: Sendable {
    enum Outcome: Sendable {
        case refreshed(Credential)
        case failed(any Error)
        /// Another credential was set meanwhile, or none.
        case superseded
    }

    private struct State: Sendable {
        var outcome: Outcome?
        var waiters: [Int: CheckedContinuation<Outcome, any Error>] = [:]
        var lastWaiter = 0
    }

    private let state = Lock(State())

    /// How many wait.
    var waiterCount: Int { state.withLock { $0.waiters.count } }

    /// Waits for the end.
    ///
    /// - Throws: `CancellationError` where the waiting Swift task is cancelled, at once; the refresh goes on for the others.
    func outcome() async throws -> Outcome {
        let waiter = state.withLock { state in
            state.lastWaiter += 1
            return state.lastWaiter
        }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Outcome, any Error>) in
                let outcome = state.withLock { state in
                    if state.outcome == nil { state.waiters[waiter] = continuation }
                    return state.outcome
                }
                if let outcome { return continuation.resume(returning: outcome) }
                // A cancellation that came before the waiter was entered found nobody.
                if Task.isCancelled { leave(waiter) }
            }
        } onCancel: {
            leave(waiter)
        }
    }

    private func leave(_ waiter: Int) {
        state.withLock { $0.waiters.removeValue(forKey: waiter) }?.resume(throwing: CancellationError())
    }

    /// Tells those who wait, and who come later. What is told first counts.
    func end(_ outcome: Outcome) {
        let waiters = state.withLock { state in
            guard state.outcome == nil else { return [Int: CheckedContinuation<Outcome, any Error>]() }
            state.outcome = outcome
            defer { state.waiters = [:] }
            return state.waiters
        }
        for waiter in waiters.sorted(by: { $0.key < $1.key }) { waiter.value.resume(returning: outcome) }
    }
}
