public import LupineCore

/// One call of an ``ExchangeReceiver``, as a value.
public enum ExchangeEvent: Sendable {
    /// Request body bytes sent so far.
    case sent(Int64)
    /// A 1xx head.
    case informational(HTTPResponse)
    /// The final head.
    case head(HTTPResponse)
    /// A body piece; empty where a receiver does not keep bodies.
    case body([UInt8])
    /// The fields after a chunked body.
    case trailers(HTTPHeaders)
    /// The end.
    case finish(ExchangeCompletion)

    /// The kind alone, for comparing orders: `sent`, `informational`, `head`, `body`, `trailers`, `finish`.
    public var kind: String {
        switch self {
        case .sent: "sent"
        case .informational: "informational"
        case .head: "head"
        case .body: "body"
        case .trailers: "trailers"
        case .finish: "finish"
        }
    }
}
