public import FoundationEssentials
public import LupineCore

/// An answer that came whole.
public struct DataResponse: Sendable {
    /// One reference: an answer is returned through several layers of async functions.
    private let storage: Storage

    /// The request as it was sent last: after redirects another than was asked for.
    public var request: HTTPRequest { storage.request }
    /// The head.
    public var response: HTTPResponse { storage.response }
    /// The body, content coding removed. Empty when there is none.
    public var data: Data { storage.data }
    /// The fields after a chunked body (RFC 9112 section 7.1.2). Empty when there are none.
    public var trailers: HTTPHeaders { storage.trailers }
    public var metrics: TransferMetrics { storage.metrics }
    /// How often the request was sent: 1, or more by retriers and by the session's ``ResendPolicy``. Of a try that redirects led
    /// on, the last request counts.
    public var sendings: Int { storage.sendings }
    /// The URLs that redirects led away from, in their order. Empty when none was followed.
    public var redirects: [HTTPURL] { storage.redirects }

    init(
        request: HTTPRequest, response: HTTPResponse, data: Data, trailers: HTTPHeaders, metrics: TransferMetrics,
        sendings: Int, redirects: [HTTPURL] = []
    ) {
        storage = Storage(
            request: request, response: response, data: data, trailers: trailers, metrics: metrics, sendings: sendings,
            redirects: redirects)
    }

    private final class Storage: Sendable {
        let request: HTTPRequest
        let response: HTTPResponse
        let data: Data
        let trailers: HTTPHeaders
        let metrics: TransferMetrics
        let sendings: Int
        let redirects: [HTTPURL]

        init(
            request: HTTPRequest, response: HTTPResponse, data: Data, trailers: HTTPHeaders, metrics: TransferMetrics,
            sendings: Int, redirects: [HTTPURL]
        ) {
            self.request = request
            self.response = response
            self.data = data
            self.trailers = trailers
            self.metrics = metrics
            self.sendings = sendings
            self.redirects = redirects
        }
    }

    public var status: HTTPStatus { response.status }
    public var headers: HTTPHeaders { response.headers }
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
