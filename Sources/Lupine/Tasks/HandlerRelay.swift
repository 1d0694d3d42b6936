internal import Dispatch
internal import FoundationEssentials
internal import LupineCore

/// Takes what happens to one task to the closures of its handlers and its session's, on the session's queue.
final class HandlerRelay: Sendable {
    private struct State {
        var queue = EventQueue()
        var isScheduled = false
        /// The end was told: what another thread was about to tell comes too late.
        var isOver = false
    }

    private let state = Lock(State())
    private let events: [@Sendable (SessionTask, TaskEvent) -> Void]
    private let data: [@Sendable (SessionTask, Data) -> Void]
    private let queue: DispatchQueue
    /// Whether bytes of the body are handed on.
    var takesData: Bool { !data.isEmpty }

    /// Bytes held for slow closures before the transfer has to wait.
    static let capacity = 512 << 10

    init(_ handlers: [TaskHandlers?], queue: DispatchQueue) {
        events = handlers.compactMap { $0?.event }
        data = handlers.compactMap { $0?.data }
        self.queue = queue
    }

    func add(_ event: TaskEvent, of task: SessionTask) {
        guard !events.isEmpty else { return }
        var isEnd = false
        if case .completed = event { isEnd = true }
        schedule(task, isEnd: isEnd) { $0.add(event) }
    }

    /// - Returns: whether the transfer has to wait, until ``SessionTask/go(on:)`` is called for ``PauseReasons/handler``.
    func add(_ bytes: UnsafeRawBufferPointer, of task: SessionTask) -> Bool {
        guard !data.isEmpty else { return false }
        let copy = Data(bytes)
        schedule(task) { $0.add(copy) }
        return isFull
    }

    var isFull: Bool { state.withLock { $0.queue.dataCount > Self.capacity } }

    private func schedule(_ task: SessionTask, isEnd: Bool = false, _ add: (inout EventQueue) -> Void) {
        let mustSchedule = state.withLock { state in
            guard !state.isOver else { return false }
            state.isOver = isEnd
            add(&state.queue)
            defer { state.isScheduled = true }
            return !state.isScheduled
        }
        if mustSchedule { queue.async { self.deliver(task) } }
    }

    private func deliver(_ task: SessionTask) {
        let items = state.withLock { state in
            state.isScheduled = false
            return state.queue.takeAll()
        }
        for item in items {
            switch item {
            case .event(let event): for handler in events { handler(task, event) }
            case .data(let data): for handler in self.data { handler(task, data) }
            }
        }
        task.go(on: .handler)
    }
}
