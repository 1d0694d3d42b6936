internal import LupineCore
internal import LupineSerialization

/// Has a session's identical requests answered together: who asks for what is under way waits for that.
final class RequestCoalescer: Sendable {
    private typealias Caller = CheckedContinuation<Result<DataResponse, LupineError>, Never>

    /// One request under way, for several.
    private struct Flight {
        /// Its first caller's.
        let number: Int
        /// `nil`: about to be made.
        var task: SessionTask?
        var callers: [Int: Caller] = [:]
    }

    private struct State {
        var flights: [RequestIdentity: Flight] = [:]
        var callerCount = 0
    }
    private let state = Lock(State())

    var waitingCount: Int { state.withLock { $0.flights.values.reduce(0) { $0 + $1.callers.count } } }

    /// The answer to a request, which is sent unless an identical one is under way. Cancelling the Swift task ends this wait; what
    /// nobody waits for any more is cancelled.
    ///
    /// - Parameter check: what retriers mind. Those who ask with another one wait for another answer.
    // Not inlined: what it needs would be part of each waiting task.
    @inline(never)
    func answer(
        to request: HTTPRequest, check: HTTPResponseSerializer? = nil, core: SessionCore
    ) async throws(LupineError) -> DataResponse {
        if Task.isCancelled { throw request.cancelledError }
        let request = core.completed(request, isCollected: true)
        let identity = RequestIdentity(request, check: check)
        let number = state.withLock { state in
            state.callerCount += 1
            return state.callerCount
        }
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { (caller: Caller) in
                if join(identity, as: number, caller) {
                    let task = SessionTask(request, isHandedOver: true, core: core, check: check.map { .head($0) })
                    begin(task, as: identity, number)
                }
                // A cancellation before it joined has found nobody.
                if Task.isCancelled { leave(identity, number, request) }
            }
        } onCancel: {
            leave(identity, number, request)
        }
        return try result.get()
    }

    /// - Returns: whether it is the first.
    private func join(_ identity: RequestIdentity, as number: Int, _ caller: Caller) -> Bool {
        state.withLock { state in
            state.flights[identity, default: Flight(number: number)].callers[number] = caller
            return state.flights[identity]?.number == number
        }
    }

    private func begin(_ task: SessionTask, as identity: RequestIdentity, _ number: Int) {
        let isWanted = state.withLock { state in
            guard state.flights[identity]?.number == number else { return false }
            state.flights[identity]?.task = task
            return true
        }
        guard isWanted else { return }
        task.whenCompleted { [self] in end(identity, number, $0.outcome) }
        task.resume()
    }

    private func leave(_ identity: RequestIdentity, _ number: Int, _ request: HTTPRequest) {
        let (caller, unwanted) = state.withLock { state -> (Caller?, SessionTask?) in
            guard let caller = state.flights[identity]?.callers.removeValue(forKey: number) else { return (nil, nil) }
            guard state.flights[identity]?.callers.isEmpty == true else { return (caller, nil) }
            return (caller, state.flights.removeValue(forKey: identity)?.task)
        }
        unwanted?.cancel()
        caller?.resume(returning: .failure(request.cancelledError))
    }

    private func end(_ identity: RequestIdentity, _ number: Int, _ outcome: Result<DataResponse, LupineError>) {
        let flight = state.withLock { state in
            state.flights[identity]?.number == number ? state.flights.removeValue(forKey: identity) : nil
        }
        guard let flight else { return }
        for caller in flight.callers.values { caller.resume(returning: outcome) }
    }
}

extension HTTPRequest {
    fileprivate var cancelledError: LupineError {
        LupineError(.cancelled, "the request to \(url.host) was cancelled", host: url.host)
    }
}
