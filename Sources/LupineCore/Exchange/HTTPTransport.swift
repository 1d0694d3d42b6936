/// The seam: whatever performs one exchange, a request and its answer.
///
/// Above it nothing knows libcurl; below it nothing knows serializers, retries, cookies or redirects.
/// `CurlTransport` is the real one; `StubTransport` in `LupineTesting` needs no network.
public protocol HTTPTransport: Sendable {
    /// Starts an exchange. Events go to `receiver` in order, never under a lock, and end with exactly one
    /// ``ExchangeReceiver/didFinish(_:)``, also when the request is refused or the transport is shut down.
    @discardableResult
    func start(_ request: HTTPRequest, receiver: any ExchangeReceiver) -> any ExchangeControl

    /// Ends every exchange with `cancelled` and gives up connections. An exchange started afterwards ends with
    /// `cancelled` at once. Returns when all have ended. Calling it twice is harmless.
    func shutdown() async
}

/// What a caller can do to an exchange under way. Every call is safe from any thread, at any time, also after the
/// exchange has ended, where it does nothing.
public protocol ExchangeControl: AnyObject, Sendable {
    /// Stops reading: body bytes already read may still be delivered.
    func pause()
    /// Reads on.
    func resume()
    /// Ends the exchange with `cancelled`, unless it has ended.
    func cancel()
}

/// Who listens to an exchange. The transport calls from its own thread, one call at a time, in this order:
/// any number of `didSend` and `informational`, one `head`, any number of `body`, at most one `trailers`, one
/// `didFinish`. `didSend` may also come between later events. Calls must return quickly: every other exchange
/// of the event loop waits meanwhile.
public protocol ExchangeReceiver: AnyObject, Sendable {
    /// The request body bytes sent so far.
    func didSend(_ sent: Int64)
    /// A 1xx head (RFC 9110 section 15.2).
    func didReceive(informational response: HTTPResponse)
    /// The final head.
    func didReceive(head response: HTTPResponse)
    /// Body bytes, content coding removed. Borrowed for the call.
    /// - Returns: ``ExchangeFlow/pause`` to have no more until ``ExchangeControl/resume()``.
    func didReceive(body bytes: UnsafeRawBufferPointer) -> ExchangeFlow
    /// The fields after a chunked body (RFC 9112 section 7.1.2).
    func didReceive(trailers: HTTPHeaders)
    /// The end. Nothing comes after it.
    func didFinish(_ completion: ExchangeCompletion)
}

extension ExchangeReceiver {
    public func didSend(_ sent: Int64) {}
    public func didReceive(informational response: HTTPResponse) {}
    public func didReceive(trailers: HTTPHeaders) {}
}

/// What a receiver says to body bytes it has taken.
public enum ExchangeFlow: Sendable { case proceed, pause }

/// How an exchange ended.
public struct ExchangeCompletion: Sendable {
    /// `nil`: the answer came whole.
    public let error: LupineError?
    public let delivery: RequestDelivery
    public let metrics: TransferMetrics

    public init(error: LupineError? = nil, delivery: RequestDelivery = .answered, metrics: TransferMetrics = .init()) {
        self.error = error
        self.delivery = delivery
        self.metrics = metrics
    }
}

/// How far a request got, which decides whether it may be sent again.
public enum RequestDelivery: Hashable, Sendable {
    /// No byte of it left: it can be sent again whatever its method.
    case unsent
    /// It may have reached the server, and no byte of an answer came: only an idempotent request may be
    /// sent again (RFC 9110 section 9.2.2).
    case unanswered
    /// Part of an answer came.
    case answered
}
