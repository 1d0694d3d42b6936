public import FoundationEssentials
public import LupineCore

/// Checks an answer and decodes its JSON body into a type.
public struct DecodableResponseSerializer<Value: Decodable & Sendable>: ResponseSerializer {
    /// The status codes that are accepted; `nil`: any. 200 to 299 by default.
    public var acceptableStatuses: StatusSet?
    /// The content types that are accepted; `nil`: any. ``ContentTypeSet/json`` by default.
    public var acceptableContentTypes: ContentTypeSet?

    private let makeDecoder: @Sendable () -> JSONDecoder

    /// - Parameter decoder: evaluated for each answer, so that none is shared between threads.
    public init(
        _ type: Value.Type = Value.self, acceptableStatuses: StatusSet? = .successful,
        acceptableContentTypes: ContentTypeSet? = .json,
        decoder: @autoclosure @escaping @Sendable () -> JSONDecoder = JSONDecoder()
    ) {
        self.acceptableStatuses = acceptableStatuses
        self.acceptableContentTypes = acceptableContentTypes
        makeDecoder = decoder
    }

    /// The value of the body: status first, then type, then content, so that no fault hides one before it.
    ///
    /// Where ``JSONResponseSerializer`` gives `null` for want of content, `null` is decoded: an `Optional` becomes
    /// `nil`, a type that needs content fails.
    ///
    /// - Throws: ``LupineError`` as ``HTTPResponseSerializer/validate(_:response:request:)``, and with
    ///   `response-serialization-failed`: its message gives the coding path of what does not fit, or the offset of the
    ///   byte where the body stops being JSON; the `DecodingError` is its `underlying`.
    public func serialize(_ data: Data, response: HTTPResponse, request: HTTPRequest) throws(LupineError) -> Value {
        try HTTPResponseSerializer(
            acceptableStatuses: acceptableStatuses, acceptableContentTypes: acceptableContentTypes
        ).validate(data, response: response, request: request)
        let isEmpty = response.hasNoContent(to: request) || data.isJSONWhitespace
        do {
            return try makeDecoder().decode(Value.self, from: isEmpty ? Data("null".utf8) : data)
        } catch {
            let reason = isEmpty ? "the body is empty" : Self.reason(error, data: data)
            throw .response(
                .responseSerializationFailed, "answered with what is no \(Value.self): \(reason.onOneLine)", data: data,
                response: response, request: request, underlying: error)
        }
    }

    private static func reason(_ error: any Error, data: Data) -> String {
        guard let error = error as? DecodingError else { return "\(error)" }
        switch error {
        case .typeMismatch(_, let context), .valueNotFound(_, let context):
            return "\(context.codingPath.pathDescription): \(context.debugDescription)"
        case .keyNotFound(let key, let context):
            return "\((context.codingPath + [key]).pathDescription): it is missing"
        case .dataCorrupted(let context):
            // The decoder tells no place of what is no JSON at all; the parser does.
            do throws(JSONParseError) { _ = try JSONValue(parsing: data) } catch { return "\(error)" }
            return "\(context.codingPath.pathDescription): \(context.debugDescription)"
        @unknown default: return "\(error)"
        }
    }
}

extension [any CodingKey] {
    /// `user.tags[2]`; `the top` when empty.
    var pathDescription: String {
        guard !isEmpty else { return "the top" }
        return reduce(into: "") { path, key in
            if let index = key.intValue {
                path += "[\(index)]"
            } else {
                path += path.isEmpty ? key.stringValue : ".\(key.stringValue)"
            }
        }
    }
}
