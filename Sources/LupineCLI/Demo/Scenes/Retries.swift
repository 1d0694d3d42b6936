import Lupine

/// What failed for a reason that may pass is tried again, after a pause that grows.
func retries(_ api: HTTPSessionManager, _ stage: Stage) async throws {
    var policy = RetryPolicy(limit: 3)
    policy.exponentialBackoffScale = .milliseconds(200)
    let noting = Retrier { _, attempt in
        stage.show("\(attempt.error)")
        return .doNotRetry
    }
    let answer = try await api.request(.get, "busy", handlers: TaskHandlers(retriers: [noting, policy]))
    stage.show("\(answer.text ?? "nothing"), after \(answer.sendings) tries")
}
