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
    /// Of a name that comes twice in an object, `JSONDecoder` takes the first value, ``JSONValue`` the last.
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
        let decode = { (bytes: Data) throws -> Value in try makeDecoder().decode(Value.self, from: bytes) }
        do {
            return try decode(text?.bytes ?? Data("null".utf8))
        } catch {
            let reason = text.map { Self.reason(error, in: $0, of: body, decode) } ?? "the body is empty"
            throw .response(
                .responseSerializationFailed, "answered with what is no \(Value.self): \(reason)", data: data,
                response: response, request: request, underlying: error)
        }
    }

    private static func reason(
        _ error: any Error, in text: JSONText, of body: JSONBody, _ decode: (Data) throws -> Value
    ) -> String {
        guard case .dataCorrupted(let context)? = error as? DecodingError else { return error.codingReason() }
        let tree: JSONValue
        do throws(JSONParseError) { tree = try JSONValue(parsing: text.bytes) } catch {
            // The decoder tells no place of what is no JSON at all; the parser does.
            return "\(error)\(body.remark(on: text))".onOneLine
        }
        guard context.codingPath.isEmpty, context.debugDescription.hasSuffix("was not valid JSON.") else {
            return error.codingReason()
        }
        // It is JSON: what the decoder means is a number.
        let found =
            text.bytes.count > largestSearched
            ? nil
            : tree.firstNumber { tree in
                do { _ = try decode(Data(tree.serializedBytes())) } catch DecodingError.dataCorrupted(let again) {
                    return again.codingPath.isEmpty && again.debugDescription == context.debugDescription
                } catch {}
                return false
            }
        guard let found else { return "a number in it does not fit the type asked for" }
        return "\(found.path): \(found.number) does not fit the type asked for".onOneLine
    }
}

/// In bytes: what is decoded again and again to find a number in it.
private let largestSearched = 256 << 10
