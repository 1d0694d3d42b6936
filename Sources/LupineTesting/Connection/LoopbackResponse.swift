public import LupineCore

/// An answer that a script or a route gives. Framing is added when it is sent.
public struct LoopbackResponse: Hashable, Sendable {
    /// The status. 200 by default.
    public var status: HTTPStatus
    /// The reason phrase. By default a short one for the common codes, else empty.
    public var reason: String
    /// The fields, sent in this order. `Content-Length` is added unless there is one, or a `Transfer-Encoding`, or the status
    /// has no content.
    public var headers: HTTPHeaders
    /// The body.
    public var body: [UInt8]
    /// Send the body in chunks of at most so many bytes instead of stating its length. `nil`, the default: state it.
    public var chunkSize: Int?

    /// Any answer.
    public init(
        status: HTTPStatus = 200, reason: String? = nil, headers: HTTPHeaders = [:], body: [UInt8] = [],
        chunkSize: Int? = nil
    ) {
        self.status = status
        self.reason = reason ?? Self.reasons[status.rawValue] ?? ""
        self.headers = headers
        self.body = body
        self.chunkSize = chunkSize
    }

    /// A plain text.
    public static func text(_ text: String, status: HTTPStatus = 200, headers: HTTPHeaders = [:]) -> LoopbackResponse {
        .bytes(Array(text.utf8), type: "text/plain; charset=utf-8", status: status, headers: headers)
    }

    /// A JSON text, sent as given.
    public static func json(_ json: String, status: HTTPStatus = 200, headers: HTTPHeaders = [:]) -> LoopbackResponse {
        .bytes(Array(json.utf8), type: "application/json", status: status, headers: headers)
    }

    /// Bytes of some content type.
    public static func bytes(
        _ bytes: [UInt8], type: String = "application/octet-stream", status: HTTPStatus = 200,
        headers: HTTPHeaders = [:]
    ) -> LoopbackResponse {
        var headers = headers
        if !headers.contains("Content-Type") { headers.add(name: "Content-Type", value: type) }
        return LoopbackResponse(status: status, headers: headers, body: bytes)
    }

    /// A status without a body.
    public static func empty(_ status: HTTPStatus = 204, headers: HTTPHeaders = [:]) -> LoopbackResponse {
        LoopbackResponse(status: status, headers: headers)
    }

    /// A redirection. 302 by default.
    public static func redirect(to location: String, status: HTTPStatus = 302) -> LoopbackResponse {
        LoopbackResponse(status: status, headers: ["Location": location])
    }

    private static let reasons: [Int: String] = [
        100: "Continue", 101: "Switching Protocols", 103: "Early Hints", 200: "OK", 201: "Created", 202: "Accepted",
        204: "No Content", 206: "Partial Content", 301: "Moved Permanently", 302: "Found", 303: "See Other",
        304: "Not Modified", 307: "Temporary Redirect", 308: "Permanent Redirect", 400: "Bad Request",
        401: "Unauthorized", 403: "Forbidden", 404: "Not Found", 405: "Method Not Allowed",
        407: "Proxy Authentication Required", 408: "Request Timeout", 409: "Conflict", 410: "Gone",
        412: "Precondition Failed", 413: "Content Too Large", 416: "Range Not Satisfiable", 417: "Expectation Failed",
        422: "Unprocessable Content", 429: "Too Many Requests", 500: "Internal Server Error", 501: "Not Implemented",
        502: "Bad Gateway", 503: "Service Unavailable", 504: "Gateway Timeout",
    ]
}

extension LoopbackResponse {
    /// The head as sent.
    func headBytes(isLast: Bool) -> [UInt8] {
        var text = "HTTP/1.1 \(status.rawValue) \(reason)\r\n"
        for field in headers { text += "\(field.name): \(field.value)\r\n" }
        if !status.forbidsContent, !headers.contains("Content-Length"), !headers.contains("Transfer-Encoding") {
            text += chunkSize == nil ? "Content-Length: \(body.count)\r\n" : "Transfer-Encoding: chunked\r\n"
        }
        if isLast, !headers.contains("Connection") { text += "Connection: close\r\n" }
        return Array("\(text)\r\n".utf8)
    }

    /// Whether the connection ends with this answer by its own word.
    var closesConnection: Bool { headers["Connection"]?.equalsIgnoringASCIICase("close") ?? false }
}
