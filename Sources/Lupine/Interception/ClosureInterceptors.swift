public import LupineCore

/// An adapter made of a closure.
public struct Adapter: RequestAdapter {
    private enum Change: Sendable {
        case immediate(@Sendable (HTTPRequest, SessionTask) throws -> HTTPRequest)
        case waiting(@Sendable (HTTPRequest, SessionTask) async throws -> HTTPRequest)
    }

    private let change: Change

    /// One that does not wait: it is called on the thread that begins the task, and costs no more than the call.
    public init(_ adapt: @escaping @Sendable (HTTPRequest, SessionTask) throws -> HTTPRequest) {
        change = .immediate(adapt)
    }

    /// One that may wait.
    public init(_ adapt: @escaping @Sendable (HTTPRequest, SessionTask) async throws -> HTTPRequest) {
        change = .waiting(adapt)
    }

    public func adapt(_ request: HTTPRequest, for task: SessionTask) async throws -> HTTPRequest {
        switch change {
        case .immediate(let adapt): try adapt(request, task)
        case .waiting(let adapt): try await adapt(request, task)
        }
    }

    public func adaptWithoutWaiting(_ request: HTTPRequest, for task: SessionTask) throws -> HTTPRequest? {
        guard case .immediate(let adapt) = change else { return nil }
        return try adapt(request, task)
    }
}

/// A retrier made of a closure.
public struct Retrier: RequestRetrier {
    private let decide: @Sendable (SessionTask, FailedAttempt) async -> RetryResult

    public init(_ retry: @escaping @Sendable (SessionTask, FailedAttempt) async -> RetryResult) { decide = retry }

    public func retry(_ task: SessionTask, after attempt: FailedAttempt) async -> RetryResult {
        await decide(task, attempt)
    }
}
