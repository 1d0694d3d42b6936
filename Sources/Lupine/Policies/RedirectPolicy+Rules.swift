internal import LupineCore

// The rules of RFC 9110 that speak of one thing: a status, a field, a reference.

extension HTTPStatus {
    /// Whether it sends a client elsewhere by itself (RFC 9110 sections 15.4.2 to 15.4.9). 300 offers a choice, 304 answers;
    /// 305 and 306 are no longer used.
    var redirects: Bool {
        switch rawValue {
        case 301, 302, 303, 307, 308: true
        default: false
        }
    }

    /// Whether the request that follows is a GET in place of that method (sections 15.4.2 to 15.4.4).
    func makesGet(of method: HTTPMethod) -> Bool {
        switch rawValue {
        case 301, 302: method == .post
        case 303: method != .get && method != .head
        default: false
        }
    }
}

extension HTTPHeader {
    /// Whether it describes a body, or how one is sent: meaningless once that is gone (section 15.4, step 5).
    var speaksOfBody: Bool {
        let name = name.asciiLowercased
        return name.hasPrefix("content-") || Self.namesOfBody.contains(name)
    }

    private static let namesOfBody: Set = [
        "transfer-encoding", "trailer", "expect", "last-modified", "digest", "repr-digest",
    ]

    /// Whether it is meant for the origin it was sent to (section 15.4, steps 2 and 3).
    var isForOneOrigin: Bool { isSecret || Self.namesOfOrigin.contains(name.asciiLowercased) }

    private static let namesOfOrigin: Set = ["host", "referer", "origin"]
}

extension HTTPRequest {
    /// The place that a `Location` of the request's answer names (section 10.2.2).
    func target(of location: String) throws(LupineError) -> HTTPURL {
        if location.hasURLScheme {
            let scheme = String(decoding: location.utf8.prefix { $0 != UInt8(ascii: ":") }, as: UTF8.self)
            guard ["http", "https"].contains(scheme.asciiLowercased) else {
                throw refusal(
                    .badResponse,
                    "redirects to a URL of scheme \(scheme.quotedForMessage); only http and https are followed")
            }
        }
        do throws(LupineError) {
            return try url.resolve(location)
        } catch {
            throw LupineError(
                .badResponse, "\(url.host) redirects nowhere: \(error.message)", host: url.host, underlying: error)
        }
    }

    /// Its body would have to be sent on, and has been read.
    var spentBodyRefusal: LupineError {
        refusal(
            .uploadSourceFailed,
            "redirects, and the request's body would go there, but can be read only once; give one that can be reread")
    }

    func refusal(_ code: LupineError.Code, _ what: String) -> LupineError {
        LupineError(code, "\(url.host) \(what)", host: url.host)
    }
}
