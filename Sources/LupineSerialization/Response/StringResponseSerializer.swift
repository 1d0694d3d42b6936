public import FoundationEssentials
public import LupineCore

/// Checks an answer and reads its body as text.
///
/// The charset is the one that `Content-Type` names; else the one whose byte order mark the body begins with; else
/// ``defaultCharset``. See ``Charset`` for what names mean.
public struct StringResponseSerializer: ResponseSerializer {
    /// The status codes that are accepted; `nil`: any. 200 to 299 by default.
    public var acceptableStatuses: StatusSet?
    /// The content types that are accepted; `nil`, the default: any.
    public var acceptableContentTypes: ContentTypeSet?
    /// Of a body that tells none. UTF-8 by default; RFC 9110 has no default any more.
    public var defaultCharset: Charset

    public init(
        acceptableStatuses: StatusSet? = .successful, acceptableContentTypes: ContentTypeSet? = nil,
        defaultCharset: Charset = .utf8
    ) {
        self.acceptableStatuses = acceptableStatuses
        self.acceptableContentTypes = acceptableContentTypes
        self.defaultCharset = defaultCharset
    }

    /// The text, without a byte order mark. Empty where there is no content.
    ///
    /// - Throws: ``LupineError`` as ``HTTPResponseSerializer/validate(_:response:request:)``, and with
    ///   `response-serialization-failed` for an unknown charset or a byte that stands for nothing in it: a ``CharsetError`` is
    ///   its `underlying`, and the bytes its `data`.
    public func serialize(_ data: Data, response: HTTPResponse, request: HTTPRequest) throws(LupineError) -> String {
        try ResponseCheck(acceptableStatuses, acceptableContentTypes).value(of: data, response, request) {
            () throws(LupineError) in
            // Without content the charset does not matter, be it known or not.
            if data.isEmpty { return "" }
            do throws(CharsetError) {
                return try data.charset(response.contentType, default: defaultCharset).decode(data)
            } catch {
                throw .response(
                    .responseSerializationFailed, "answered with what cannot be read as text: \(error.onOneLine)",
                    data: data,
                    response: response, request: request, underlying: error)
            }
        }
    }
}

extension Data {
    /// The charset that is stated, or that the mark of bytes tells, or the default.
    func charset(_ contentType: ContentType?, default charset: Charset) -> Charset {
        contentType?.charset.map { Charset($0) } ?? Charset(byteOrderMarkOf: self) ?? charset
    }
}
