internal import Glibc

/// The running part of a server. Its threads hold it, and not the ``LoopbackServer``, whose end stops them.
final class ServerCore: Sendable {
    let listener: ListeningSocket
    let log: TrafficLog
    private let poller: Poller
    private let threads = ThreadLedger()
    private let tls: TLSContext?
    private let handshakeFault: LoopbackTLS.HandshakeFault?
    private let handler: LoopbackServer.Handler

    init(
        address: LoopbackServer.Address, tls: LoopbackTLS?, log: TrafficLog, handler: @escaping LoopbackServer.Handler
    ) throws(LoopbackError) {
        // Written out: `map` with a throwing initializer loses the error's type.
        if let tls { self.tls = try TLSContext(tls) } else { self.tls = nil }
        handshakeFault = tls?.handshakeFault
        poller = Poller(stop: try EventSignal())
        listener = try ListeningSocket(address)
        self.log = log
        self.handler = handler
    }

    func start() throws(LoopbackError) { try threads.start { self.acceptConnections() } }

    func stop() {
        poller.stop.fire()
        threads.joinAll()
    }

    private func acceptConnections() {
        defer { listener.close() }
        while (try? poller.wait(listener.descriptor, for: POLLIN)) != nil {
            do {
                guard let descriptor = try listener.accept() else { continue }
                serve(descriptor)
            } catch {
                log.failed(error, on: nil)
                // Out of descriptors, say: the listener stays readable, so time must pass before the next try.
                guard (try? poller.wait(until: .now + .milliseconds(10))) != nil else { return }
            }
        }
    }

    private func serve(_ descriptor: Int32) {
        let index = log.accepted()
        do {
            try threads.start { self.run(descriptor, index: index) }
        } catch {
            Glibc.close(descriptor)
            log.closed()
            log.failed(error, on: index)
        }
    }

    /// The whole life of one connection, on its thread.
    private func run(_ descriptor: Int32, index: Int) {
        let socket = ConnectedSocket(descriptor: descriptor, poller: poller)
        defer {
            socket.close()
            log.closed()
        }
        let channel: any ByteChannel
        do {
            guard let agreed = try makeChannel(over: socket) else { return }
            channel = agreed
        } catch {
            if error.code != .serverStopped { log.failedHandshake(error, on: index) }
            return
        }
        let connection = LoopbackConnection(index: index, channel: channel, poller: poller, log: log)
        do {
            try handler(connection)
            try connection.close()
        } catch {
            if let error = error as? LoopbackError, error.isExpectedEnd { return }
            log.failed(error, on: index)
        }
    }

    /// `nil`: the handshake went wrong as it was meant to.
    private func makeChannel(over socket: ConnectedSocket) throws(LoopbackError) -> (any ByteChannel)? {
        guard let tls else { return PlainChannel(socket: socket) }
        guard let handshakeFault else {
            let channel = try TLSChannel(socket: socket, context: tls)
            try channel.handshake()
            return channel
        }
        // The client's first bytes are read, or closing would be a reset.
        _ = try socket.receive(upTo: 16 << 10)
        switch handshakeFault {
        case .close: break
        case .reset: socket.reset()
        case .stall: while try !socket.receive(upTo: 16 << 10).isEmpty {}
        case .plaintext:
            try socket.send(Array("HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\nConnection: close\r\n\r\n".utf8))
        }
        return nil
    }
}
