public import Foundation

// The names and keys have AFNetworking's values, so that an observer written for it finds what it listens for.

extension Notification.Name {
    /// A task has begun, or goes on after a pause. `object` is the `SessionTask`.
    public static let networkingTaskDidResume = Self("com.alamofire.networking.task.resume")
    /// A task pauses. `object` is the `SessionTask`.
    public static let networkingTaskDidSuspend = Self("com.alamofire.networking.task.suspend")
    /// A task has ended, well or not. `object` is the `SessionTask`; for `userInfo` see ``NetworkingTaskDidCompleteKey``.
    public static let networkingTaskDidComplete = Self("com.alamofire.networking.task.complete")
    /// A session has been invalidated and its tasks have ended. `object` is the `URLSessionManager`.
    public static let urlSessionDidInvalidate = Self("com.alamofire.networking.session.invalidate")
}

/// The keys of `userInfo` in ``Foundation/NSNotification/Name/networkingTaskDidComplete``.
///
/// AFNetworking's key of the response serializer is not among them, nor that of a downloaded file's path: a task knows neither
/// yet.
public enum NetworkingTaskDidCompleteKey {
    /// The body as it came, a `Data`: whole, or with an error as far as it came. Absent for an answer that is read as it comes.
    public static let responseData = "com.alamofire.networking.complete.finish.responsedata"
    /// What a response serializer made of the body, of its own type. Absent when there was no serializer, or it failed.
    public static let serializedResponse = "com.alamofire.networking.task.complete.serializedresponse"
    /// Why the completion handler was given a failure: a `LupineError`, the task's or a serializer's. Absent when it was not.
    public static let error = "com.alamofire.networking.task.complete.error"
    /// What was measured: `TaskMetrics`. Always there.
    public static let sessionTaskMetrics = "com.alamofire.networking.complete.sessiontaskmetrics"
}
