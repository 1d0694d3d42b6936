internal import LupineCore

/// A scripted server on the loopback interface, for tests: it answers well, badly or not at all, as its script says.
///
/// ```swift
/// let server = try LoopbackServer { connection in
///     guard let request = try connection.readRequest() else { return }
///     try connection.send(.text("you asked for \(request.target)"))
/// }
/// // … talk to server.url("/hello") …
/// #expect(server.failures.isEmpty)
/// ```
///
/// The script runs once for each accepted connection, on a thread of that connection; it blocks there as it likes. The
/// last reference stops the server, as ``stop()`` does.
public final class LoopbackServer: Sendable {
    /// What runs for each connection. An error that it throws is in ``failures``.
    public typealias Handler = @Sendable (LoopbackConnection) throws -> Void

    private let core: ServerCore
    /// Where the server listens.
    public let address: Address
    /// The TCP port; 0 for a Unix socket.
    public let port: Int
    /// Whether it speaks TLS.
    public let isSecure: Bool

    /// Starts a server in the clear.
    ///
    /// - Parameters:
    ///   - address: where to listen; port 0 of 127.0.0.1 by default.
    ///   - recordsTraffic: keep every request and byte received. `true` by default; `false` for a server that runs for
    ///     long or receives much: it then only counts.
    ///   - handler: the script. Ready ones are ``serving(_:)``, ``routes(_:)`` and ``echo``.
    /// - Throws: ``LoopbackError`` with `socket-failed`.
    public convenience init(
        on address: Address = .ipv4, recordsTraffic: Bool = true, handler: @escaping Handler
    ) throws(LoopbackError) {
        try self.init(on: address, options: nil, recordsTraffic: recordsTraffic, handler: handler)
    }

    /// Starts a server that speaks TLS, with options.
    ///
    /// - Throws: ``LoopbackError`` with `socket-failed` or `tls-failed`.
    public convenience init(
        on address: Address = .ipv4, tls: LoopbackTLS, recordsTraffic: Bool = true, handler: @escaping Handler
    ) throws(LoopbackError) {
        try self.init(on: address, options: tls, recordsTraffic: recordsTraffic, handler: handler)
    }

    /// Starts a server that speaks TLS with a certificate.
    ///
    /// - Throws: ``LoopbackError`` with `socket-failed` or `tls-failed`.
    public convenience init(
        on address: Address = .ipv4, tls certificate: TestCertificate, recordsTraffic: Bool = true,
        handler: @escaping Handler
    ) throws(LoopbackError) {
        try self.init(
            on: address, options: LoopbackTLS(certificate: certificate), recordsTraffic: recordsTraffic,
            handler: handler)
    }

    private init(
        on address: Address, options: LoopbackTLS?, recordsTraffic: Bool, handler: @escaping Handler
    ) throws(LoopbackError) {
        core = try ServerCore(address: address, tls: options, log: TrafficLog(keeps: recordsTraffic), handler: handler)
        self.address = address
        port = core.listener.port
        isSecure = options != nil
        try core.start()
    }

    deinit { core.stop() }

    /// Closes the listener and every connection and waits for their threads, wherever they block. Calling it twice is
    /// harmless. A script that blocks in a call of its own, instead of one of its connection's, is waited for.
    public func stop() { core.stop() }

    /// The URL of a path on this server.
    ///
    /// - Parameters:
    ///   - path: begins with `/`. `/` by default.
    ///   - host: another name for this host, such as `localhost`. By default the address; `localhost` for a Unix socket.
    public func url(_ path: String = "/", host: String? = nil) -> String {
        let scheme = isSecure ? "https" : "http"
        if case .unix = address { return "\(scheme)://\(host ?? "localhost")\(path)" }
        return "\(scheme)://\(host ?? address.urlHost):\(port)\(path)"
    }
}

extension LoopbackServer {
    /// Where a server listens.
    public enum Address: Hashable, Sendable {
        /// A free port of 127.0.0.1.
        case ipv4
        /// A free port of ::1.
        case ipv6
        /// A Unix domain socket at this path, removed when the server stops.
        case unix(String)

        var urlHost: String { self == .ipv6 ? "[::1]" : "127.0.0.1" }
    }

    /// An error that ended a script, or a handshake.
    public struct Failure: Sendable, CustomStringConvertible {
        /// The connection; `nil` when the listener itself failed.
        public let connection: Int?
        /// What was thrown.
        public let error: any Error

        /// One line for people.
        public var description: String {
            connection.map { "connection \($0): \(error)" } ?? "listener: \(error)"
        }
    }
}

// What was seen. Each is a moment's state: the server goes on meanwhile.
extension LoopbackServer {
    private var log: Watched<TrafficLog.State> { core.log.state }

    /// The number of connections accepted so far; over TLS also those whose handshake failed.
    public var connectionCount: Int { log.read(\.accepted) }
    /// The number of connections open now.
    public var openConnectionCount: Int { log.read(\.open) }
    /// The number of requests read so far.
    public var requestCount: Int { log.read(\.requestCount) }
    /// The requests read so far, in the order in which they became known: whole ones when they were whole, and heads of
    /// ``LoopbackConnection/readHead()``, which become whole in their place.
    public var requests: [RecordedRequest] { log.read(\.requests) }
    /// What scripts threw, an expected end aside: a server that is stopped, a peer that leaves while it is sent to.
    public var failures: [Failure] { log.read(\.failures) }
    /// The handshakes that failed, such as those of clients that did not trust the certificate.
    public var handshakeFailures: [Failure] { log.read(\.handshakeFailures) }

    /// Every byte received over a connection so far, TLS removed; empty for one that does not exist.
    public func receivedBytes(connection: Int) -> [UInt8] {
        log.read { $0.received.indices.contains(connection) ? $0.received[connection] : [] }
    }

    /// The number of bytes received over a connection so far, TLS removed.
    public func receivedByteCount(connection: Int) -> Int {
        log.read { $0.receivedCounts.indices.contains(connection) ? $0.receivedCounts[connection] : 0 }
    }

    /// Waits until so many connections have been accepted in all.
    ///
    /// - Parameter limit: at most so long; 30 seconds by default.
    /// - Throws: ``WaitTimeoutError``; `CancellationError` when the task is cancelled.
    public func waitForConnections(_ count: Int, within limit: Duration = .testLimit) async throws {
        try await log.wait(for: "\(count) connections", within: limit) { $0.accepted >= count }
    }

    /// Waits until at most so many connections are open: 0 by default.
    ///
    /// - Throws: ``WaitTimeoutError``; `CancellationError` when the task is cancelled.
    public func waitForOpenConnections(atMost count: Int = 0, within limit: Duration = .testLimit) async throws {
        try await log.wait(for: "connections to close but \(count)", within: limit) { $0.open <= count }
    }

    /// Waits until so many requests have been read in all.
    ///
    /// - Throws: ``WaitTimeoutError``; `CancellationError` when the task is cancelled.
    public func waitForRequests(_ count: Int, within limit: Duration = .testLimit) async throws {
        try await log.wait(for: "\(count) requests", within: limit) { $0.requestCount >= count }
    }

    /// Waits until so many bytes have been received over a connection.
    ///
    /// - Throws: ``WaitTimeoutError``; `CancellationError` when the task is cancelled.
    public func waitForBytes(
        _ count: Int, connection: Int = 0, within limit: Duration = .testLimit
    ) async throws {
        try await log.wait(for: "\(count) bytes", within: limit) {
            $0.receivedCounts.indices.contains(connection) && $0.receivedCounts[connection] >= count
        }
    }

    /// Waits until so many handshakes have failed.
    ///
    /// - Throws: ``WaitTimeoutError``; `CancellationError` when the task is cancelled.
    public func waitForHandshakeFailures(_ count: Int = 1, within limit: Duration = .testLimit) async throws {
        try await log.wait(for: "\(count) failed handshakes", within: limit) { $0.handshakeFailures.count >= count }
    }
}
