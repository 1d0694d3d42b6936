internal import Glibc

/// Plain threads: what blocks for a test's sake must not block Swift's own pool.
enum PlatformThread {
    /// Stack of a server thread in bytes. Only pages that are touched take memory.
    static let stackSize = 256 << 10

    private final class Start {
        let body: @Sendable () -> Void
        init(_ body: @escaping @Sendable () -> Void) { self.body = body }
    }

    /// Starts a joinable thread on which SIGPIPE is blocked: OpenSSL writes without MSG_NOSIGNAL.
    static func start(_ body: @escaping @Sendable () -> Void) throws(LoopbackError) -> pthread_t {
        let attributes = UnsafeMutablePointer<pthread_attr_t>.allocate(capacity: 1)
        defer { attributes.deallocate() }
        pthread_attr_init(attributes)
        defer { pthread_attr_destroy(attributes) }
        pthread_attr_setstacksize(attributes, stackSize)
        var thread = pthread_t()
        // The thread takes over the reference; if there is no thread it is given back below.
        let start = Unmanaged.passRetained(Start(body))
        let code = pthread_create(
            &thread, attributes,
            { argument in
                guard let argument else { return nil }
                let start = Unmanaged<Start>.fromOpaque(argument).takeRetainedValue()
                var signals = sigset_t()
                sigemptyset(&signals)
                sigaddset(&signals, SIGPIPE)
                pthread_sigmask(SIG_BLOCK, &signals, nil)
                start.body()
                return nil
            }, start.toOpaque())
        guard code == 0 else {
            start.release()
            throw LoopbackError(.socketFailed, "no thread: \(String(cString: strerror(code)))")
        }
        return thread
    }
}

/// The threads of one server. Each that ends joins the one that ended before it, so that at most one is left unjoined.
final class ThreadLedger: Sendable {
    private struct State: Sendable {
        var live: Set<pthread_t> = []
        /// Threads of this ledger that wait inside ``joinAll()`` themselves.
        var stoppers: Set<pthread_t> = []
        var ended: pthread_t?
    }

    private let state = Condition(State())

    func start(_ body: @escaping @Sendable () -> Void) throws(LoopbackError) {
        // Under the lock, so that the thread cannot leave before it is entered.
        try state.update { (state) throws(LoopbackError) in
            let thread = try PlatformThread.start {
                body()
                self.leave()
            }
            state.live.insert(thread)
        }
    }

    private func leave() {
        let own = pthread_self()
        let previous = state.update { state -> pthread_t? in
            state.live.remove(own)
            // Whoever called `joinAll` from here cannot have joined itself.
            if state.stoppers.remove(own) != nil {
                pthread_detach(own)
                return nil
            }
            defer { state.ended = own }
            return state.ended
        }
        if let previous { pthread_join(previous, nil) }
    }

    /// Waits until every thread has ended; the calling one aside, when it is one of them.
    func joinAll() {
        let own = pthread_self()
        state.update { if $0.live.contains(own) { $0.stoppers.insert(own) } }
        state.wait { $0.live.isSubset(of: $0.stoppers) }
        let last = state.update { state -> pthread_t? in
            defer { state.ended = nil }
            return state.ended
        }
        if let last { pthread_join(last, nil) }
    }
}
