public import FoundationEssentials
public import LupineCore
public import LupineSerialization

/// Says whether an answer is one. Asked once it is whole, beside the event loop; of a stream when its head has come, without body.
public struct ResponseValidator: Sendable {
    private let check: @Sendable (HTTPRequest, HTTPResponse, Data) throws -> Void

    /// A check of one's own.
    ///
    /// - Parameter check: gets the request as it was sent last, the head and the body. What it throws, the task ends with, unless a
    ///   retrier has it sent again.
    public init(_ check: @escaping @Sendable (HTTPRequest, HTTPResponse, Data) throws -> Void) { self.check = check }

    /// - Throws: `unacceptable-status`, `unacceptable-content-type`, or what a check of one's own throws.
    func validate(_ data: Data, response: HTTPResponse, request: HTTPRequest) throws {
        try check(request, response, data)
    }
}

extension ResponseValidator {
    /// A status from 200 to 299, and a content type that the request's `Accept` field asks for, as Alamofire's `validate()`.
    public static let acceptable = Self { request, response, data in
        let types = request.headers.values(for: "Accept").joined(separator: ",").split(separator: ",").map(String.init)
        try HTTPResponseSerializer(acceptableContentTypes: types.isEmpty ? nil : ContentTypeSet(types))
            .validate(data, response: response, request: request)
    }

    /// One of these status codes.
    public static func statusCode(_ statuses: StatusSet) -> Self {
        Self { request, response, data in
            try HTTPResponseSerializer(acceptableStatuses: statuses)
                .validate(data, response: response, request: request)
        }
    }

    /// One of these status codes: `.statusCode(200..<300)`.
    public static func statusCode(_ range: Range<Int>) -> Self { statusCode(StatusSet(range)) }

    /// One of these content types. An empty body has none to be wrong.
    public static func contentType(_ types: ContentTypeSet) -> Self {
        Self { request, response, data in
            try HTTPResponseSerializer(acceptableStatuses: nil, acceptableContentTypes: types)
                .validate(data, response: response, request: request)
        }
    }
}
