/// What all requests of a transport have in common. Read once, when the transport is made.
public struct TransportConfiguration: Sendable {
    /// Connections to one host at a time; further requests wait in the transport's queue. 6 by default, as
    /// browsers and AFNetworking's sessions have it; from 1 to 100,000. Over HTTP/2 each carries up to 100 requests. To a host
    /// that speaks it as many again are for the requests that are held to HTTP/1.1 (``TransferOptions/maximumHTTPVersion``).
    public var maximumConnectionsPerHost = 6
    /// Connections in all at a time. `nil`, the default: no limit but the per-host one.
    public var maximumConnections: Int?
    /// Requests to one host (scheme, host, port and route) in flight at a time, whatever HTTP version they go over: from leaving the
    /// queue to the end of the answer, however slowly that is read. Further ones wait as for a connection, by priority and
    /// host by host, within ``Timeouts/pool``. `nil`, the default: as many as the connections carry; from 1 to 100,000. A
    /// redirect or a second sending is another request. Some may be let through at once: ``TransferOptions/ignoresRequestLimits``.
    public var maximumRequestsPerHost: Int?
    /// Requests in flight to all hosts together. `nil`, the default: no limit but the per-host one; from 1 to 100,000.
    public var maximumRequests: Int?
    /// How long a connection is kept without use. 60 seconds by default; whole seconds, at least 1.
    public var idleConnectionLifetime: Duration = .seconds(60)
    /// Addresses to use instead of asking the resolver. Empty by default.
    public var resolve: [ResolveEntry] = []
    /// Whom to trust to vouch for servers. The system's roots by default.
    public var certificateAuthorities: CertificateAuthorities = .system
    /// The largest head to accept, in bytes. 256 KiB by default; a larger one ends with `response-too-large`.
    public var maximumHeadSize = 256 << 10
    /// The buffer that a running transfer reads into, in bytes, from 1,024 to 524,288. 64 KiB by default. In a
    /// crowd of more than 8 MiB of them an exchange that begins gets a half, a quarter and so on, down to 2 KiB.
    public var receiveBufferSize = 64 << 10

    public init() {}
}

extension TransportConfiguration {
    /// With every number within its bounds.
    var clamped: TransportConfiguration {
        var copy = self
        copy.maximumConnectionsPerHost = min(max(maximumConnectionsPerHost, 1), 100_000)
        copy.maximumConnections = maximumConnections.map { min(max($0, 1), 100_000) }
        copy.maximumRequestsPerHost = maximumRequestsPerHost.map { min(max($0, 1), 100_000) }
        copy.maximumRequests = maximumRequests.map { min(max($0, 1), 100_000) }
        copy.maximumHeadSize = min(max(maximumHeadSize, 1), 1 << 30)
        copy.receiveBufferSize = min(max(receiveBufferSize, 1 << 10), 512 << 10)
        return copy
    }

    /// For the receive buffers of all exchanges together: in a crowd the memory of each counts more than the speed of one.
    private static let bufferMemory = 8 << 20
    private static let smallestBuffer = 2 << 10

    /// The configured size, or a half, a quarter and so on: few sizes, so that handles keep their buffers.
    func receiveBufferSize(among exchanges: Int) -> Int {
        var size = receiveBufferSize
        while size * exchanges > Self.bufferMemory, size > Self.smallestBuffer { size /= 2 }
        return size
    }
}

/// A host's addresses, given instead of looked up.
public struct ResolveEntry: Hashable, Sendable {
    public var host: String
    public var port: Int
    /// IP addresses, tried in turn.
    public var addresses: [String]

    public init(host: String, port: Int, addresses: [String]) {
        self.host = host
        self.port = port
        self.addresses = addresses
    }

    var curlText: String {
        let list = addresses.map { $0.contains(":") && !$0.hasPrefix("[") ? "[\($0)]" : $0 }
        return "\(host):\(port):\(list.joined(separator: ","))"
    }
}

/// Root certificates.
public struct CertificateAuthorities: Hashable, Sendable {
    enum Storage: Hashable {
        case system
        case only(String)
        case systemAnd(String)
    }

    let storage: Storage

    /// The file to read, if there is one.
    var file: String? {
        switch storage {
        case .system: nil
        case .only(let file), .systemAnd(let file): file
        }
    }

    /// The system's.
    public static let system = Self(storage: .system)
    /// Those of a PEM file, and no others.
    public static func file(_ path: String) -> Self { Self(storage: .only(path)) }
    /// The system's and those of a PEM file.
    public static func systemAnd(_ path: String) -> Self { Self(storage: .systemAnd(path)) }
}
