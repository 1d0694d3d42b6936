internal import FoundationEssentials
public import LupineCore
public import LupineSerialization

/// Tries again what failed for a reason that may pass, after a pause that grows: a value, with Alamofire's words.
///
/// It differs from Alamofire's policy in four things: pauses are random and have an end, `Retry-After` is heeded, 429 is
/// retried, and what may have reached a server is not sent twice unless that is said to be right. See
/// ``decision(after:now:using:)``.
public struct RetryPolicy: RequestRetrier, Hashable {
    /// Retries of one request, at most. 2 by default, so it is sent three times. 0 or less: none.
    public var limit: Int
    /// What each pause is longer by than the one before. 2 by default.
    public var exponentialBackoffBase = 2.0
    /// The longest pause before the first retry. 500 ms by default; with a base of 2, that before the second is 1 s.
    public var exponentialBackoffScale = Duration.milliseconds(500)
    /// The end of growing pauses. 30 s by default. What a server asks for comes on top.
    public var maximumDelay = Duration.seconds(30)
    /// How a pause is chosen up to its longest. ``Jitter/full`` by default.
    public var jitter = Jitter.full
    /// What is retried. Alamofire's by default: DELETE, GET, HEAD, OPTIONS, PUT and TRACE, the idempotent ones (RFC 9110
    /// section 9.2.2).
    public var methods: Set<HTTPMethod> = [.delete, .get, .head, .options, .put, .trace]
    /// The statuses of `unacceptable-status` that are retried. 408, 429, 500, 502, 503 and 504 by default.
    public var statuses: StatusSet = [408, 429, 500, 502, 503, 504]
    /// Which other failures are retried: by default those on the way to an answer, and an answer that was cut off or garbled.
    public var errorCodes: Set<LupineError.Code> = [
        .couldNotResolve, .couldNotConnect, .connectionLost, .proxyFailed, .tlsFailed, .notReachable, .timedOut,
        .badResponse, .incompleteBody,
    ]
    /// The longest `Retry-After` that is waited for. 60 s by default. Where a server asks for more, its answer is the answer.
    public var maximumRetryAfter = Duration.seconds(60)
    /// Whether a request that is not idempotent is sent again even where a server may have acted on it
    /// (``FailedAttempt/mayHaveArrived``). `false` by default. Its method has to be among ``methods`` besides.
    ///
    /// A request with an `Idempotency-Key` field says so for itself, as with Go's `net/http`: by that key a server knows the
    /// second for the first (draft-ietf-httpapi-idempotency-key-header).
    public var repeatsWhatMayHaveArrived = false

    public init(limit: Int = 2) { self.limit = limit }

    /// Only connections that were lost, before an answer or in it: Alamofire's `ConnectionLostRetryPolicy`.
    public static let connectionLost = {
        var policy = RetryPolicy()
        policy.statuses = []
        policy.errorCodes = [.connectionLost, .incompleteBody]
        return policy
    }()

    /// By ``decision(after:now:using:)``, now.
    public func retry(_ task: SessionTask, after attempt: FailedAttempt) async -> RetryResult {
        var generator = SystemRandomNumberGenerator()
        return decision(after: attempt, now: Date(), using: &generator)
    }

    /// How a pause is chosen.
    public enum Jitter: Hashable, Sendable {
        /// Any length up to the longest, each as likely: clients that failed at one moment do not come back at one.
        case full
        /// The longest, always, as Alamofire does.
        case none
    }
}
