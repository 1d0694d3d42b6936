/// The head of an answer.
public struct HTTPResponse: Hashable, Sendable {
    /// The URL that answered.
    public var url: HTTPURL?
    public var status: HTTPStatus
    public var version: HTTPVersion
    /// The reason phrase, as it came; empty over HTTP/2.
    public var reason: String
    /// The fields in the order received. After content decoding `Content-Encoding` and `Content-Length` are not
    /// among them, since they would speak of other bytes than those delivered.
    public var headers: HTTPHeaders
    /// The fields exactly as they came, when decoding removed some; else `nil`. See ``receivedHeaders``.
    public var encodedHeaders: HTTPHeaders?

    public init(
        url: HTTPURL? = nil, status: HTTPStatus, version: HTTPVersion = .http1_1, reason: String = "",
        headers: HTTPHeaders = HTTPHeaders(), encodedHeaders: HTTPHeaders? = nil
    ) {
        self.url = url
        self.status = status
        self.version = version
        self.reason = reason
        self.headers = headers
        self.encodedHeaders = encodedHeaders
    }

    /// The fields exactly as they came, with those that describe the coded body.
    public var receivedHeaders: HTTPHeaders { encodedHeaders ?? headers }

    /// The number of body bytes that will be delivered, when the head tells: `nil` for a chunked, a
    /// close-delimited or a decoded body.
    public var expectedBodyLength: Int64? { headers.value(for: "Content-Length").flatMap(\.decimalLength) }
}
