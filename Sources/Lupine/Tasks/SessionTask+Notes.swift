internal import LupineCore

// What an exchange tells its task.
extension SessionTask {
    func note(sent: Int64) {
        let noted = status.withLock { status -> Noted? in
            let total = status.current?.statedBodyLength
            // A second sending begins at nothing again; what was told does not fall.
            guard sent > status.sent.completed else { return nil }
            status.sent = TransferProgress(completed: sent, total: total)
            return Noted(progress: status.sent, listeners: status.listeners)
        }
        guard let noted else { return }
        uploadProgressRelay?.report(noted.progress)
        tell(.sent(noted.progress), to: noted.listeners)
    }

    /// What ends a task whose handler threw.
    func fault(from error: any Error) -> LupineError {
        if let error = error as? LupineError { return error }
        let host = originalRequest.url.host
        return LupineError(
            .cancelled, "a handler ended the request to \(host): \(error.onOneLine)", host: host,
            underlying: error)
    }
}

extension SessionTask {
    /// Progress, and who is to be told of it.
    struct Noted {
        let progress: TransferProgress
        let listeners: [any TaskListener]
    }
}

extension SessionTask.Status {
    mutating func note(received count: Int, total: Int64?) -> SessionTask.Noted {
        receivedNow += Int64(count)
        // Another try begins at nothing again; what was told does not fall.
        received = progress(max(received.completed, receivedNow), of: total)
        return SessionTask.Noted(progress: received, listeners: listeners)
    }

    /// - Returns: who is to be told; `nil`: nobody, since the task has ended.
    mutating func note(_ response: HTTPResponse) -> [any TaskListener]? {
        guard outcome == nil else { return nil }
        self.response = response
        // The body of a redirect that was not followed after all counts; those before do not.
        received = progress(received.completed, of: response.expectedBodyLength)
        return listeners
    }

    /// Never more than the whole: an earlier try may have had a longer body.
    private func progress(_ completed: Int64, of total: Int64?) -> TransferProgress {
        TransferProgress(completed: completed, total: total.map { max($0, completed) })
    }
}
