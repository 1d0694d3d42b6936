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
        received = TransferProgress(completed: max(received.completed, receivedNow), total: total)
        return SessionTask.Noted(progress: received, listeners: listeners)
    }

    /// - Returns: who is to be told; `nil`: nobody, since the task has ended.
    mutating func note(_ response: HTTPResponse) -> [any TaskListener]? {
        guard outcome == nil else { return nil }
        self.response = response
        // The body of a redirect that was not followed after all counts; those before do not.
        received = TransferProgress(completed: received.completed, total: response.expectedBodyLength)
        return listeners
    }
}
