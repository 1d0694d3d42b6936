public import Foundation
public import Lupine

// AFNetworking's `uploadProgressForTask:` and `downloadProgressForTask:`.
extension SessionTask {
    /// How much of the request's body has left, as a Foundation `Progress`. Always the same object, also after the end.
    ///
    /// Counts bytes. The total is -1, undetermined, until it is known; for a body of known length that is from the start. It is
    /// finished at a good end, whatever was counted: a total that nobody has stated becomes what has been sent, and a body of no
    /// bytes is one unit of one. A task that ends with an error leaves it where it was. The fraction never falls.
    ///
    /// Cancelling, pausing and resuming it, or a parent it has been added to, do so with the task, as Foundation has it a moment
    /// later and on another thread. The other way round it is not told: a task that is suspended leaves `isPaused` as it is.
    ///
    /// `Progress` has no locks on Linux. This one changes on the session's ``SessionConfiguration/callbackQueue``, the main
    /// queue by default, with its parents: read it, and add it to a tree, there. When a completion handler runs, it has come to its
    /// end.
    public var uploadFoundationProgress: Progress { progress(.upload) }

    /// How much of the answer's body has come, as a Foundation `Progress`. Always the same object, also after the end.
    ///
    /// Counts bytes. The total is -1, undetermined, until a `Content-Length` has come; chunked and decoded bodies have none. As
    /// ``uploadFoundationProgress`` otherwise.
    public var downloadFoundationProgress: Progress { progress(.download) }

    private func progress(_ direction: ProgressFeed.Direction) -> Progress {
        let queue = callbackQueue
        let feed = keptListener(where: { (feed: ProgressFeed) in feed.direction == direction }) { present in
            ProgressFeed(direction, of: self, on: queue, present: present)
        }
        return feed.progress
    }
}

extension URLSessionManager {
    /// ``Lupine/SessionTask/uploadFoundationProgress`` of a task of this session; `nil` for another's.
    public func uploadProgress(for task: SessionTask) -> Progress? {
        task.belongs(to: self) ? task.uploadFoundationProgress : nil
    }

    /// ``Lupine/SessionTask/downloadFoundationProgress`` of a task of this session; `nil` for another's.
    public func downloadProgress(for task: SessionTask) -> Progress? {
        task.belongs(to: self) ? task.downloadFoundationProgress : nil
    }
}
