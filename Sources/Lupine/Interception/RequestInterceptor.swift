public import LupineCore

/// Changes requests before they are sent.
public protocol RequestAdapter: Sendable {
    /// The request to send in place of `request`, which is as it was given, with what earlier adapters made of it. Asked once for
    /// each try, the first and every retry, always of the request as given: nothing is adapted twice. A redirect is followed
    /// without asking.
    ///
    /// Where it leads to another origin, secrets that the request has by then (``HTTPHeader/isSecret``) stay behind, also those
    /// that earlier adapters attached; those that it gives the request itself do not. Options count as those of the request given:
    /// the limit in all (`Timeouts.total`) is counted from the task's beginning.
    ///
    /// What it waits for holds up its own task only. Where the task is cancelled, or its limit in all is over, the Swift task
    /// that runs this is cancelled, and what it gives is of no interest any more.
    ///
    /// - Throws: what ends the task: a ``LupineError`` as it is, another under `cancelled`. No retrier is asked.
    func adapt(_ request: HTTPRequest, for task: SessionTask) async throws -> HTTPRequest

    /// The same where there is nothing to wait for, on the thread that begins the task: it saves each request a Swift task. `nil`, by
    /// default: ``adapt(_:for:)`` is asked.
    func adaptWithoutWaiting(_ request: HTTPRequest, for task: SessionTask) throws -> HTTPRequest?
}

extension RequestAdapter {
    public func adaptWithoutWaiting(_ request: HTTPRequest, for task: SessionTask) throws -> HTTPRequest? { nil }
}

/// Decides whether a request that failed is tried again.
public protocol RequestRetrier: Sendable {
    /// Asked after a try that failed: on the way, by its status (400 or more), or by a validator or serializer. Not of a task that was
    /// cancelled, nor where an adapter threw; nor once bytes of the answer have been handed on, to a stream's reader or to
    /// ``TaskHandlers/data``.
    ///
    /// Saying ``RetryResult/retry`` says that it may be sent a second time: see ``FailedAttempt/mayHaveArrived``. Where the task ends
    /// meanwhile, the Swift task that runs this is cancelled.
    func retry(_ task: SessionTask, after attempt: FailedAttempt) async -> RetryResult
}

/// Both.
public typealias RequestInterceptor = RequestAdapter & RequestRetrier

/// What a retrier says.
public enum RetryResult: Sendable {
    /// Send it again, at once.
    case retry
    /// Send it again, that much later.
    case retryWithDelay(Duration)
    /// Leave it to the next retrier; if none wants it, the failure is told.
    case doNotRetry
    /// Ask no other retrier: the task ends with this error.
    case doNotRetryWithError(any Error)
}

/// One try of a request, and how it failed.
public struct FailedAttempt: Sendable {
    /// The request of this try: with what adapters made of it, before any redirect. A retry begins with it, adapted anew.
    public let request: HTTPRequest
    /// How it failed. It carries what had come: with `unacceptable-status` head and body.
    public let error: LupineError
    /// How earlier tries of the task failed, in their order, without what they carried.
    public let previous: [LupineError]
    /// Whether a server may have acted on it: part of it has left, of a method that is not idempotent (RFC 9110 section 9.2.2). So
    /// it is too where a redirect led from such a request to another.
    public let mayHaveArrived: Bool
    /// Whether its body can be sent again: from memory, a file, a stream that can be opened anew, or since the task's handlers give
    /// another.
    public let isRepeatable: Bool
    /// What is left of the limit in all (`Timeouts.total`); `nil`: there is none.
    public let remaining: Duration?

    public init(
        request: HTTPRequest, error: LupineError, previous: [LupineError] = [], mayHaveArrived: Bool = false,
        isRepeatable: Bool = true, remaining: Duration? = nil
    ) {
        self.request = request
        self.error = error
        self.previous = previous
        self.mayHaveArrived = mayHaveArrived
        self.isRepeatable = isRepeatable
        self.remaining = remaining
    }

    /// How often the request has been tried again before: 0 at the first failure.
    public var retryCount: Int { previous.count }
    /// The head that came, if one did.
    public var response: HTTPResponse? { error.response }
}
