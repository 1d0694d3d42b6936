public import FoundationEssentials
public import LupineCore

/// Turns an answer into a value, or tells why it is none.
public protocol ResponseSerializer<Value>: Sendable {
    /// What an answer becomes.
    associatedtype Value: Sendable

    /// The value of a whole answer.
    ///
    /// - Parameters:
    ///   - data: the body, content codings removed; empty when there is none.
    ///   - request: what was asked, as it was sent last.
    /// - Throws: ``LupineError`` with `unacceptable-status`, `unacceptable-content-type` or
    ///   `response-serialization-failed`; it carries the head and the body.
    func serialize(_ data: Data, response: HTTPResponse, request: HTTPRequest) throws(LupineError) -> Value
}

extension LupineError {
    /// A fault in an answer that has come whole: it carries the answer and begins with who sent it.
    package static func response(
        _ code: Code, _ what: String, data: Data, response: HTTPResponse, request: HTTPRequest,
        underlying: (any Error)? = nil
    ) -> LupineError {
        let host = request.url.host
        return LupineError(code, "\(host) \(what)", host: host, underlying: underlying)
            .with(response: response, data: data, metrics: nil)
    }
}

extension HTTPResponse {
    /// Whether an answer to this request has no content whatever its fields say (RFC 9110 sections 9.3.2, 15.3.6).
    func hasNoContent(to request: HTTPRequest) -> Bool {
        request.method == .head || status.forbidsContent || status == 205
    }
}
