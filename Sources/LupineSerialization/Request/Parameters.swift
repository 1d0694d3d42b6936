public import FoundationEssentials
public import LupineCore

/// What a request says beyond its URL: a tree of values, by literal or as it is, or an `Encodable`.
///
/// ```swift
/// ["title": "Hi", "tags": ["a", "b"], "n": 1]
/// ["title": JSONValue(title)]     // a variable
/// .encoding(post)                 // any Encodable, by the serializer's encoder
/// ```
public struct Parameters: Sendable {
    enum Content: Sendable {
        case tree(JSONValue)
        case encodable(any Encodable & Sendable)
    }

    let content: Content

    /// A tree of values.
    public init(_ tree: JSONValue) { content = .tree(tree) }

    private init(_ content: Content) { self.content = content }

    /// A value that the serializer encodes, when the request is made.
    public static func encoding(_ value: some Encodable & Sendable) -> Parameters {
        Parameters((value as? JSONValue).map(Content.tree) ?? .encodable(value))
    }

    /// The tree of values, for serializers of one's own.
    ///
    /// - Parameter encoder: makes it of an `Encodable`: a new one for each call, by default with sorted keys, because a
    ///   `JSONEncoder` keeps no other order of members.
    /// - Throws: ``LupineError`` with `request-serialization-failed`: the value cannot be encoded (its `underlying` says why),
    ///   or its parts lie deeper in each other than ``JSONValue/defaultMaximumDepth``.
    public func tree(encoder: @autoclosure () -> JSONEncoder = .sortingKeys) throws(LupineError) -> JSONValue {
        switch content {
        case .encodable(let value): return try JSONValue(encoding: value, encoder: encoder())
        case .tree(let tree):
            guard !tree.isDeeper(than: JSONValue.defaultMaximumDepth) else {
                throw LupineError(
                    .requestSerializationFailed,
                    "the parameters lie deeper in each other than \(JSONValue.defaultMaximumDepth) levels")
            }
            return tree
        }
    }
}

extension Parameters: ExpressibleByDictionaryLiteral {
    /// Members in the order written; of a name written twice the last value counts.
    public init(dictionaryLiteral elements: (String, JSONValue)...) {
        self.init(.object(JSONObject(elements.lazy.map { JSONObject.Member(name: $0.0, value: $0.1) })))
    }
}

extension Parameters: ExpressibleByArrayLiteral {
    public init(arrayLiteral elements: JSONValue...) { self.init(.array(elements)) }
}

extension JSONValue {
    /// Whether arrays and objects lie in each other beyond a depth. It goes no deeper than that itself.
    func isDeeper(than depth: Int) -> Bool {
        switch self {
        case .null, .bool, .number, .string: false
        case .array(let elements): depth == 0 || elements.contains { $0.isDeeper(than: depth - 1) }
        case .object(let object): depth == 0 || object.members.contains { $0.value.isDeeper(than: depth - 1) }
        }
    }
}
