/// Where a connection goes and from where.
public struct ConnectionRoute: Hashable, Sendable {
    /// `nil`: everything has its default, as in most requests. These are copied often, and looked at seldom.
    private var settings: Settings?

    public init() {}

    /// The environment's by default.
    public var proxy: ProxyChoice {
        get { parts.proxy }
        set { change { $0.proxy = newValue } }
    }
    /// Connect to this Unix domain socket; the URL's host is only what the server is told.
    public var unixSocket: String? {
        get { parts.unixSocket }
        set { change { $0.unixSocket = newValue } }
    }
    /// Send from this interface, address or host name, as `curl --interface`.
    public var interface: String? {
        get { parts.interface }
        set { change { $0.interface = newValue } }
    }
    public var addressFamily: AddressFamily {
        get { parts.addressFamily }
        set { change { $0.addressFamily = newValue } }
    }
    /// Connect elsewhere than the URL says; TLS still checks the URL's host. Empty by default.
    public var connectTo: [ConnectTo] {
        get { parts.connectTo }
        set { change { $0.connectTo = newValue } }
    }
    /// TCP keep-alive probes on an open connection. `nil`, the default: none.
    public var tcpKeepAlive: TCPKeepAlive? {
        get { parts.tcpKeepAlive }
        set { change { $0.tcpKeepAlive = newValue } }
    }

    package var isDefault: Bool { settings == nil }

    private struct Parts: Hashable, Sendable {
        var proxy = ProxyChoice.environment
        var unixSocket: String?
        var interface: String?
        var addressFamily = AddressFamily.any
        var connectTo: [ConnectTo] = []
        var tcpKeepAlive: TCPKeepAlive?
    }

    private final class Settings: Sendable {
        let parts: Parts
        init(_ parts: Parts) { self.parts = parts }
    }

    private var parts: Parts { settings?.parts ?? Parts() }

    private mutating func change(_ change: (inout Parts) -> Void) {
        var parts = parts
        change(&parts)
        settings = parts == Parts() ? nil : Settings(parts)
    }

    public static func == (left: Self, right: Self) -> Bool {
        left.settings === right.settings || left.parts == right.parts
    }

    public func hash(into hasher: inout Hasher) { hasher.combine(parts) }
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
