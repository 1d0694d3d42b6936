public import FoundationEssentials
public import LupineCore

/// Checks an answer and reads its body as JSON.
public struct JSONResponseSerializer: ResponseSerializer {
    /// The status codes that are accepted; `nil`: any. 200 to 299 by default.
    public var acceptableStatuses: StatusSet?
    /// The content types that are accepted; `nil`: any. ``ContentTypeSet/json`` by default.
    public var acceptableContentTypes: ContentTypeSet?

    public init(acceptableStatuses: StatusSet? = .successful, acceptableContentTypes: ContentTypeSet? = .json) {
        self.acceptableStatuses = acceptableStatuses
        self.acceptableContentTypes = acceptableContentTypes
    }

    /// The value of the body: status first, then type, then content, so that no fault hides one before it.
    ///
    /// `null` when there is nothing to read: an answer to HEAD, a 204, a 205, and an accepted answer whose body is
    /// empty or white space alone, such as the single space some servers send for nothing.
    ///
    /// - Throws: ``LupineError`` as ``HTTPResponseSerializer/validate(_:response:request:)``, and with
    ///   `response-serialization-failed` for a body that is no JSON: a ``JSONParseError`` is its `underlying`.
    public func serialize(_ data: Data, response: HTTPResponse, request: HTTPRequest) throws(LupineError) -> JSONValue {
        try HTTPResponseSerializer(
            acceptableStatuses: acceptableStatuses, acceptableContentTypes: acceptableContentTypes
        ).validate(data, response: response, request: request)
        if response.hasNoContent(to: request) || data.isJSONWhitespace { return .null }
        do {
            return try JSONValue(parsing: data)
        } catch {
            throw .response(
                .responseSerializationFailed, "answered with a body that is no JSON: \(error)", data: data,
                response: response, request: request, underlying: error)
        }
    }
}

extension Data {
    /// Whether there is nothing but white space of RFC 8259 section 2.
    var isJSONWhitespace: Bool { allSatisfy { $0 == 0x20 || $0 == 0x0A || $0 == 0x0D || $0 == 0x09 } }
}
