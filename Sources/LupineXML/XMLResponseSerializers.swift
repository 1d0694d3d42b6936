public import FoundationEssentials
public import Lupine
public import LupineCore
internal import LupineSerialization

extension ContentTypeSet {
    /// What AFNetworking's XML serializers accept: `application/xml`, `text/xml`. For `application/atom+xml` and its like insert
    /// `application/*+xml`.
    public static let xml: ContentTypeSet = ["application/xml", "text/xml"]
}

/// Checks an answer and gives a parser over its body, which has not begun: whether the body is XML, it finds out.
public struct XMLParserResponseSerializer: ResponseSerializer {
    /// The status codes that are accepted; `nil`: any. 200 to 299 by default.
    public var acceptableStatuses: StatusSet?
    /// The content types that are accepted; `nil`: any. ``ContentTypeSet/xml`` by default.
    public var acceptableContentTypes: ContentTypeSet?
    /// How much the parser reads at most.
    public var limits = XMLLimits()

    public init(acceptableStatuses: StatusSet? = .successful, acceptableContentTypes: ContentTypeSet? = .xml) {
        self.acceptableStatuses = acceptableStatuses
        self.acceptableContentTypes = acceptableContentTypes
    }

    /// The parser, with the charset that the content type states. Over nothing where there is no content.
    ///
    /// - Throws: ``LupineError`` as ``HTTPResponseSerializer/validate(_:response:request:)``.
    public func serialize(
        _ data: Data, response: HTTPResponse, request: HTTPRequest
    ) throws(LupineError) -> XMLEventParser {
        try ResponseCheck(acceptableStatuses, acceptableContentTypes).check(data, response, request)
        return XMLEventParser(data, charset: response.contentType?.charset.map { Charset($0) }, limits: limits)
    }
}

/// Checks an answer and reads its body as an XML document.
public struct XMLDocumentResponseSerializer: ResponseSerializer {
    /// The status codes that are accepted; `nil`: any. 200 to 299 by default.
    public var acceptableStatuses: StatusSet?
    /// The content types that are accepted; `nil`: any. ``ContentTypeSet/xml`` by default.
    public var acceptableContentTypes: ContentTypeSet?
    /// How much is read at most.
    public var limits = XMLLimits()

    public init(acceptableStatuses: StatusSet? = .successful, acceptableContentTypes: ContentTypeSet? = .xml) {
        self.acceptableStatuses = acceptableStatuses
        self.acceptableContentTypes = acceptableContentTypes
    }

    /// The document. An answer without content holds none: ``ResponseSerializer/optional`` makes `nil` of it.
    ///
    /// - Throws: ``LupineError`` as ``HTTPResponseSerializer/validate(_:response:request:)``, and with
    ///   `response-serialization-failed` for a body that is no XML, is cut short, has entities or is beyond the limits: an
    ///   ``XMLParseError`` is its `underlying`. Of an unacceptable status the body is read too, and that fault its `underlying`.
    public func serialize(
        _ data: Data, response: HTTPResponse, request: HTTPRequest
    ) throws(LupineError) -> XMLDocument {
        try ResponseCheck(acceptableStatuses, acceptableContentTypes).value(of: data, response, request) {
            () throws(LupineError) in
            let isEmpty = data.isNoContent(of: response, to: request)
            do throws(XMLParseError) {
                return try XMLDocument(
                    parsing: data, charset: response.contentType?.charset.map { Charset($0) }, limits: limits)
            } catch {
                throw .response(
                    .responseSerializationFailed,
                    isEmpty
                        ? "answered with what is no XMLDocument: the body is empty"
                        : "answered with a body that is no XML: \(error.onOneLine)", data: data,
                    response: response, request: request, underlying: error)
            }
        }
    }
}
