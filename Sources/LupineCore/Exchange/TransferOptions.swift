/// How a request is carried. Every property has a default; most programs change none.
public struct TransferOptions: Hashable, Sendable {
    /// The highest version to use. HTTP/2 is offered over TLS only; over cleartext HTTP/1.1 is used. HTTP/2 by default.
    /// With libcurl before 8.3 a request with a body goes over HTTP/1.1: such a libcurl can lose an answer that comes before the
    /// body has been sent. To a host that is known to speak HTTP/2 such requests have connections of their own.
    public var maximumHTTPVersion: HTTPVersion = .http2
    public var timeouts = Timeouts()
    public var route = ConnectionRoute()
    /// The largest body to accept, in bytes after decoding; a larger one ends with `response-too-large`.
    /// `nil`, the default: no limit here (what collects a body in memory sets one).
    public var maximumBodySize: Int64?
    /// Whether content codings are asked for and removed. `true` by default; a request with its own
    /// `Accept-Encoding` is sent as it is and its answer is never decoded.
    public var decodesContent = true
    /// Start whatever the session's limits of requests in flight say (`TransportConfiguration.maximumRequestsPerHost`,
    /// `maximumRequests`): for a health check, or the token that requests in flight wait for. Those of connections hold, and it
    /// counts as any other. `false` by default.
    public var ignoresRequestLimits = false
    /// Whether identical requests are answered together: a GET or HEAD without body, whose answer an async function collects, joins
    /// one under way in its session that is the same in method, URL, fields and options. All have the first one's answer, or its
    /// error, within that one's limits of time; who is cancelled leaves, and the last one takes the exchange along. Nothing is
    /// kept: once it has ended the next is sent anew. Requests with progress closures or handlers of their own are sent by
    /// themselves. What a caller's serializer makes of the answer is that caller's, and no retrier is asked about it. A handler of
    /// the session's must not wait for a request identical to the one that it decides on. `false` by default.
    public var coalescesIdenticalRequests = false
    public var decodingLimits = DecodingLimits()
    /// Whether cookies of the session's storage are sent, and those of the answer stored. `true` by default.
    public var handlesCookies = true
    /// Connect anew although a kept connection would do (`CURLOPT_FRESH_CONNECT`). `false` by default.
    public var usesNewConnection = false
    /// Whether a task whose connection could not be made, because the network leads nowhere near the host now, waits until it does
    /// (``Timeouts/connectivity``), instead of failing at once. `false` by default. A host that refuses, or a name that does not
    /// exist, is told at once while the network is there.
    public var waitsForConnectivity = false
    /// Who goes first when requests wait for a connection: higher first, from 0 to 1. 0.5 by default.
    public var priority: Float = 0.5

    public init() {}
}

/// When an expanding body is taken for a bomb (`response-too-large`).
public struct DecodingLimits: Hashable, Sendable {
    /// Decoded bytes a coded byte, at most. 200 by default.
    public var maximumRatio = 200
    /// Decoded bytes up to which the ratio does not matter. 16 MiB by default: small texts may be very regular.
    public var ratioThreshold: Int64 = 16 << 20
    /// Decoded bytes at most, whatever the ratio. `nil`, the default: `maximumBodySize` alone counts.
    public var maximumSize: Int64?

    public init() {}
}
