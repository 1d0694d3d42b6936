public import Dispatch
public import Foundation
public import Lupine
internal import LupineCore

extension SessionConfiguration {
    /// Has all tasks of the session post AFNetworking's notifications: ``Foundation/NSNotification/Name/networkingTaskDidResume``
    /// and its siblings. Handlers are told as before.
    ///
    /// ```swift
    /// var configuration = SessionConfiguration()
    /// configuration.postsNotifications()
    /// let api = HTTPSessionManager(baseURL: "https://api.example.com/v1/", configuration: configuration)
    /// ```
    ///
    /// Each turn of a task is posted, in order; a call that changes nothing, such as a second `resume()`, is none. The end is posted
    /// once the completion handler has returned; for a task that has none, as with the async functions, when the task has
    /// ended. There, what a session finds wrong with a whole answer, such as its status, is not in the notification: the task's
    /// `response` is.
    ///
    /// - Parameters:
    ///   - center: where to post. A second call takes the place of the first.
    ///   - queue: where posting, and with it every observer without a queue of its own, runs. The main queue by default, as in
    ///     AFNetworking; a program whose main thread is blocked gives another. A concurrent one keeps no order.
    public mutating func postsNotifications(
        on center: NotificationCenter = .default, queue: DispatchQueue = .main
    ) {
        observer = SessionObserver(
            turned: { task, isSuspended in
                queue.async {
                    center.post(
                        name: isSuspended ? .networkingTaskDidSuspend : .networkingTaskDidResume, object: task)
                }
            },
            finished: { task, ending in
                queue.async {
                    center.post(
                        name: .networkingTaskDidComplete, object: task, userInfo: task.completionInfo(ending))
                }
            },
            invalidated: { session in
                queue.async { center.post(name: .urlSessionDidInvalidate, object: session) }
            })
    }
}

extension SessionTask {
    fileprivate func completionInfo(_ ending: SessionObserver.Ending) -> [String: Any] {
        var info: [String: Any] = [NetworkingTaskDidCompleteKey.sessionTaskMetrics: metrics]
        info[NetworkingTaskDidCompleteKey.error] = ending.error
        if let value = ending.value, (value as? any Absent)?.isAbsent != true {
            info[NetworkingTaskDidCompleteKey.serializedResponse] = value
        }
        guard collectsBody else { return info }
        switch outcome {
        case .success(let answer): info[NetworkingTaskDidCompleteKey.responseData] = answer.data
        case .failure(let error): info[NetworkingTaskDidCompleteKey.responseData] = error.data
        }
        return info
    }
}

/// What a serializer of optional values may have made.
private protocol Absent {
    var isAbsent: Bool { get }
}

extension Optional: Absent {
    fileprivate var isAbsent: Bool { self == nil }
}
