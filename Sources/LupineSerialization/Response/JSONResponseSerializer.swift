public import FoundationEssentials
public import LupineCore

/// Checks an answer and reads its body as JSON (RFC 8259): any value, with every digit of its numbers.
public struct JSONResponseSerializer: ResponseSerializer {
    /// The status codes that are accepted; `nil`: any. 200 to 299 by default.
    public var acceptableStatuses: StatusSet?
    /// The content types that are accepted; `nil`: any. ``ContentTypeSet/json`` by default.
    public var acceptableContentTypes: ContentTypeSet?
    /// Leave out members of objects whose value is `null`. `false` by default.
    public var removesKeysWithNullValues = false
    /// Leave out elements of arrays that are `null`, which moves those behind them to other indexes. `false` by default.
    public var removesNullElements = false
    /// Read a body by the charset that its `Content-Type` states. `false` by default: JSON is UTF-8, and a charset of its
    /// type means nothing (RFC 8259 sections 8.1, 11).
    public var convertsDeclaredCharset = false

    public init(acceptableStatuses: StatusSet? = .successful, acceptableContentTypes: ContentTypeSet? = .json) {
        self.acceptableStatuses = acceptableStatuses
        self.acceptableContentTypes = acceptableContentTypes
    }

    /// The value of the body: status first, then type, then content, so that no fault hides one before it.
    ///
    /// `null` when there is nothing to read: an answer to HEAD, a 204, a 205, and an accepted answer whose body is
    /// empty or white space alone, such as the single space some servers send for nothing. UTF-16 and UTF-32 are read where
    /// a byte order mark or the zeros of ASCII show them.
    ///
    /// - Throws: ``LupineError`` as ``HTTPResponseSerializer/validate(_:response:request:)``, and with
    ///   `response-serialization-failed` for a body that is no JSON: a ``JSONParseError`` or a ``CharsetError`` is its
    ///   `underlying`. Of an unacceptable status the body is read too, and that fault its `underlying`.
    public func serialize(_ data: Data, response: HTTPResponse, request: HTTPRequest) throws(LupineError) -> JSONValue {
        let body = JSONBody(
            data: data, response: response, request: request, convertsDeclaredCharset: convertsDeclaredCharset)
        return try ResponseCheck(acceptableStatuses, acceptableContentTypes).value(of: data, response, request) {
            () throws(LupineError) in
            let value = try body.value() ?? .null
            return value.removingNulls(members: removesKeysWithNullValues, elements: removesNullElements)
        }
    }
}
