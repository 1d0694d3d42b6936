public import LupineCore
internal import LupineTransport

/// When a request whose kept connection died goes out again by itself: a value.
///
/// Servers close idle connections and HTTP/2 connections that have served enough (GOAWAY), at times just as a request goes
/// out on them. Such a request fails through nobody's fault, and repeating it is safe where the server cannot have acted on
/// it, or acting twice is the same as once (RFC 9110 section 9.2.2, RFC 9112 section 9.3.1, RFC 9113 section 8.7). This is no
/// retry policy: a server that fails, or a connection that cannot be made, is told at once.
public struct ResendPolicy: Hashable, Sendable {
    /// Sendings in all, at most. 3 by default; 1 never sends again. The last goes over a new connection: after a network's
    /// failure any number of kept ones may be dead at once.
    public var maximumSendings = 3

    public init() {}

    /// - Parameter sendings: how often the request went out, this failed time included.
    public func sendsAgain(_ request: HTTPRequest, after completion: ExchangeCompletion, sendings: Int) -> Bool {
        guard completion.error?.code == .connectionLost, completion.metrics.isReusedConnection else { return false }
        guard sendings < maximumSendings, request.body.isRewindable else { return false }
        return switch completion.delivery {
        case .unsent: true
        case .unanswered: request.method.isIdempotent
        case .answered: false
        }
    }
}

/// The sendings of one request under a policy.
struct Sendings {
    /// How often it went out, or is about to.
    private(set) var count = 1
    private let policy: ResendPolicy
    let started = MonotonicTime.now()
    private var limit: TimeLimit
    private var usesNewConnection: Bool

    // Not inlined: what these need for a moment would be part of each waiting task.

    @inline(never)
    init(of request: HTTPRequest, policy: ResendPolicy) {
        self.policy = policy
        limit = request.options.timeouts.limits.total
        usesNewConnection = request.options.usesNewConnection
    }

    /// Whether the request goes out again after that end; it is then ready to.
    @inline(never)
    mutating func repeats(_ request: inout HTTPRequest, after completion: ExchangeCompletion) -> Bool {
        guard policy.sendsAgain(request, after: completion, sendings: count) else { return false }
        count += 1
        request.options.usesNewConnection = usesNewConnection || count == policy.maximumSendings
        limit(&request)
        return true
    }

    /// Another request takes its place, after a redirect.
    @inline(never)
    mutating func restart(_ request: inout HTTPRequest) {
        count = 1
        request.options.usesNewConnection = usesNewConnection
        limit(&request)
    }

    /// The request as adapters made it takes its place, options and all. The limit in all is counted from the same beginning.
    @inline(never)
    mutating func begin(_ request: inout HTTPRequest) {
        limit = request.options.timeouts.limits.total
        usesNewConnection = request.options.usesNewConnection
        restart(&request)
    }

    /// The limit in all; `nil`: there is none.
    var total: Duration? { limit.duration }
    /// What is left of it.
    var remaining: Duration? { total.map { max(.zero, $0 - started.duration(to: .now())) } }

    /// The limit in all is for the whole as the caller sees it.
    private func limit(_ request: inout HTTPRequest) {
        if let remaining { request.options.timeouts.total = remaining }
    }
}
