import FoundationEssentials
import Lupine
import LupineCore
import Testing

/// One failure, the policy that is asked, and what it says.
struct RetryRow: Sendable, CustomTestStringConvertible {
    enum Failure: Sendable {
        /// `unacceptable-status`.
        case status(HTTPStatus)
        /// Another failure, without a head.
        case code(LupineError.Code)
        /// Another failure, after a head.
        case after(HTTPStatus, LupineError.Code)
    }

    enum Verdict: Hashable, Sendable {
        case never, atOnce
        case after(Duration)

        init(_ result: RetryResult) {
            self =
                switch result {
                case .retry: .atOnce
                case .retryWithDelay(let delay): .after(delay)
                case .doNotRetry, .doNotRetryWithError: .never
                }
        }
    }

    let method: HTTPMethod
    let failure: Failure
    /// Retries before.
    let retries: Int
    let arrived: Bool
    let isRepeatable: Bool
    /// Fields of the request.
    let fields: HTTPHeaders
    /// Values of the answer's `Retry-After`.
    let wait: [String]
    let remaining: Duration?
    /// What is other than by default. Pauses are their longest, so that they can be told.
    let change: @Sendable (inout RetryPolicy) -> Void
    let expected: Verdict

    init(
        _ method: HTTPMethod, _ failure: Failure, retries: Int = 0, arrived: Bool = false, isRepeatable: Bool = true,
        fields: HTTPHeaders = [:], wait: [String] = [], remaining: Duration? = nil, _ expected: Verdict,
        _ change: @escaping @Sendable (inout RetryPolicy) -> Void = { _ in }
    ) {
        self.method = method
        self.failure = failure
        self.retries = retries
        self.arrived = arrived
        self.isRepeatable = isRepeatable
        self.fields = fields
        self.wait = wait
        self.remaining = remaining
        self.change = change
        self.expected = expected
    }

    /// Sun, 06 Nov 1994 08:49:37 GMT.
    static let now = Date(timeIntervalSince1970: 784_111_777)

    func attempt() throws -> FailedAttempt {
        let request = HTTPRequest(method: method, url: try HTTPURL("http://host.example/"), headers: fields)
        return FailedAttempt(
            request: request, error: error,
            previous: Array(repeating: LupineError(.timedOut, "before"), count: retries), mayHaveArrived: arrived,
            isRepeatable: isRepeatable, remaining: remaining)
    }

    private var error: LupineError {
        switch failure {
        case .status(let status): LupineError.test(.unacceptableStatus, head(status))
        case .code(let code): LupineError(code, "it failed")
        case .after(let status, let code): LupineError.test(code, head(status))
        }
    }

    private func head(_ status: HTTPStatus) -> HTTPResponse {
        HTTPResponse(status: status, headers: HTTPHeaders(wait.map { HTTPHeader(name: "Retry-After", value: $0) }))
    }

    func verdict() throws -> Verdict {
        var policy = RetryPolicy()
        policy.jitter = .none
        change(&policy)
        var generator = SeededGenerator(seed: 1)
        return Verdict(policy.decision(after: try attempt(), now: Self.now, using: &generator))
    }

    var testDescription: String {
        let arrived = arrived ? ", may have arrived" : "", once = isRepeatable ? "" : ", read once"
        let left = remaining.map { ", \($0) left" } ?? ""
        return "\(method) \(failure) \(retries) before, wait \(wait)\(arrived)\(once)\(left): \(expected)"
    }
}

extension LupineError {
    /// With a head.
    static func test(_ code: Code, _ head: HTTPResponse) -> LupineError {
        LupineError(code, "it failed").with(response: head, data: nil, metrics: nil)
    }
}
