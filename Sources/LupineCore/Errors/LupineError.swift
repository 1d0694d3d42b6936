public import FoundationEssentials

/// What went wrong: a stable code, a sentence, and what was received before it.
///
/// The code decides what a program does; the message is for people: it says what failed, on which host, and
/// what to do, in one line and without secrets.
public struct LupineError: Error, Sendable {
    /// What kind of failure this is.
    public let code: Code
    /// One line for people. Never holds a credential.
    public private(set) var message: String
    private var context: Context

    public init(_ code: Code, _ message: String, host: String? = nil, underlying: (any Error)? = nil) {
        self.code = code
        self.message = message
        self.context = Context(host: host, underlying: underlying)
    }

    /// The host the request was for, when the failure belongs to one.
    public var host: String? { context.host }
    /// The cause, when another layer reported one.
    public var underlying: (any Error)? { context.underlying }
    /// The head that was received before the failure.
    public var response: HTTPResponse? { context.response }
    /// The body bytes received before the failure, whole or not: with `unacceptable-status` the whole body.
    public var data: Data? { context.data }
    /// What the exchange measured until it failed.
    public var metrics: TransferMetrics? { context.metrics }
    /// The URLs that redirects led away from before the failure, in their order.
    public var redirects: [HTTPURL] { context.redirects }

    private final class Context: Sendable {
        let host: String?
        let underlying: (any Error)?
        let response: HTTPResponse?
        let data: Data?
        let metrics: TransferMetrics?
        let redirects: [HTTPURL]

        init(
            host: String?, underlying: (any Error)?, response: HTTPResponse? = nil, data: Data? = nil,
            metrics: TransferMetrics? = nil, redirects: [HTTPURL] = []
        ) {
            self.host = host
            self.underlying = underlying
            self.response = response
            self.data = data
            self.metrics = metrics
            self.redirects = redirects
        }
    }

    /// The same error with what was received before it.
    package func with(
        response: HTTPResponse?, data: Data?, metrics: TransferMetrics?, redirects: [HTTPURL] = []
    ) -> LupineError {
        var copy = self
        copy.context = Context(
            host: host, underlying: underlying, response: response ?? self.response, data: data ?? self.data,
            metrics: metrics ?? self.metrics, redirects: redirects.isEmpty ? self.redirects : redirects)
        return copy
    }

    /// The same error without the body that came.
    package var withoutBody: LupineError {
        guard data != nil else { return self }
        var copy = self
        copy.context = Context(
            host: host, underlying: underlying, response: response, metrics: metrics, redirects: redirects)
        return copy
    }

    /// The same error, its message telling an answer's bad status too: that says more than how the answer ended.
    package func telling(_ status: HTTPStatus?) -> LupineError {
        guard let status, status.rawValue >= 400, code != .cancelled else { return self }
        var copy = self
        copy.message += "; the answer's status was \(status.rawValue)"
        return copy
    }

    /// The same error, of a request to that host, unless it names one.
    package func at(_ host: String) -> LupineError {
        guard self.host == nil else { return self }
        var copy = self
        copy.context = Context(
            host: host, underlying: underlying, response: response, data: data, metrics: metrics, redirects: redirects)
        return copy
    }

    /// The same error with another beneath it.
    package func with(underlying: any Error) -> LupineError {
        var copy = self
        copy.context = Context(
            host: host, underlying: underlying, response: response, data: data, metrics: metrics, redirects: redirects)
        return copy
    }
}

extension LupineError: CustomStringConvertible {
    /// `code: message`.
    public var description: String { "\(code.rawValue): \(message)" }
}

extension LupineError: LocalizedError {
    public var errorDescription: String? { description }
}
