public import LupineCore

/// An adapter made of a closure.
public struct Adapter: RequestAdapter {
    private let change: @Sendable (HTTPRequest, SessionTask) async throws -> HTTPRequest

    public init(_ adapt: @escaping @Sendable (HTTPRequest, SessionTask) async throws -> HTTPRequest) { change = adapt }

    public func adapt(_ request: HTTPRequest, for task: SessionTask) async throws -> HTTPRequest {
        try await change(request, task)
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
