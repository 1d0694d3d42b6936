internal import CLibcurl
internal import LupineCore

/// The fields of a request as libcurl takes them; shared by requests with the same. Confined to the loop.
final class FieldList {
    private(set) var pointer: UnsafeMutablePointer<curl_slist>?
    /// Those for a proxy that leads to a TLS origin by CONNECT; `nil`: none.
    private(set) var proxyPointer: UnsafeMutablePointer<curl_slist>?
    /// In bytes, as sent.
    let size: Int
    /// Whether some of them are.
    let areOfFraming: Bool
    private let headers: HTTPHeaders
    private let asksForCodings: Bool
    private let sendsBody: Bool
    private let isSecure: Bool

    /// The fields as given; of those libcurl would add by itself only Host and framing stay its own.
    init(_ request: HTTPRequest) {
        headers = request.headers
        asksForCodings = request.asksForCodings
        sendsBody = request.sendsBody
        isSecure = request.url.isSecure
        areOfFraming = headers.contains(where: \.isFraming)
        size = headers.reduce(0) { $0 + $1.name.utf8.count + $1.valueSize + 4 }
        // Each that is named costs: libcurl goes through the list for every field that it may add.
        let added =
            sendsBody ? ["Accept", "Proxy-Connection", "Content-Type", "Expect"] : ["Accept", "Proxy-Connection"]
        for name in added where !headers.contains(name) { append("\(name):") }
        if asksForCodings { append("Accept-Encoding: \(ContentDecoder.acceptedCodings)") }
        for field in headers where !field.isFraming {
            // For the next proxy alone (RFC 9110 section 11.7.2), which sees nothing of what is within TLS.
            if isSecure, field.name.equalsIgnoringASCIICase("Proxy-Authorization") {
                proxyPointer = Self.list(proxyPointer, adding: field)
            } else {
                pointer = Self.list(pointer, adding: field)
            }
        }
    }

    deinit {
        curl_slist_free_all(pointer)
        curl_slist_free_all(proxyPointer)
    }

    private static func list(
        _ list: UnsafeMutablePointer<curl_slist>?, adding field: HTTPHeader
    ) -> UnsafeMutablePointer<curl_slist>? {
        // A blank value needs a semicolon: with a colon libcurl takes the field for a removed one.
        let value = field.value.trimmingOWS
        guard field.isLatin1 else {
            return curl_slist_append(list, value.isEmpty ? "\(field.name);" : "\(field.name): \(value)")
        }
        // Its bytes as they are.
        let line = Array("\(field.name): ".utf8) + ByteText(value, isLatin1: true).bytes + [0]
        return line.withUnsafeBytes { curl_slist_append(list, $0.baseAddress?.assumingMemoryBound(to: CChar.self)) }
    }

    private func append(_ line: String) { pointer = curl_slist_append(pointer, line) }

    /// Whether the fields are the request's.
    func areOf(_ request: HTTPRequest) -> Bool { headers.hasSameBytes(as: request.headers) }

    func isFor(_ request: HTTPRequest) -> Bool {
        areOf(request) && asksForCodings == request.asksForCodings && sendsBody == request.sendsBody
            && isSecure == request.url.isSecure
    }
}

extension HTTPRequest {
    /// Whether the transport asks for content codings and removes them: a caller's own Accept-Encoding means that the
    /// caller does both.
    var asksForCodings: Bool { options.decodesContent && !headers.contains("Accept-Encoding") }

    /// Whether libcurl takes it for one with a body, if only an empty one.
    fileprivate var sendsBody: Bool { !body.isEmpty || method.expectsBody }
}

extension HTTPHeader {
    /// Set by libcurl from the body; `HTTPRequest.validate()` has made sure that they say the same.
    var isFraming: Bool {
        name.equalsIgnoringASCIICase("Content-Length") || name.equalsIgnoringASCIICase("Transfer-Encoding")
    }
}
