public import FoundationEssentials
public import LupineCore

/// What a request says beyond its URL: a tree of values, by literal or from an `Encodable`.
///
/// ```swift
/// ["title": "Hi", "tags": ["a", "b"], "n": 1]
/// ["title": JSONValue(title)]                     // a variable
/// try JSONValue(encoding: post)                   // any Encodable
/// ```
public typealias Parameters = JSONValue

/// Puts parameters into a request: into its URL's query or its body, as its method and the serializer have it.
public protocol RequestSerializer: Sendable {
    /// The request with the parameters in it.
    ///
    /// - Parameter parameters: `nil`: there are none.
    /// - Throws: ``LupineError`` with `request-serialization-failed`.
    func serialize(_ request: HTTPRequest, parameters: Parameters?) throws(LupineError) -> HTTPRequest
}

extension RequestSerializer {
    /// The request with an `Encodable` as its parameters.
    ///
    /// - Throws: ``LupineError`` with `request-serialization-failed`.
    public func serialize(
        _ request: HTTPRequest, encoding parameters: some Encodable,
        encoder: @autoclosure () -> JSONEncoder = .sortingKeys
    ) throws(LupineError) -> HTTPRequest {
        try serialize(request, parameters: try JSONValue(encoding: parameters, encoder: encoder()))
    }
}

extension LupineError {
    /// A value that could not be encoded.
    static func requestSerialization<Value>(of value: Value, _ cause: any Error) -> LupineError {
        let reason = (cause as? EncodingError).map(\.reason) ?? "\(cause)"
        return LupineError(
            .requestSerializationFailed, "a \(Value.self) cannot be encoded: \(reason.onOneLine)", underlying: cause)
    }
}

extension EncodingError {
    fileprivate var reason: String {
        guard case .invalidValue(_, let context) = self else { return "\(self)" }
        return "\(context.codingPath.pathDescription): \(context.debugDescription)"
    }
}
