internal import LupineCore

/// What a head says of its body's extent (RFC 9112 section 6.3): a value, read once.
struct ResponseFraming {
    /// What `Content-Length` says; `nil` without the field.
    private(set) var length: Int64?
    /// The codings of `Transfer-Encoding`; `nil` without the field.
    private(set) var codings: [String]?
    /// What the head contradicts in itself.
    private(set) var fault: String?

    init() {}

    init(_ headers: HTTPHeaders) {
        headers.forEachValue(of: "Content-Length") { read(length: $0) }
        headers.forEachValue(of: "Transfer-Encoding") { value in
            codings = (codings ?? []) + Self.members(of: value).map(\.asciiLowercased)
        }
        // Exactly one coding: chunked twice is forbidden (section 6.1), and others were not asked for.
        if fault == nil, let codings, codings != ["chunked"], codings != ["identity"] {
            fault = "its Transfer-Encoding \(codings.joined(separator: ", ").quotedForMessage) was not asked for"
        }
    }

    /// One field may hold a list of equal lengths, as several fields may.
    private mutating func read(length value: String) {
        if length == nil, let stated = value.decimalLength {
            length = stated
            return
        }
        for part in Self.members(of: value) where fault == nil {
            guard let stated = part.decimalLength else {
                fault = "its Content-Length \(value.quotedForMessage) is no length"
                return
            }
            if let length, length != stated { fault = "it states two lengths, \(length) and \(stated)" }
            length = stated
        }
    }

    private static func members(of value: String) -> [String] {
        value.split(separator: ",", omittingEmptySubsequences: false).map { String(String($0).trimmingOWS) }
    }

    var isChunked: Bool { codings == ["chunked"] }

    /// A transfer coding goes before a length, which then says nothing (section 6.3).
    var isLengthVoid: Bool { codings != nil && length != nil }

    /// Whether nothing but the connection's end tells that of the body.
    func endsWithConnection(_ version: HTTPVersion) -> Bool {
        version < .http2 && !isChunked && (codings != nil || length == nil)
    }

    /// Whether another reader could see the body end elsewhere, so that nothing more may be read from the connection: a
    /// Transfer-Encoding beside a Content-Length, from HTTP/1.0, or other than chunked (sections 6.1 and 6.3), or a length
    /// where there is no body.
    func isDoubtful(_ status: HTTPStatus, _ version: HTTPVersion) -> Bool {
        if codings != nil { return isLengthVoid || version < .http1_1 || !isChunked }
        return status == 204 && length ?? 0 != 0
    }
}
