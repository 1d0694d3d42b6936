public import FoundationEssentials
public import LupineCore

/// Checks an answer's status and content type, and gives its body as it came.
public struct HTTPResponseSerializer: ResponseSerializer {
    /// The status codes that are accepted; `nil`: any. 200 to 299 by default.
    public var acceptableStatuses: StatusSet?
    /// The content types that are accepted; `nil`, the default: any.
    public var acceptableContentTypes: ContentTypeSet?

    public init(acceptableStatuses: StatusSet? = .successful, acceptableContentTypes: ContentTypeSet? = nil) {
        self.acceptableStatuses = acceptableStatuses
        self.acceptableContentTypes = acceptableContentTypes
    }

    /// The body, once ``validate(_:response:request:)`` has passed.
    public func serialize(_ data: Data, response: HTTPResponse, request: HTTPRequest) throws(LupineError) -> Data {
        try validate(data, response: response, request: request)
        return data
    }

    /// Checks the status and the content type. The status is on top: a wrong type never hides it, and is its `underlying`.
    ///
    /// An empty body has no type to be wrong. A body without a type that can be read is not accepted where only some
    /// types are, and is where `*/*` is.
    ///
    /// - Throws: ``LupineError`` with `unacceptable-status` or `unacceptable-content-type`. Its message names the
    ///   host, the status, or the type and those accepted, and shows the start of a textual body: one line of 200 characters
    ///   at most.
    public func validate(_ data: Data, response: HTTPResponse, request: HTTPRequest) throws(LupineError) {
        try validate(data, isEmpty: data.isEmpty, response, request)
    }

    /// The same for an answer whose body has yet to come, where the head does not say that there is none.
    package func validate(head response: HTTPResponse, request: HTTPRequest) throws(LupineError) {
        let isEmpty =
            request.method == .head || response.status.forbidsContent || response.expectedBodyLength == 0
        try validate(Data(), isEmpty: isEmpty, response, request)
    }

    private func validate(
        _ data: Data, isEmpty: Bool, _ response: HTTPResponse, _ request: HTTPRequest
    ) throws(LupineError) {
        let typeFault = isEmpty ? nil : typeFault(data, response, request)
        if let acceptableStatuses, !acceptableStatuses.contains(response.status) {
            let reason = response.reason.isEmpty ? "" : " \(response.reason.onOneLine)"
            throw .response(
                .unacceptableStatus,
                "answered \(response.status)\(reason)\(excerptForMessage(of: data, type: response.contentType))",
                data: data, response: response, request: request, underlying: typeFault)
        }
        if let typeFault { throw typeFault }
    }

    /// Whether status and content type are acceptable.
    ///
    /// - Parameter isEmpty: the body is, and has no type to be wrong.
    package func accepts(_ response: HTTPResponse, isEmpty: Bool) -> Bool {
        if let acceptableStatuses, !acceptableStatuses.contains(response.status) { return false }
        guard let acceptableContentTypes, !isEmpty, !acceptableContentTypes.acceptsAll else { return true }
        return response.contentType.map(acceptableContentTypes.contains) ?? false
    }

    private func typeFault(_ data: Data, _ response: HTTPResponse, _ request: HTTPRequest) -> LupineError? {
        guard let acceptableContentTypes, !acceptableContentTypes.acceptsAll else { return nil }
        if let contentType = response.contentType, acceptableContentTypes.contains(contentType) { return nil }
        let values = response.headers.values(for: "Content-Type")
        let stated = values.isEmpty ? nil : values.joined(separator: ", ")
        return .response(
            .unacceptableContentType,
            "answered \(stated.map { "with content type \($0.quotedForMessage)" } ?? "without a content type"); "
                + "accepted: \(acceptableContentTypes)\(excerptForMessage(of: data, type: response.contentType))",
            data: data, response: response, request: request)
    }
}
