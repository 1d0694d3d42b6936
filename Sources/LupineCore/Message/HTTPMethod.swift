/// A request method: a token of RFC 9110 section 9.1, case-sensitive.
///
/// Any token can be used; a string that is no token makes the request fail with `invalid-request` before
/// anything is sent.
public struct HTTPMethod: RawRepresentable, Hashable, Sendable, ExpressibleByStringLiteral, CustomStringConvertible {
    public let rawValue: String

    public init(rawValue: String) { self.rawValue = rawValue }
    public init(stringLiteral value: String) { self.rawValue = value }

    public static let get = HTTPMethod(rawValue: "GET")
    public static let head = HTTPMethod(rawValue: "HEAD")
    public static let post = HTTPMethod(rawValue: "POST")
    public static let put = HTTPMethod(rawValue: "PUT")
    public static let patch = HTTPMethod(rawValue: "PATCH")
    public static let delete = HTTPMethod(rawValue: "DELETE")
    public static let options = HTTPMethod(rawValue: "OPTIONS")
    public static let trace = HTTPMethod(rawValue: "TRACE")
    public static let connect = HTTPMethod(rawValue: "CONNECT")

    public var description: String { rawValue }

    /// Most that differ do so in length, which costs less to ask than whether the texts do.
    public static func == (left: Self, right: Self) -> Bool {
        left.rawValue.utf8.count == right.rawValue.utf8.count && left.rawValue == right.rawValue
    }

    /// Whether sending the request twice means the same as sending it once (RFC 9110 section 9.2.2).
    /// Only such requests are ever sent again by themselves.
    public var isIdempotent: Bool {
        switch self {
        case .get, .head, .put, .delete, .options, .trace: true
        default: false
        }
    }

    /// Whether a body is part of what the method means, so that an absent one is said with
    /// `Content-Length: 0` (RFC 9110 section 8.6).
    public var expectsBody: Bool {
        guard rawValue.utf8.first == UInt8(ascii: "P") else { return false }
        return switch self {
        case .post, .put, .patch: true
        default: false
        }
    }
}
