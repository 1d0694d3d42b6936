internal import Dispatch
internal import LupineCore

/// Takes progress from the event loop to a user's closure, on a queue of its own: the newest value only, so that a
/// slow closure slows nothing and misses nothing that still holds.
final class ProgressRelay: Sendable {
    private struct State {
        var newest: TransferProgress?
        var isScheduled = false
    }

    private let state = Lock(State())
    private let queue: DispatchQueue
    /// The queue, if it is the task's for all its closures.
    let callbackQueue: DispatchQueue?
    private let handler: @Sendable (TransferProgress) -> Void

    /// - Parameter queue: one of its own by default.
    init(queue: DispatchQueue? = nil, _ handler: @escaping @Sendable (TransferProgress) -> Void) {
        callbackQueue = queue
        self.queue = queue ?? DispatchQueue(label: "lupine.progress")
        self.handler = handler
    }

    func report(_ progress: TransferProgress) {
        let mustSchedule = state.withLock { state in
            state.newest = progress
            defer { state.isScheduled = true }
            return !state.isScheduled
        }
        if mustSchedule { queue.async { self.deliver() } }
    }

    private func deliver() {
        let progress = state.withLock { state in
            state.isScheduled = false
            return state.newest.take()
        }
        if let progress { handler(progress) }
    }

    /// Returns when the newest value has been told.
    func drain() async {
        await withCheckedContinuation { continuation in queue.async { continuation.resume() } }
    }
}
