internal import LupineCore

// What an exchange tells its task.
extension SessionTask {
    private var isObserved: Bool { relay != nil || status.withLock { !$0.listeners.isEmpty } }

    func note(sent: Int64) {
        let progress = status.withLock { status -> TransferProgress? in
            let total = status.current?.statedBodyLength
            // A second sending begins at nothing again; what was told does not fall.
            guard sent > status.sent.completed else { return nil }
            status.sent = TransferProgress(completed: sent, total: total)
            return status.sent
        }
        guard let progress else { return }
        uploadProgressRelay?.report(progress)
        if isObserved { tell(.sent(progress)) }
    }

    func note(received count: Int, total: Int64?) {
        let progress = status.withLock { status in
            status.received = TransferProgress(completed: status.received.completed + Int64(count), total: total)
            return status.received
        }
        downloadProgressRelay?.report(progress)
        if isObserved { tell(.received(progress)) }
    }

    func note(_ response: HTTPResponse) {
        status.withLock { status in
            guard status.outcome == nil else { return }
            status.response = response
            // The body of a redirect that was not followed after all counts; those before do not.
            status.received = TransferProgress(completed: status.received.completed, total: response.expectedBodyLength)
        }
        tell(.response(response))
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
