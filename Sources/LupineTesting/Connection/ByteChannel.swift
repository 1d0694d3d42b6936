/// Bytes over a connection, in the clear or through TLS. Confined to the thread of its connection.
protocol ByteChannel: AnyObject {
    var socket: ConnectedSocket { get }
    var details: TLSDetails? { get }

    /// Waits for 1 to `count` bytes; none: the peer has ended its side.
    func receive(upTo count: Int) throws(LoopbackError) -> [UInt8]
    /// Sends all, waiting while the peer does not read.
    func send(_ bytes: [UInt8]) throws(LoopbackError)
    /// Ends our side. `notify`: with TLS's own end first.
    func finishSending(notify: Bool) throws(LoopbackError)
}

/// A connection in the clear.
final class PlainChannel: ByteChannel {
    let socket: ConnectedSocket
    var details: TLSDetails? { nil }

    init(socket: ConnectedSocket) { self.socket = socket }

    func receive(upTo count: Int) throws(LoopbackError) -> [UInt8] { try socket.receive(upTo: count) }
    func send(_ bytes: [UInt8]) throws(LoopbackError) { try socket.send(bytes) }
    func finishSending(notify: Bool) throws(LoopbackError) { try socket.finishSending() }
}
