internal import Dispatch

/// Where files are read and written: beside the event loop and beside Swift's own threads, since it may block. A task that
/// prefers it, as that of a request body does, goes from read to read without a change of threads.
package final class FileExecutor: TaskExecutor {
    package static let shared = FileExecutor()

    private let queue = DispatchQueue(label: "lupine.body-files", attributes: .concurrent)

    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }

    /// Does blocking work here: at once in a task that prefers this executor, else on a thread of it.
    func run<Value: Sendable>(_ work: @escaping @Sendable () throws -> Value) async throws -> Value {
        let isHere = withUnsafeCurrentTask { $0?.unownedTaskExecutor == asUnownedTaskExecutor() }
        if isHere { return try work() }
        return try await withCheckedThrowingContinuation { continuation in
            queue.async { continuation.resume(with: Result(catching: work)) }
        }
    }
}
