package import Dispatch

/// Told of what happens to one task, where it happens, the event loop among other places: it takes note and returns.
package protocol TaskListener: AnyObject, Sendable {
    func add(_ events: [TaskEvent])
}

extension SessionTask {
    /// The one listener of its kind that the task keeps for as long as there is the task; made at the first call.
    ///
    /// - Parameters:
    ///   - isIt: tells it from others of its type.
    ///   - make: makes it, given the present state. Called under the task's lock, so that nothing comes between: it asks the
    ///     task for nothing that changes.
    package func keptListener<Listener: TaskListener>(
        where isIt: (Listener) -> Bool, make: ([TaskEvent]) -> Listener
    ) -> Listener {
        status.withLock { status in
            for case let listener as Listener in status.kept where isIt(listener) { return listener }
            let listener = make(status.present)
            status.kept.append(listener)
            if status.outcome == nil { status.listeners.append(listener) }
            return listener
        }
    }

    /// Where its completion handler and its progress are told.
    package var callbackQueue: DispatchQueue {
        (uploadProgressRelay ?? downloadProgressRelay)?.callbackQueue ?? core.configuration.callbackQueue
    }

    package func belongs(to session: URLSessionManager) -> Bool { core === session.core }

    /// Whether the answer's body is collected, and not read as it comes.
    package var collectsBody: Bool { reader == nil }
}
