internal import Glibc

/// Not in every module map of glibc: the peer has ended its side.
private let pollReadHangUp: Int32 = 0x2000

extension LoopbackConnection {
    /// Waits until a test opens the gate.
    public func wait(_ gate: Gate) throws(LoopbackError) {
        _ = try block(until: gate)
    }

    /// Waits so long.
    public func delay(_ duration: Duration) throws(LoopbackError) {
        _ = try poller.wait(until: .now + duration)
    }

    /// Does nothing, reads nothing, until the peer ends its side or goes away, or until `gate` opens.
    public func stall(until gate: Gate? = nil) throws(LoopbackError) {
        try checkOpen()
        _ = try block(until: gate, watching: channel.socket.descriptor)
    }

    private func block(until gate: Gate?, watching descriptor: Int32? = nil) throws(LoopbackError) -> Poller.Wake {
        guard let gate else { return try poller.wait(descriptor, for: pollReadHangUp) }
        let signal = try EventSignal()
        let observer = gate.whenOpen { signal.fire() }
        defer { gate.forget(observer) }
        return try poller.wait(descriptor, for: pollReadHangUp, orFor: signal)
    }
}
