public import FoundationEssentials
internal import Glibc
internal import LupineCore
internal import LupineSerialization

extension RetryPolicy {
    /// Whether a request is tried again after a failure, and when. Pure: the same in, the same out.
    ///
    /// It is, where all of this holds:
    ///
    /// - It has been retried less often than ``limit``, and its method is one of ``methods``.
    /// - Its body can be sent again, and so can the whole: see ``repeatsWhatMayHaveArrived``.
    /// - The failure is one of ``errorCodes``, whatever the status of what came; or it is `unacceptable-status`, and the status is
    ///   one of ``statuses``.
    /// - The head that came, if one did, asks for no more than ``maximumRetryAfter``.
    /// - The limit in all of the task is not over before the pause is.
    ///
    /// The pause is as long as the head asks for, and then the one of ``jitter`` besides, up to half as long at least: else all who
    /// are told one moment come at that moment.
    public func decision(
        after attempt: FailedAttempt, now: Date, using generator: inout some RandomNumberGenerator
    ) -> RetryResult {
        guard attempt.retryCount < limit, mayBeSentAgain(attempt), covers(attempt.error) else { return .doNotRetry }
        let asked = attempt.response?.retryAfter(now: now)
        if let asked, asked > maximumRetryAfter { return .doNotRetry }
        let delay = (asked ?? .zero) + backoff(after: attempt.retryCount, asked: asked ?? .zero, using: &generator)
        if let remaining = attempt.remaining, delay >= remaining { return .doNotRetry }
        return delay == .zero ? .retry : .retryWithDelay(delay)
    }

    private func mayBeSentAgain(_ attempt: FailedAttempt) -> Bool {
        guard methods.contains(attempt.request.method), attempt.isRepeatable else { return false }
        return !attempt.mayHaveArrived || repeatsWhatMayHaveArrived
            || attempt.request.headers.contains("Idempotency-Key")
    }

    private func covers(_ error: LupineError) -> Bool {
        guard error.code == .unacceptableStatus else { return errorCodes.contains(error.code) }
        return error.response.map { statuses.contains($0.status) } ?? false
    }

    private func backoff(
        after retries: Int, asked: Duration, using generator: inout some RandomNumberGenerator
    ) -> Duration {
        let longest = longestBackoff(after: retries)
        return switch jitter {
        case .full: .wait(seconds: .random(in: 0...max(longest, asked / .seconds(2)), using: &generator))
        case .none: .wait(seconds: longest)
        }
    }

    /// In seconds. Settings that make no sense make no pause, rather than one that is none: all comparisons with what is no number
    /// are false.
    private func longestBackoff(after retries: Int) -> Double {
        let step = exponentialBackoffScale / .seconds(1) * pow(exponentialBackoffBase, Double(retries))
        let end = min(maximumDelay, .longestWait) / .seconds(1)
        return step > 0 && end > 0 ? min(step, end) : 0
    }
}
