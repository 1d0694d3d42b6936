internal import LupineCore

/// What the end of an exchange tells of the host: for what retries may cost it, and for whether it is asked at all.
enum HostHealth: Hashable, Sendable {
    /// It answers, whatever it thinks of the request.
    case answers
    /// It cannot be reached, breaks off, or says that it has trouble or too much to do: 5xx, 408, 429.
    case fails
    /// Nothing: the exchange was cancelled, or failed on this machine.
    case unknown

    /// - Parameter error: `nil`: the answer came whole.
    init(after error: LupineError?, response: HTTPResponse?) {
        if let error, Self.faults.contains(error.code) {
            self = .fails
        } else if let status = (response ?? error?.response)?.status {
            self = status.isServerError || status == 408 || status == 429 ? .fails : .answers
        } else {
            self = error == nil ? .answers : .unknown
        }
    }

    /// On the way there or back. `not-reachable` is this machine's own network, and distrust is a decision of this side.
    private static let faults: Set<LupineError.Code> = [
        .couldNotResolve, .couldNotConnect, .connectionLost, .proxyFailed, .tlsFailed, .timedOut, .badResponse,
        .incompleteBody,
    ]
}
