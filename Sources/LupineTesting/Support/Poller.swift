internal import CLupineLinux
internal import Glibc
internal import LupineCore

/// An eventfd that is written once and never read: everyone who polls it wakes.
final class EventSignal: Sendable {
    let descriptor: Int32

    init() throws(LoopbackError) {
        descriptor = lupine_eventfd_create()
        guard descriptor >= 0 else { throw .system("eventfd") }
    }

    deinit { Glibc.close(descriptor) }

    func fire() {
        var one: UInt64 = 1
        _ = Glibc.write(descriptor, &one, 8)
    }
}

/// The one place where server threads block: every wait also ends when the server stops.
struct Poller: Sendable {
    enum Wake: Sendable { case ready, signalled, timedOut }

    let stop: EventSignal

    /// Blocks until the descriptor has one of `events` or is broken, `signal` fires, or the time has come.
    ///
    /// - Throws: `server-stopped`, which goes before all else.
    func wait(
        _ descriptor: Int32? = nil, for events: Int32 = 0, orFor signal: EventSignal? = nil,
        until deadline: ContinuousClock.Instant? = nil
    ) throws(LoopbackError) -> Wake {
        // poll passes over negative descriptors.
        var entries = (
            pollfd(fd: stop.descriptor, events: Int16(POLLIN), revents: 0),
            pollfd(fd: descriptor ?? -1, events: Int16(events), revents: 0),
            pollfd(fd: signal?.descriptor ?? -1, events: Int16(POLLIN), revents: 0)
        )
        while true {
            let count = withUnsafeMutableBytes(of: &entries) { bytes in
                Glibc.poll(bytes.assumingMemoryBound(to: pollfd.self).baseAddress, 3, milliseconds(until: deadline))
            }
            if count < 0, errno != EINTR { throw .system("poll") }
            if count > 0 {
                if entries.0.revents != 0 { throw LoopbackError(.serverStopped, "the server was stopped") }
                return entries.2.revents != 0 ? .signalled : .ready
            }
            if count == 0, let deadline, deadline <= .now { return .timedOut }
        }
    }

    /// Rounded up, so that a wait never ends before its time.
    private func milliseconds(until deadline: ContinuousClock.Instant?) -> Int32 {
        guard let deadline else { return -1 }
        let (seconds, attoseconds) = ContinuousClock.now.duration(to: deadline).components
        guard seconds < 1_000_000 else { return 1_000_000_000 }
        return Int32(max(0, seconds * 1000 + (attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000))
    }
}
