internal import Glibc
internal import LupineCore

/// One accepted connection, for the script that runs on its thread.
///
/// Calls block the script's own thread, and nothing else. Each also ends when the server is stopped: it then throws
/// `server-stopped`, which a script lets through. A peer that goes away while the script sends ends it with
/// `peer-disconnected`; neither counts as a failure. When the script returns, the connection is closed in order.
///
/// Not `Sendable`: a test reaches into a running script through a ``Gate``.
public final class LoopbackConnection {
    /// The number of this connection on its server, from 0, in the order of acceptance.
    public let index: Int
    /// What was agreed in the handshake; `nil` without TLS.
    public var tls: TLSDetails? { channel.details }

    private(set) var channel: any ByteChannel
    let poller: Poller
    let log: TrafficLog
    /// Bytes received and not yet asked for.
    var unread: ArraySlice<UInt8> = []
    private(set) var isClosed = false

    init(index: Int, channel: any ByteChannel, poller: Poller, log: TrafficLog) {
        self.index = index
        self.channel = channel
        self.poller = poller
        self.log = log
    }

    func checkOpen() throws(LoopbackError) {
        if isClosed { throw LoopbackError(.connectionClosed, "the script closed connection \(index)") }
    }

    /// Goes over to TLS on a connection in the clear, as behind a proxy: the script answers CONNECT with 200, calls this, and
    /// is from then on the origin that the client wanted.
    ///
    /// - Throws: `tls-failed`, also when the client does not trust the certificate; `connection-closed` when bytes are unread
    ///   or TLS is spoken already.
    public func startTLS(_ options: LoopbackTLS) throws(LoopbackError) {
        try checkOpen()
        guard unread.isEmpty, channel is PlainChannel else {
            throw LoopbackError(
                .connectionClosed, "TLS can only begin on a connection in the clear, with nothing unread")
        }
        let channel = try TLSChannel(socket: channel.socket, context: try TLSContext(options))
        try channel.handshake()
        self.channel = channel
    }

    /// Ends our side: the peer reads to its end, and can still send. Over TLS `close_notify` goes first.
    public func halfClose() throws(LoopbackError) {
        try checkOpen()
        try channel.finishSending(notify: true)
    }

    /// Closes in order. Bytes that the peer has sent and the script has not read are read away, for a second at most, since
    /// the system would turn the end into a reset and the peer could lose the answer.
    ///
    /// - Parameter notify: over TLS, send `close_notify` first. `true` by default; without it the peer cannot tell the
    ///   end from a truncation.
    public func close(notify: Bool = true) throws(LoopbackError) {
        guard !isClosed else { return }
        isClosed = true
        defer { channel.socket.close() }
        do {
            try channel.finishSending(notify: notify)
        } catch {
            // Already gone: then there is nobody to close in order for.
            return
        }
        try channel.socket.lingerWhileUnread(limit: .seconds(1))
    }

    /// Closes with a reset (TCP RST), as a crashed host would: bytes on their way are lost. Over a Unix socket this is a
    /// plain close.
    public func reset() {
        isClosed = true
        channel.socket.reset()
    }
}
