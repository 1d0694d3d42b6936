internal import LupineCore

// What an exchange tells its task.
extension SessionTask {
    func note(sent: Int64) {
        let noted = status.withLock { status -> (TransferProgress, [any TaskListener])? in
            let total = status.current?.statedBodyLength
            // A second sending begins at nothing again; what was told does not fall.
            guard sent > status.sent.completed else { return nil }
            status.sent = TransferProgress(completed: sent, total: total)
            return (status.sent, status.listeners)
        }
        guard let (progress, listeners) = noted else { return }
        uploadProgressRelay?.report(progress)
        tell(.sent(progress), to: listeners)
    }

    func note(received count: Int, total: Int64?) {
        let (progress, listeners) = status.withLock { status in
            status.received = TransferProgress(completed: status.received.completed + Int64(count), total: total)
            return (status.received, status.listeners)
        }
        downloadProgressRelay?.report(progress)
        tell(.received(progress), to: listeners)
    }

    func note(_ response: HTTPResponse) {
        let listeners = status.withLock { status -> [any TaskListener] in
            guard status.outcome == nil else { return [] }
            status.response = response
            // The body of a redirect that was not followed after all counts; those before do not.
            status.received = TransferProgress(completed: status.received.completed, total: response.expectedBodyLength)
            return status.listeners
        }
        tell(.response(response), to: listeners)
    }

    /// What ends a task whose handler threw.
    func fault(from error: any Error) -> LupineError {
        if let error = error as? LupineError { return error }
        let host = originalRequest.url.host
        return LupineError(
            .cancelled, "a handler ended the request to \(host): \(String(describing: error).onOneLine)", host: host,
            underlying: error)
    }
}
