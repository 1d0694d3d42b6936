internal import LupineCore

/// The content types that are accepted, as patterns:
///
/// - `application/json`: this type, whatever its parameters;
/// - `image/*`: every subtype; `*/*`: every type, and none;
/// - `application/*+json`, `*/*+json`: every subtype with this suffix (RFC 6839).
///
/// Patterns compare without regard to case, and their parameters are of no account.
public struct ContentTypeSet: Hashable, Sendable {
    /// The patterns in lower case, in the order given.
    public private(set) var patterns: [String]

    /// A set of these patterns.
    public init(_ patterns: [String]) {
        self.patterns = []
        for pattern in patterns { insert(pattern) }
    }

    /// What AFNetworking's JSON serializer accepts: `application/json`, `text/json`, `text/javascript`.
    /// For `application/problem+json` and its like insert `application/*+json`.
    public static let json: ContentTypeSet = ["application/json", "text/json", "text/javascript"]

    /// Adds a pattern.
    public mutating func insert(_ pattern: String) {
        let essence = String(String(pattern.prefix { $0 != ";" }).trimmingOWS).asciiLowercased
        if !patterns.contains(essence) { patterns.append(essence) }
    }

    /// Whether every type is accepted, and so is none.
    var acceptsAll: Bool { patterns.contains("*/*") }

    /// Whether a type fits one of the patterns.
    public func contains(_ contentType: ContentType) -> Bool {
        patterns.contains { Self.matches(contentType, $0) }
    }

    private static func matches(_ contentType: ContentType, _ pattern: String) -> Bool {
        let parts = pattern.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2, parts[0] == "*" || parts[0] == contentType.type else { return false }
        if parts[1] == "*" || parts[1] == contentType.subtype { return true }
        return parts[1].hasPrefix("*+") && contentType.subtype.hasSuffix(parts[1].dropFirst())
    }
}

extension ContentTypeSet: ExpressibleByArrayLiteral {
    public init(arrayLiteral elements: String...) { self.init(elements) }
}

extension ContentTypeSet: CustomStringConvertible {
    /// `application/json, text/json`: also the value of an `Accept` field, suffix patterns aside.
    public var description: String { patterns.joined(separator: ", ") }
}
