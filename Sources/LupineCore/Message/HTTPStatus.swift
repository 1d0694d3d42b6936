/// A status code (RFC 9110 section 15).
public struct HTTPStatus: RawRepresentable, Hashable, Sendable, Comparable, ExpressibleByIntegerLiteral,
    CustomStringConvertible
{
    public let rawValue: Int

    public init(rawValue: Int) { self.rawValue = rawValue }
    public init(integerLiteral value: Int) { self.rawValue = value }

    public var description: String { String(rawValue) }
    public var isInformational: Bool { (100...199).contains(rawValue) }
    public var isSuccess: Bool { (200...299).contains(rawValue) }
    public var isRedirection: Bool { (300...399).contains(rawValue) }
    public var isClientError: Bool { (400...499).contains(rawValue) }
    public var isServerError: Bool { (500...599).contains(rawValue) }

    /// Whether the answer has no content by its status alone (RFC 9110 section 6.4.1).
    public var forbidsContent: Bool { isInformational || rawValue == 204 || rawValue == 304 }

    public static func < (left: HTTPStatus, right: HTTPStatus) -> Bool { left.rawValue < right.rawValue }
}
