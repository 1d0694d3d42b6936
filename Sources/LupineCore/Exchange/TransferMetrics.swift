/// What one exchange measured. Durations count from its start on a connection and include each other:
/// name lookup ≤ connect ≤ TLS ≤ first byte ≤ total.
public struct TransferMetrics: Hashable, Sendable {
    /// Until the name was resolved; zero on a reused connection.
    public var nameLookup: Duration = .zero
    /// Until the connection was made; zero on a reused connection.
    public var connect: Duration = .zero
    /// Until TLS was agreed; zero without TLS and on a reused connection.
    public var tls: Duration = .zero
    /// Until the first byte of the answer came.
    public var firstByte: Duration = .zero
    /// Until the end.
    public var total: Duration = .zero
    /// Body bytes sent.
    public var sentBytes: Int64 = 0
    /// Body bytes received, in their content coding.
    public var receivedBytes: Int64 = 0
    public var isReusedConnection = false
    public var remoteAddress: SocketAddress?
    public var localAddress: SocketAddress?
    public var httpVersion: HTTPVersion?

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
