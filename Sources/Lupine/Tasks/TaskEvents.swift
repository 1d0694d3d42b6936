internal import LupineCore

/// What happens to a task, from now to its end.
///
/// Each iterator is a listener of its own. It gets the present state first, then what happens, in order; what it does not
/// take is bounded (see ``TaskEvent``). It ends after ``TaskEvent/completed(_:)``.
public struct TaskEvents: AsyncSequence, Sendable {
    public typealias Element = TaskEvent
    public typealias Failure = Never

    private let task: SessionTask

    init(_ task: SessionTask) { self.task = task }

    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(task) }

    /// Takes the events.
    public struct AsyncIterator: AsyncIteratorProtocol {
        /// Ends with the last copy of the iterator: who has gone is told nothing more.
        private final class Registration: Sendable {
            let listener = EventListener()
            private let task: SessionTask

            init(_ task: SessionTask) {
                self.task = task
                task.add(listener)
            }

            deinit { task.remove(listener) }
        }

        private let registration: Registration

        fileprivate init(_ task: SessionTask) { registration = Registration(task) }

        /// The next event; `nil` after the last, and when the waiting Swift task was cancelled.
        public mutating func next(isolation actor: isolated (any Actor)?) async -> TaskEvent? {
            await registration.listener.next(isolation: actor)
        }

        /// The next event; `nil` after the last, and when the waiting Swift task was cancelled.
        public mutating func next() async -> TaskEvent? { await next(isolation: nil) }
    }
}

/// The events of one task for one iterator.
final class EventListener: TaskListener {
    private struct State {
        var queue = EventQueue()
        var isOver = false
        var waiter: UnsafeContinuation<Void, Never>?
    }

    private let state = Lock(State())

    package func add(_ events: [TaskEvent]) {
        let waiter = state.withLock { state in
            for event in events { state.queue.add(event) }
            return state.waiter.take()
        }
        waiter?.resume()
    }

    private enum Next {
        case event(TaskEvent)
        case over
        case nothing
    }

    private func take() -> Next {
        state.withLock { state in
            guard !state.isOver else { return .over }
            guard case .event(let event)? = state.queue.takeFirst() else { return .nothing }
            if case .completed = event { state.isOver = true }
            return .event(event)
        }
    }

    func next(isolation actor: isolated (any Actor)?) async -> TaskEvent? {
        while !Task.isCancelled {
            switch take() {
            case .event(let event): return event
            case .over: return nil
            case .nothing: await waitForNews(isolation: actor)
            }
        }
        return nil
    }

    private func waitForNews(isolation actor: isolated (any Actor)?) async {
        await withTaskCancellationHandler {
            // Unsafe only in that it is not checked: whoever takes the waiter out resumes it.
            await withUnsafeContinuation(isolation: actor) { continuation in
                let resumed = state.withLock { state -> UnsafeContinuation<Void, Never>? in
                    guard state.queue.isEmpty, !Task.isCancelled else { return continuation }
                    defer { state.waiter = continuation }
                    return state.waiter
                }
                resumed?.resume()
            }
        } onCancel: {
            let waiter = state.withLock { $0.waiter.take() }
            waiter?.resume()
        }
    }
}
