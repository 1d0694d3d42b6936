internal import CLupineLinux
internal import Glibc

/// Threads for what blocks: Swift's and Dispatch's own are few, and others wait for them.
enum PlainThread {
    private final class Start {
        let name: String
        let body: @Sendable () -> Void
        init(_ name: String, _ body: @escaping @Sendable () -> Void) { (self.name, self.body) = (name, body) }
    }

    /// Runs `body` on a thread of its own, with all signals blocked: they are for the program's threads.
    ///
    /// - Parameter name: 15 bytes at most.
    /// - Returns: `false` when there can be no more threads.
    static func start(_ name: String, _ body: @escaping @Sendable () -> Void) -> Bool {
        var thread = pthread_t()
        // The thread takes the reference over; where there is none it is given back below.
        let start = Unmanaged.passRetained(Start(name, body))
        let result = pthread_create(
            &thread, nil,
            { argument in
                guard let argument else { return nil }
                let start = Unmanaged<Start>.fromOpaque(argument).takeRetainedValue()
                var signals = sigset_t()
                sigfillset(&signals)
                pthread_sigmask(SIG_SETMASK, &signals, nil)
                lupine_name_thread(start.name)
                start.body()
                return nil
            }, start.toOpaque())
        guard result == 0 else {
            start.release()
            return false
        }
        pthread_detach(thread)
        return true
    }
}
