import Foundation
import Lupine
import LupineCore
import LupineFoundationBridge
import LupineTesting

/// What a notification center posts, in its order, for as long as this lives.
final class Posted: Sendable {
    /// A notification, taken apart where it was received.
    struct Item: Sendable {
        let name: Notification.Name
        let task: SessionTask?
        let session: URLSessionManager?
        let keys: [String]
        let data: Data?
        let json: JSONValue?
        let dictionary: [String: Int]?
        let error: LupineError?
        let metrics: TaskMetrics?

        init(_ notification: Notification) {
            let info = notification.userInfo ?? [:]
            name = notification.name
            task = notification.object as? SessionTask
            session = notification.object as? URLSessionManager
            keys = info.keys.compactMap { $0.base as? String }
            data = info[NetworkingTaskDidCompleteKey.responseData] as? Data
            json = info[NetworkingTaskDidCompleteKey.serializedResponse] as? JSONValue
            dictionary = info[NetworkingTaskDidCompleteKey.serializedResponse] as? [String: Int]
            error = info[NetworkingTaskDidCompleteKey.error] as? LupineError
            metrics = info[NetworkingTaskDidCompleteKey.sessionTaskMetrics] as? TaskMetrics
        }
    }

    private struct State {
        var items: [Item] = []
        var gates: [Int: Gate] = [:]
        var completions: Int { items.count { $0.name == .networkingTaskDidComplete } }
    }

    private let state = Lock(State())
    private let center: NotificationCenter
    // Safe to share: filled by `init`, emptied by `deinit`, and reached by nothing between.
    private nonisolated(unsafe) var observers: [any NSObjectProtocol] = []

    init(
        _ center: NotificationCenter, of object: (any AnyObject & Sendable)? = nil,
        _ seen: @escaping @Sendable (Item) -> Void = { _ in }
    ) {
        self.center = center
        let names: [Notification.Name] = [
            .networkingTaskDidResume, .networkingTaskDidSuspend, .networkingTaskDidComplete, .urlSessionDidInvalidate,
        ]
        for name in names {
            let observer = center.addObserver(forName: name, object: object, queue: nil) { [state] notification in
                let item = Item(notification)
                seen(item)
                let gate = state.withLock { state in
                    state.items.append(item)
                    return state.gates[state.completions]
                }
                gate?.open()
            }
            observers.append(observer)
        }
    }

    deinit { for observer in observers { center.removeObserver(observer) } }

    var all: [Item] { state.withLock(\.items) }
    var names: [Notification.Name] { all.map(\.name) }
    var completions: [Item] { all.filter { $0.name == .networkingTaskDidComplete } }

    /// Waits until so many tasks have completed.
    func completed(_ count: Int) async throws {
        let gate = Gate()
        let isThere = state.withLock { state in
            state.gates[count] = gate
            return state.completions >= count
        }
        if !isThere { try await gate.opened() }
    }
}
