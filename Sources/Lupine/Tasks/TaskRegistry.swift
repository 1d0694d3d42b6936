internal import LupineCore
internal import Synchronization

/// The tasks of a session that have not ended.
///
/// Callers and the event loop come here with each request: behind one lock they would wait for each other, so there are
/// several, by identifier.
final class TaskRegistry: Sendable {
    private struct WeakTask {
        weak var task: SessionTask?
    }

    private struct Part {
        /// Held until their ends, whoever else lets go of them. In places, since looking one up by its identifier with each
        /// request costs more.
        var begun: [SessionTask?] = []
        var free: [Int] = []
        var isEmpty: Bool { free.count == begun.count }
        /// Not begun: nobody's but their makers'.
        var idle: [Int: WeakTask] = [:]
        var isClosed = false
        var waiters: [UnsafeContinuation<Void, Never>] = []
    }

    private let parts = (0..<8).map { _ in Lock(Part()) }
    private let identifiers = Atomic(1)

    func nextIdentifier() -> Int { identifiers.wrappingAdd(1, ordering: .relaxed).oldValue }

    private func part(of identifier: Int) -> Lock<Part> { parts[identifier & 7] }

    /// A task that its maker will begin, or not.
    func add(idle task: SessionTask) {
        part(of: task.identifier).withLock { part in
            // Those that were let go of are forgotten before they are many.
            if part.idle.count & 63 == 63 { part.idle = part.idle.filter { $0.value.task != nil } }
            part.idle[task.identifier] = WeakTask(task: task)
        }
    }

    /// - Returns: its place; `nil` when no more are taken.
    func begin(_ task: SessionTask) -> Int? {
        part(of: task.identifier).withLock { part -> Int? in
            if !part.idle.isEmpty { part.idle[task.identifier] = nil }
            guard !part.isClosed else { return nil }
            if let place = part.free.popLast() {
                part.begun[place] = task
                return place
            }
            part.begun.append(task)
            return part.begun.count - 1
        }
    }

    /// - Parameter place: what ``begin(_:)`` gave; `nil`: it has not begun.
    func end(_ task: SessionTask, at place: Int?) {
        let waiters = part(of: task.identifier).withLock { part -> [UnsafeContinuation<Void, Never>] in
            if !part.idle.isEmpty { part.idle[task.identifier] = nil }
            guard let place else { return [] }
            part.begun[place] = nil
            part.free.append(place)
            guard part.isEmpty, !part.waiters.isEmpty else { return [] }
            defer { part.waiters = [] }
            return part.waiters
        }
        for waiter in waiters { waiter.resume() }
    }

    /// A snapshot, in the order of their making.
    var tasks: [SessionTask] {
        let tasks = parts.flatMap { part in
            part.withLock { $0.begun.compactMap(\.self) + $0.idle.values.compactMap { $0.task } }
        }
        return tasks.sorted { $0.identifier < $1.identifier }
    }

    /// Takes no more.
    ///
    /// - Returns: true for the first call.
    func close() -> Bool {
        var isFirst = false
        for (index, part) in parts.enumerated() {
            let wasClosed = part.withLock { part in
                defer { part.isClosed = true }
                return part.isClosed
            }
            if index == 0 { isFirst = !wasClosed }
        }
        return isFirst
    }

    /// Returns when all that had begun have ended. To be called once no more are taken.
    func waitForTasks() async {
        for part in parts {
            await withUnsafeContinuation { continuation in
                let isDone = part.withLock { part in
                    if part.isEmpty { return true }
                    part.waiters.append(continuation)
                    return false
                }
                if isDone { continuation.resume() }
            }
        }
    }
}
