/// What one exchange measured. Durations count from its start on a connection and include each other:
/// name lookup ≤ connect ≤ TLS ≤ first byte ≤ total. Kept to the microsecond.
public struct TransferMetrics: Hashable, Sendable {
    /// Until the name was resolved; zero on a reused connection.
    public var nameLookup: Duration {
        get { .microseconds(times.nameLookup) }
        set { times.nameLookup = newValue.wholeMicroseconds }
    }
    /// Until the connection was made; zero on a reused connection.
    public var connect: Duration {
        get { .microseconds(times.connect) }
        set { times.connect = newValue.wholeMicroseconds }
    }
    /// Until TLS was agreed; zero without TLS and on a reused connection.
    public var tls: Duration {
        get { .microseconds(times.tls) }
        set { times.tls = newValue.wholeMicroseconds }
    }
    /// Until the first byte of the answer came.
    public var firstByte: Duration {
        get { .microseconds(times.firstByte) }
        set { times.firstByte = newValue.wholeMicroseconds }
    }
    /// Until the end.
    public var total: Duration {
        get { .microseconds(times.total) }
        set { times.total = newValue.wholeMicroseconds }
    }
    /// Body bytes sent.
    public var sentBytes: Int64 = 0
    /// Body bytes received, in their content coding.
    public var receivedBytes: Int64 = 0
    public var isReusedConnection = false
    public var remoteAddress: SocketAddress?
    public var localAddress: SocketAddress?
    public var httpVersion: HTTPVersion?

    /// In microseconds, as libcurl tells them: durations are made where somebody asks.
    package struct Times: Hashable, Sendable {
        package var nameLookup: Int64 = 0
        package var connect: Int64 = 0
        package var tls: Int64 = 0
        package var firstByte: Int64 = 0
        package var total: Int64 = 0
    }
    package var times = Times()

    public init() {}
}

/// An IP address and a port.
public struct SocketAddress: Hashable, Sendable, CustomStringConvertible {
    public let ip: String
    public let port: Int

    public init(ip: String, port: Int) {
        self.ip = ip
        self.port = port
    }

    /// `127.0.0.1:80`, `[::1]:80`.
    public var description: String { ip.utf8.contains(UInt8(ascii: ":")) ? "[\(ip)]:\(port)" : "\(ip):\(port)" }
}

extension Duration {
    fileprivate var wholeMicroseconds: Int64 {
        let (seconds, attoseconds) = components
        let (product, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000)
        return overflow ? seconds.signum() * .max : product &+ attoseconds / 1_000_000_000_000
    }
}
