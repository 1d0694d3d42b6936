/// How a request is carried. Every property has a default; most programs change none.
public struct TransferOptions: Hashable, Sendable {
    /// The highest version to use. HTTP/2 is offered over TLS only; over cleartext HTTP/1.1 is used. HTTP/2 by default.
    /// With libcurl before 8.3 a request whose body is larger than 16 KiB, or of unknown length, goes over HTTP/1.1: such a
    /// libcurl can lose an answer that comes before the body has been sent.
    public var maximumHTTPVersion: HTTPVersion = .http2
    public var timeouts = Timeouts()
    public var route = ConnectionRoute()
    /// The largest body to accept, in bytes after decoding; a larger one ends with `response-too-large`.
    /// `nil`, the default: no limit here (what collects a body in memory sets one).
    public var maximumBodySize: Int64?
    /// Whether content codings are asked for and removed. `true` by default; a request with its own
    /// `Accept-Encoding` is sent as it is and its answer is never decoded.
    public var decodesContent = true
    public var decodingLimits = DecodingLimits()
    /// Whether cookies of the session's storage are sent, and those of the answer stored. `true` by default.
    public var handlesCookies = true
    /// Connect anew although a kept connection would do (`CURLOPT_FRESH_CONNECT`). `false` by default.
    public var usesNewConnection = false
    /// Who goes first when requests wait for a connection: higher first, from 0 to 1. 0.5 by default.
    public var priority: Float = 0.5

    public init() {}
}

/// The four limits of time of an exchange. Milliseconds count; zero or less means at once.
public struct Timeouts: Hashable, Sendable {
    /// To wait for a connection to be free under the session's limits. `nil`, the default: as long as the total allows.
    public var pool: Duration?
    /// To look up the name, connect and agree on TLS. 30 seconds by default.
    public var connect: Duration? = .seconds(30)
    /// Without a byte in either direction, once connected. 60 seconds by default.
    public var idle: Duration? = .seconds(60)
    /// For the whole exchange, body included; of a task, for all its exchanges and the decisions between them. `nil`, the
    /// default: none.
    public var total: Duration?

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

/// Where a connection goes and from where.
public struct ConnectionRoute: Hashable, Sendable {
    public var proxy = ProxyChoice.environment
    /// Connect to this Unix domain socket; the URL's host is only what the server is told.
    public var unixSocket: String?
    /// Send from this interface, address or host name, as `curl --interface`.
    public var interface: String?
    public var addressFamily = AddressFamily.any
    /// Connect elsewhere than the URL says; TLS still checks the URL's host. Empty by default.
    public var connectTo: [ConnectTo] = []
    /// TCP keep-alive probes on an open connection. `nil`, the default: none.
    public var tcpKeepAlive: TCPKeepAlive?

    public init() {}
}

/// Which proxy to use.
public enum ProxyChoice: Hashable, Sendable {
    /// `http_proxy`, `https_proxy`, `all_proxy` and `no_proxy`, as libcurl reads them.
    case environment
    case none
    /// `http://`, `https://`, `socks5://`, `socks5h://`, `socks4://` or `socks4a://` and a host.
    case url(String)
}

/// Which of a host's addresses may be used.
public enum AddressFamily: Hashable, Sendable { case any, ipv4, ipv6 }

/// One redirection of connections: those for `host:port` go to `toHost:toPort`. An empty host or a `nil` port
/// stands for any on the left and for the same on the right.
public struct ConnectTo: Hashable, Sendable {
    public var host: String
    public var port: Int?
    public var toHost: String
    public var toPort: Int?

    public init(host: String = "", port: Int? = nil, toHost: String = "", toPort: Int? = nil) {
        self.host = host
        self.port = port
        self.toHost = toHost
        self.toPort = toPort
    }
}

/// TCP keep-alive. Whole seconds count.
public struct TCPKeepAlive: Hashable, Sendable {
    /// Quiet time before the first probe. 60 seconds by default.
    public var idle: Duration = .seconds(60)
    /// Time between probes. 60 seconds by default.
    public var interval: Duration = .seconds(60)

    public init() {}
}
