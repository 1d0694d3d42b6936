internal import Dispatch
internal import LupineCore

/// A value behind the lock, whose changes tasks can wait for: nothing sleeps and nothing polls.
final class Watched<State: Sendable>: Sendable {
    private struct Observer: Sendable {
        let condition: @Sendable (State) -> Bool
        /// Called once, without the lock: with `nil` when the condition holds, else with why it is given up.
        let action: @Sendable ((any Error)?) -> Void
    }

    private struct Storage: Sendable {
        var state: State
        var observers: [UInt64: Observer] = [:]
        var nextID: UInt64 = 0

        mutating func newID() -> UInt64 {
            nextID += 1
            return nextID
        }
    }

    private let storage: Lock<Storage>

    init(_ state: State) { storage = Lock(Storage(state: state)) }

    /// A copy of the value.
    var value: State { storage.withLock { $0.state } }

    /// Reads a part of the value.
    func read<Result: Sendable>(_ body: @Sendable (State) -> Result) -> Result { storage.withLock { body($0.state) } }

    /// Changes the value, then tells those who waited for what is now true.
    func update<Result: Sendable>(_ body: (inout State) -> Result) -> Result {
        let (result, reached) = storage.withLock { storage -> (Result, [Observer]) in
            let result = body(&storage.state)
            guard !storage.observers.isEmpty else { return (result, []) }
            let reached = storage.observers.filter { $0.value.condition(storage.state) }
            for id in reached.keys { storage.observers[id] = nil }
            return (result, reached.sorted { $0.key < $1.key }.map(\.value))
        }
        for observer in reached { observer.action(nil) }
        return result
    }

    /// Calls `action` once `condition` holds, perhaps before this returns.
    /// - Returns: what ``forget(_:)`` takes; `nil` when it has been called.
    @discardableResult
    func observe(
        _ condition: @escaping @Sendable (State) -> Bool, action: @escaping @Sendable ((any Error)?) -> Void
    ) -> UInt64? {
        let id = storage.withLock { storage -> UInt64? in
            guard !condition(storage.state) else { return nil }
            let id = storage.newID()
            storage.observers[id] = Observer(condition: condition, action: action)
            return id
        }
        if id == nil { action(nil) }
        return id
    }

    /// Takes an observer away without calling it.
    func forget(_ id: UInt64) { storage.withLock { $0.observers[id] = nil } }

    /// Waits until `condition` holds.
    ///
    /// - Throws: ``WaitTimeoutError`` after `limit`; `CancellationError` when the task is cancelled.
    func wait(
        for subject: String, within limit: Duration, until condition: @escaping @Sendable (State) -> Bool
    ) async throws {
        let id = storage.withLock { $0.newID() }
        let timeout = DispatchWorkItem { [self] in
            giveUp(id, WaitTimeoutError(subject: subject, limit: limit))
        }
        defer { timeout.cancel() }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
                let action: @Sendable ((any Error)?) -> Void = { error in
                    if let error { continuation.resume(throwing: error) } else { continuation.resume() }
                }
                // A cancellation before this line is seen here, one after it finds the observer.
                let isCancelled = Task.isCancelled
                let isReached = storage.withLock { storage in
                    if condition(storage.state) { return true }
                    if !isCancelled {
                        storage.observers[id] = Observer(condition: condition, action: action)
                    }
                    return false
                }
                if isReached { return action(nil) }
                if isCancelled { return action(CancellationError()) }
                // The flag may have been set between the reading and the registering.
                if Task.isCancelled { return giveUp(id, CancellationError()) }
                DispatchQueue.global().asyncAfter(deadline: .now() + limit.dispatchInterval, execute: timeout)
            }
        } onCancel: {
            giveUp(id, CancellationError())
        }
    }

    private func giveUp(_ id: UInt64, _ error: any Error) {
        storage.withLock { $0.observers.removeValue(forKey: id) }?.action(error)
    }
}

/// What a test waited for did not happen in time.
public struct WaitTimeoutError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What was waited for.
    public let subject: String
    /// How long.
    public let limit: Duration

    /// Makes one, for waits of a test's own.
    public init(subject: String, limit: Duration) {
        self.subject = subject
        self.limit = limit
    }

    /// One line for people.
    public var description: String { "\(subject) did not come within \(limit)" }
}

extension Duration {
    /// The upper bound of the kit's waits unless a test gives another: 30 seconds, far above what anything here takes.
    public static let testLimit = Duration.seconds(30)

    var dispatchInterval: DispatchTimeInterval {
        let (seconds, attoseconds) = components
        guard seconds < 1_000_000_000 else { return .seconds(1_000_000_000) }
        return .nanoseconds(Int(seconds) * 1_000_000_000 + Int(attoseconds / 1_000_000_000))
    }
}
