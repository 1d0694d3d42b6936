extension LupineError {
    /// The kind of a failure. An open set: switch with a `default`.
    public struct Code: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
        public let rawValue: String
        public init(rawValue: String) { self.rawValue = rawValue }
        public var description: String { rawValue }
    }
}

extension LupineError.Code {
    // Before anything is sent.

    /// The URL cannot be read, or its scheme is neither http nor https.
    public static let invalidURL = Self(rawValue: "invalid-url")
    /// A method, field or option that cannot be sent as given.
    public static let invalidRequest = Self(rawValue: "invalid-request")
    /// The request's parameters could not be serialized.
    public static let requestSerializationFailed = Self(rawValue: "request-serialization-failed")
    /// Something the libraries at hand, or Lupine, cannot do.
    public static let unsupported = Self(rawValue: "unsupported")

    // On the way.

    /// The host's name has no address.
    public static let couldNotResolve = Self(rawValue: "could-not-resolve")
    /// No connection could be made: refused, unreachable.
    public static let couldNotConnect = Self(rawValue: "could-not-connect")
    /// The connection ended before an answer was complete enough to be told from none.
    public static let connectionLost = Self(rawValue: "connection-lost")
    /// The proxy refused, or could not be reached or resolved.
    public static let proxyFailed = Self(rawValue: "proxy-failed")
    /// The TLS handshake failed for a reason other than trust.
    public static let tlsFailed = Self(rawValue: "tls-failed")
    /// The server's certificate is not trusted, or is for another host.
    public static let trustRejected = Self(rawValue: "trust-rejected")
    /// The server's certificate or key is none of those pinned.
    public static let pinMismatch = Self(rawValue: "pin-mismatch")
    /// A limit of time passed: the message says which.
    public static let timedOut = Self(rawValue: "timed-out")
    /// The caller cancelled, or the session was invalidated.
    public static let cancelled = Self(rawValue: "cancelled")
    /// The network allows no connection to the host now.
    public static let notReachable = Self(rawValue: "not-reachable")
    /// The request body's source failed, gave another number of bytes than it stated, or can be read only once and has been, or
    /// would have to go to where a redirect leads.
    public static let uploadSourceFailed = Self(rawValue: "upload-source-failed")

    // What came back.

    /// The answer breaks HTTP's framing or grammar, or redirects where a request is not sent after it.
    public static let badResponse = Self(rawValue: "bad-response")
    /// The body ended before its length, its last chunk or its coding's end.
    public static let incompleteBody = Self(rawValue: "incomplete-body")
    /// The body is larger than allowed, or expands out of proportion.
    public static let responseTooLarge = Self(rawValue: "response-too-large")
    /// The body is not what its Content-Encoding says.
    public static let contentDecodingFailed = Self(rawValue: "content-decoding-failed")
    /// More redirects than allowed.
    public static let tooManyRedirects = Self(rawValue: "too-many-redirects")
    /// The credentials were refused, or none fit the challenge.
    public static let authenticationFailed = Self(rawValue: "authentication-failed")
    /// The status is none of those accepted. The error carries head and body.
    public static let unacceptableStatus = Self(rawValue: "unacceptable-status")
    /// The content type is none of those accepted. The error carries head and body.
    public static let unacceptableContentType = Self(rawValue: "unacceptable-content-type")
    /// The body could not be turned into the value asked for. The error carries head and body.
    public static let responseSerializationFailed = Self(rawValue: "response-serialization-failed")
    /// What is resumed is not what was begun.
    public static let resumeMismatch = Self(rawValue: "resume-mismatch")
    /// The finished body has another digest than stated.
    public static let checksumMismatch = Self(rawValue: "checksum-mismatch")

    // On this machine.

    /// The destination exists already.
    public static let fileExists = Self(rawValue: "file-exists")
    /// The disk is full, or a quota is reached.
    public static let noSpace = Self(rawValue: "no-space")
    /// A file could not be opened, written or moved.
    public static let fileFailed = Self(rawValue: "file-failed")

    /// Every code there is, for tables and documentation.
    public static let all: [Self] = [
        invalidURL, invalidRequest, requestSerializationFailed, unsupported, couldNotResolve, couldNotConnect,
        connectionLost, proxyFailed, tlsFailed, trustRejected, pinMismatch, timedOut, cancelled, notReachable,
        uploadSourceFailed, badResponse, incompleteBody, responseTooLarge, contentDecodingFailed, tooManyRedirects,
        authenticationFailed, unacceptableStatus, unacceptableContentType,
        responseSerializationFailed, resumeMismatch, checksumMismatch, fileExists, noSpace, fileFailed,
    ]
}
