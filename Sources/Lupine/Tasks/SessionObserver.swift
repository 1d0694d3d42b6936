package import LupineCore

/// What a module on top is told of all tasks of a session, besides their events.
///
/// Events are bounded, so a pause that was taken back before anybody looked is left out of them. Here nothing is.
package struct SessionObserver: Sendable {
    /// What a task's completion handler was given.
    package struct Ending: Sendable {
        /// What a serializer made of the answer; `nil`: there was none, or it failed.
        package var value: (any Sendable)?
        package var error: LupineError?
    }

    /// A task runs, or pauses. Called under the task's lock, hence in the order of the turns: it takes note and asks the task
    /// nothing.
    package var turned: @Sendable (SessionTask, _ isSuspended: Bool) -> Void
    /// A task has ended. Called once its completion handler has returned, where that ran; where there is none, at the end.
    package var finished: @Sendable (SessionTask, Ending) -> Void
    /// The session has been invalidated and its tasks have ended. Called after the program's own handler, where that ran.
    package var invalidated: @Sendable (URLSessionManager) -> Void

    package init(
        turned: @escaping @Sendable (SessionTask, _ isSuspended: Bool) -> Void,
        finished: @escaping @Sendable (SessionTask, Ending) -> Void,
        invalidated: @escaping @Sendable (URLSessionManager) -> Void
    ) {
        self.turned = turned
        self.finished = finished
        self.invalidated = invalidated
    }
}
