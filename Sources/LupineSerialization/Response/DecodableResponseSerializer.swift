public import FoundationEssentials
public import LupineCore

/// Checks an answer and decodes its JSON body into a type.
public struct DecodableResponseSerializer<Value: Decodable & Sendable>: ResponseSerializer {
    /// The status codes that are accepted; `nil`: any. 200 to 299 by default.
    public var acceptableStatuses: StatusSet?
    /// The content types that are accepted; `nil`: any. ``ContentTypeSet/json`` by default.
    public var acceptableContentTypes: ContentTypeSet?
    /// Read a body by the charset that its `Content-Type` states. `false` by default. See
    /// ``JSONResponseSerializer/convertsDeclaredCharset``.
    public var convertsDeclaredCharset = false

    private let makeDecoder: @Sendable () -> JSONDecoder

    /// - Parameter decoder: evaluated for each answer, so that none is shared between threads. ``JSONValue`` needs none: it is
    ///   read as ``JSONResponseSerializer`` reads it, order and digits kept.
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
    ///   byte where the body stops being JSON; the `DecodingError` is its `underlying`. Of an unacceptable status nothing is
    ///   decoded: ``LupineError/decoded(as:decoder:)`` does that on demand.
    public func serialize(_ data: Data, response: HTTPResponse, request: HTTPRequest) throws(LupineError) -> Value {
        try ResponseCheck(acceptableStatuses, acceptableContentTypes).check(data, response, request)
        let body = JSONBody(
            data: data, response: response, request: request, convertsDeclaredCharset: convertsDeclaredCharset)
        if Value.self == JSONValue.self, let value = try (body.value() ?? .null) as? Value { return value }
        let text = try body.text()
        do {
            return try makeDecoder().decode(Value.self, from: text?.bytes ?? Data("null".utf8))
        } catch {
            let reason = text.map { Self.reason(error, in: $0, of: body) } ?? "the body is empty"
            throw .response(
                .responseSerializationFailed, "answered with what is no \(Value.self): \(reason.onOneLine)", data: data,
                response: response, request: request, underlying: error)
        }
    }

    private static func reason(_ error: any Error, in text: JSONText, of body: JSONBody) -> String {
        // The decoder tells no place of what is no JSON at all; the parser does.
        if case .dataCorrupted? = error as? DecodingError {
            do throws(JSONParseError) { _ = try JSONValue(parsing: text.bytes) } catch {
                return "\(error)\(body.remark(on: text))"
            }
        }
        return (error as? DecodingError)?.reason ?? "\(error)"
    }
}

extension DecodingError {
    /// Where and why, in one phrase: `tags[2].name: it is missing`.
    var reason: String {
        switch self {
        case .typeMismatch(_, let context), .valueNotFound(_, let context), .dataCorrupted(let context):
            "\(context.codingPath.pathDescription): \(context.debugDescription)"
        case .keyNotFound(let key, let context):
            "\((context.codingPath + [key]).pathDescription): it is missing"
        @unknown default: "\(self)"
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
