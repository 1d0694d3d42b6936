public import FoundationEssentials
public import LupineCore

/// An answer whose head has come and whose body is read as it arrives.
public struct StreamedResponse: Sendable {
    /// The request as it was sent.
    public let request: HTTPRequest
    /// The head.
    public let response: HTTPResponse
    /// The body, content coding removed. Once read to its end it also has trailers and metrics.
    public let body: ResponseBody
    /// How often the request was sent: 1, or more by retriers and by the session's ``ResendPolicy``. Of a try that redirects led
    /// on, the last request counts.
    public let sendings: Int
    /// The URLs that redirects led away from, in their order. Empty when none was followed.
    public let redirects: [HTTPURL]

    public var status: HTTPStatus { response.status }
    public var headers: HTTPHeaders { response.headers }
}

/// A body as it arrives: pieces in order, read once.
///
/// What has come and is not read yet is held, 512 KiB of it at most; then the server is made to wait. Each
/// piece is all that has come since the last. Losing the last reference before the end cancels the transfer.
public struct ResponseBody: AsyncSequence, Sendable {
    public typealias Element = Data
    public typealias Failure = LupineError

    /// Ends the task when nobody can read it any more.
    fileprivate final class Lifetime: Sendable {
        let task: SessionTask
        let reader: BodyReading

        init(_ task: SessionTask, _ reader: BodyReading) {
            self.task = task
            self.reader = reader
        }

        deinit { task.cancel() }
    }

    private let lifetime: Lifetime

    init(_ task: SessionTask, _ reader: BodyReading) { lifetime = Lifetime(task, reader) }

    /// The fields after a chunked body (RFC 9112 section 7.1.2). Empty before its end, and when there are none.
    public var trailers: HTTPHeaders { lifetime.reader.trailers }
    /// What the exchange measured. `nil` before its end.
    public var metrics: TransferMetrics? { lifetime.reader.metrics }

    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(lifetime: lifetime) }

    /// Reads the pieces.
    public struct AsyncIterator: AsyncIteratorProtocol {
        private let lifetime: Lifetime

        fileprivate init(lifetime: Lifetime) { self.lifetime = lifetime }

        /// The next piece, never empty; `nil` at the end of a body that came whole.
        ///
        /// - Throws: ``LupineError`` as ``URLSessionManager/stream(for:uploadProgress:)``, once what came before the fault
        ///   has been read.
        public mutating func next(isolation actor: isolated (any Actor)?) async throws(LupineError) -> Data? {
            try await lifetime.reader.nextPiece(of: lifetime.task, isolation: actor)
        }

        /// The next piece, never empty; `nil` at the end of a body that came whole.
        public mutating func next() async throws(LupineError) -> Data? { try await next(isolation: nil) }
    }
}
