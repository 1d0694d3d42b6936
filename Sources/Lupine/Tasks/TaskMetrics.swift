public import LupineCore

/// What one exchange of a task measured.
public struct TransactionMetrics: Hashable, Sendable {
    /// What was asked.
    public let method: HTTPMethod
    public let url: HTTPURL
    /// What was answered; `nil`: nothing.
    public let status: HTTPStatus?
    /// Times and bytes of the exchange itself.
    public let transfer: TransferMetrics

    public init(method: HTTPMethod, url: HTTPURL, status: HTTPStatus?, transfer: TransferMetrics) {
        self.method = method
        self.url = url
        self.status = status
        self.transfer = transfer
    }
}

/// What a task measured, over all its exchanges: each redirect, each further sending.
public struct TaskMetrics: Hashable, Sendable {
    /// The exchanges in their order. The last is the answer's.
    public var transactions: [TransactionMetrics] = []
    /// Redirects followed.
    public var redirectCount = 0
    /// From the first start to the end, or to now; pauses included.
    public var duration: Duration = .zero

    public init() {}
}
