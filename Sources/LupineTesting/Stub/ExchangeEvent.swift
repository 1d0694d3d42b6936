public import LupineCore

/// One call of an ``ExchangeReceiver``, as a value.
public enum ExchangeEvent: Sendable {
    case sent(Int64)
    case informational(HTTPResponse)
    case head(HTTPResponse)
    case body([UInt8])
    case trailers(HTTPHeaders)
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
