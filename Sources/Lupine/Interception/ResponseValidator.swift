public import FoundationEssentials
public import LupineCore
public import LupineSerialization

/// Says whether an answer is one. Asked once it is whole, beside the event loop; of one that is handed on as it comes, as a stream or
/// to ``TaskHandlers/data``, when its head has come, without body.
public struct ResponseValidator: Sendable {
    /// Without a body: by the head.
    private let check: @Sendable (HTTPRequest, HTTPResponse, Data?) throws -> Void

    /// A check of one's own.
    ///
    /// - Parameter check: gets the request as it was sent last, the head and the body. What it throws, the task ends with, unless a
    ///   retrier has it sent again.
    public init(_ check: @escaping @Sendable (HTTPRequest, HTTPResponse, Data) throws -> Void) {
        self.check = { request, response, data in try check(request, response, data ?? Data()) }
    }

    private init(by serializer: @escaping @Sendable (HTTPRequest) -> HTTPResponseSerializer) {
        check = { request, response, data in
            let serializer = serializer(request)
            if let data {
                try serializer.validate(data, response: response, request: request)
            } else {
                try serializer.validate(head: response, request: request)
            }
        }
    }

    /// - Parameter data: `nil`: it has yet to come.
    /// - Throws: `unacceptable-status`, `unacceptable-content-type`, or what a check of one's own throws.
    func validate(_ data: Data?, response: HTTPResponse, request: HTTPRequest) throws {
        try check(request, response, data)
    }
}

extension ResponseValidator {
    /// A status from 200 to 299, and a content type that the request's `Accept` field asks for, as Alamofire's `validate()`.
    public static let acceptable = Self(by: { request in
        let types = request.headers.values(for: "Accept").joined(separator: ",").split(separator: ",").map(String.init)
        return HTTPResponseSerializer(acceptableContentTypes: types.isEmpty ? nil : ContentTypeSet(types))
    })

    /// One of these status codes.
    public static func statusCode(_ statuses: StatusSet) -> Self {
        Self(by: { _ in HTTPResponseSerializer(acceptableStatuses: statuses) })
    }

    /// One of these status codes: `.statusCode(200..<300)`.
    public static func statusCode(_ range: Range<Int>) -> Self { statusCode(StatusSet(range)) }

    /// One of these content types. An empty body has none to be wrong.
    public static func contentType(_ types: ContentTypeSet) -> Self {
        Self(by: { _ in HTTPResponseSerializer(acceptableStatuses: nil, acceptableContentTypes: types) })
    }
}
