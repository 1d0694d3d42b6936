internal import FoundationEssentials

// Fields by their names, as Alamofire has them.
extension HTTPHeader {
    /// `Accept` (RFC 9110 section 12.5.1).
    public static func accept(_ value: String) -> HTTPHeader { HTTPHeader(name: "Accept", value: value) }

    /// `Accept-Charset` (RFC 9110 section 12.5.2).
    public static func acceptCharset(_ value: String) -> HTTPHeader { HTTPHeader(name: "Accept-Charset", value: value) }

    /// `Accept-Encoding` (RFC 9110 section 12.5.3). With one of its own a request's answer is not decoded.
    public static func acceptEncoding(_ value: String) -> HTTPHeader {
        HTTPHeader(name: "Accept-Encoding", value: value)
    }

    /// `Accept-Language` (RFC 9110 section 12.5.4).
    public static func acceptLanguage(_ value: String) -> HTTPHeader {
        HTTPHeader(name: "Accept-Language", value: value)
    }

    /// `Authorization` (RFC 9110 section 11.6.2).
    public static func authorization(_ value: String) -> HTTPHeader { HTTPHeader(name: "Authorization", value: value) }

    /// `Authorization` by the Basic scheme, both as UTF-8 (RFC 7617). A user name holds no colon: what follows one would be
    /// read as part of the password.
    public static func authorization(username: String, password: String) -> HTTPHeader {
        authorization("Basic " + Data("\(username):\(password)".utf8).base64EncodedString())
    }

    /// `Authorization` by the Bearer scheme (RFC 6750 section 2.1).
    public static func authorization(bearerToken: String) -> HTTPHeader { authorization("Bearer \(bearerToken)") }

    /// `Content-Disposition` (RFC 6266).
    public static func contentDisposition(_ value: String) -> HTTPHeader {
        HTTPHeader(name: "Content-Disposition", value: value)
    }

    /// `Content-Encoding` (RFC 9110 section 8.4).
    public static func contentEncoding(_ value: String) -> HTTPHeader {
        HTTPHeader(name: "Content-Encoding", value: value)
    }

    /// `Content-Type` (RFC 9110 section 8.3).
    public static func contentType(_ value: String) -> HTTPHeader { HTTPHeader(name: "Content-Type", value: value) }

    /// `User-Agent` (RFC 9110 section 10.1.5).
    public static func userAgent(_ value: String) -> HTTPHeader { HTTPHeader(name: "User-Agent", value: value) }
}

extension HTTPHeaders: ExpressibleByArrayLiteral {
    /// `[.accept("text/plain"), .authorization(bearerToken: token)]`.
    public init(arrayLiteral elements: HTTPHeader...) { self.init(elements) }
}
