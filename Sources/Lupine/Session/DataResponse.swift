public import FoundationEssentials
public import LupineCore

/// An answer that came whole.
public struct DataResponse: Sendable {
    /// The request as it was sent.
    public let request: HTTPRequest
    /// The head.
    public let response: HTTPResponse
    /// The body, content coding removed. Empty when there is none.
    public let data: Data
    /// The fields after a chunked body (RFC 9112 section 7.1.2). Empty when there are none.
    public let trailers: HTTPHeaders
    public let metrics: TransferMetrics
    /// How often the request was sent: 1, or more by the session's ``ResendPolicy``.
    public let sendings: Int

    public var status: HTTPStatus { response.status }
    public var headers: HTTPHeaders { response.headers }
    /// The body as text, when it is UTF-8.
    public var text: String? { String(validating: data, as: UTF8.self) }
}

/// How far a transfer is.
public struct TransferProgress: Hashable, Sendable {
    /// Bytes so far. Never falls.
    public let completed: Int64
    /// Bytes in all; `nil` when nobody has said, as with chunked and decoded bodies.
    public let total: Int64?

    public init(completed: Int64, total: Int64?) {
        self.completed = completed
        self.total = total
    }

    /// From 0 to 1; `nil` when the total is unknown.
    public var fractionCompleted: Double? {
        total.map { $0 == 0 ? 1 : min(1, Double(completed) / Double($0)) }
    }
}
