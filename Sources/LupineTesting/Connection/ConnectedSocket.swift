internal import Glibc

/// The descriptor of one accepted connection: non-blocking beneath, blocking above, so that every wait goes through the
/// ``Poller`` and ends when the server stops. Only its own thread uses or closes it; so its number can never mean another
/// file to anybody.
final class ConnectedSocket {
    private(set) var descriptor: Int32
    let poller: Poller

    init(descriptor: Int32, poller: Poller) {
        self.descriptor = descriptor
        self.poller = poller
    }

    deinit { close() }

    /// Waits until it can be read or written.
    func wait(for events: Int32, until deadline: ContinuousClock.Instant? = nil) throws(LoopbackError) -> Poller.Wake {
        try poller.wait(descriptor, for: events, until: deadline)
    }

    func receive(upTo count: Int) throws(LoopbackError) -> [UInt8] {
        while true {
            var failure: Int32 = 0
            let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
                let got = recv(descriptor, buffer.baseAddress, count, 0)
                failure = got < 0 ? errno : 0
                initialized = max(0, got)
            }
            guard failure != 0 else { return bytes }
            try recover(from: failure, call: "recv", waitingFor: POLLIN)
        }
    }

    func send(_ bytes: [UInt8]) throws(LoopbackError) {
        var sent = 0
        while sent < bytes.count {
            let count = bytes.withUnsafeBytes { buffer in
                Glibc.send(
                    descriptor, buffer.baseAddress?.advanced(by: sent), buffer.count - sent, Int32(MSG_NOSIGNAL))
            }
            if count >= 0 { sent += count } else { try recover(from: errno, call: "send", waitingFor: POLLOUT) }
        }
    }

    /// Returns when the call is to be made again.
    func recover(from failure: Int32, call: String, waitingFor events: Int32) throws(LoopbackError) {
        switch failure {
        case EINTR: return
        case EAGAIN: _ = try wait(for: events)
        case EPIPE, ECONNRESET, ENOTCONN, ETIMEDOUT:
            throw LoopbackError(.peerDisconnected, "\(call): \(String(cString: strerror(failure)))")
        default: throw LoopbackError(.socketFailed, "\(call): \(String(cString: strerror(failure)))")
        }
    }

    func finishSending() throws(LoopbackError) {
        guard shutdown(descriptor, Int32(SHUT_WR)) == 0 else {
            return try recover(from: errno, call: "shutdown", waitingFor: 0)
        }
    }

    /// Reads away what the peer has sent, until its end, when there is something unread now.
    func lingerWhileUnread(limit: Duration) throws(LoopbackError) {
        let deadline = ContinuousClock.now + limit
        var scratch = [UInt8](repeating: 0, count: 16 << 10)
        var hadSome = false
        while true {
            let got = recv(descriptor, &scratch, scratch.count, 0)
            if got == 0 { return }
            if got > 0 {
                hadSome = true
            } else if errno != EINTR {
                guard errno == EAGAIN, hadSome else { return }
                if try wait(for: POLLIN, until: deadline) == .timedOut { return }
            }
            if hadSome, deadline < .now { return }
        }
    }

    func reset() {
        var option = linger(l_onoff: 1, l_linger: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
        close()
    }

    func close() {
        guard descriptor >= 0 else { return }
        Glibc.close(descriptor)
        descriptor = -1
    }
}
