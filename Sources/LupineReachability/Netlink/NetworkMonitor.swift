internal import CLupineLinux
internal import Glibc
internal import LupineLock

/// What is known of the network at one time; a higher version is newer.
struct NetworkSnapshot: Sendable {
    let version: UInt64
    /// `nil`: the kernel can be asked no more.
    let state: NetworkState?
}

/// Who tells what is known of the network.
protocol NetworkNews: Sendable {
    /// Calls `observer` with each change from now on.
    ///
    /// - Returns: what ``remove(_:)`` takes, and what is known already; `nil` when the kernel cannot be asked.
    func add(_ observer: @escaping @Sendable (NetworkSnapshot) -> Void) -> (id: UInt64, known: NetworkSnapshot?)?
    /// Calls an observer no more, but for a call that is under way.
    func remove(_ id: UInt64)
}

/// One thread that listens to the kernel for all who want to know. It runs while somebody does, and sleeps until there is news.
package final class NetworkMonitor: NetworkNews {
    typealias Observer = @Sendable (NetworkSnapshot) -> Void

    /// The process's own, in the network namespace of whoever starts the first manager.
    package static let shared = NetworkMonitor { try NetworkSource() }

    /// What a test counts.
    package struct Counts: Equatable, Sendable {
        /// How often the thread woke up.
        package var wakeUps = 0
        /// How often the kernel was asked for everything.
        package var dumps = 0
        /// Threads that listen.
        package var threads = 0
    }

    private struct State {
        var observers: [UInt64: Observer] = [:]
        var nextID: UInt64 = 1
        var version: UInt64 = 0
        /// Of the present listener; absent until it has asked the kernel.
        var snapshot: NetworkSnapshot?
        var listener: Listener?
        var counts = Counts()
    }

    private let state = Lock(State())
    private let open: @Sendable () throws -> NetworkSource

    /// - Parameter open: opens the sockets; called when somebody comes to listen to whom nobody listens yet.
    init(open: @escaping @Sendable () throws -> NetworkSource) { self.open = open }

    package var counts: Counts { state.withLock(\.counts) }

    /// Observers are called on the monitor's thread.
    func add(_ observer: @escaping Observer) -> (id: UInt64, known: NetworkSnapshot?)? {
        state.withLock { state in
            if state.listener == nil {
                guard let source = try? open(), let listener = Listener(for: self, source: source) else { return nil }
                state.listener = listener
                state.snapshot = nil
            }
            let id = state.nextID
            state.nextID += 1
            state.observers[id] = observer
            return (id, state.snapshot)
        }
    }

    /// Without observers the thread ends.
    func remove(_ id: UInt64) {
        let unused = state.withLock { state -> Listener? in
            state.observers[id] = nil
            guard state.observers.isEmpty else { return nil }
            defer { state.listener = nil }
            return state.listener
        }
        unused?.stop()
    }

    fileprivate func publish(_ network: NetworkState?, from listener: Listener) {
        let (snapshot, observers) = state.withLock { state -> (NetworkSnapshot, [Observer]) in
            state.version += 1
            let snapshot = NetworkSnapshot(version: state.version, state: network)
            guard state.listener === listener else { return (snapshot, []) }
            state.snapshot = snapshot
            return (snapshot, state.observers.sorted { $0.key < $1.key }.map(\.value))
        }
        for observer in observers { observer(snapshot) }
    }

    fileprivate func count(_ change: (inout Counts) -> Void) { state.withLock { change(&$0.counts) } }
}

/// The thread's side: a source, and a descriptor that wakes it to end.
private final class Listener: Sendable {
    private let wake = lupine_eventfd_create()

    /// Starts the thread. `nil`: there can be no thread, or no descriptor.
    init?(for monitor: NetworkMonitor, source: NetworkSource) {
        guard wake >= 0 else { return nil }
        let started = PlainThread.start("lupine-network") { [self] in run(monitor, source) }
        guard started else { return nil }
    }

    // After the thread, which holds a reference: a number written to after that could be another file's.
    deinit { if wake >= 0 { close(wake) } }

    func stop() {
        var one: UInt64 = 1
        _ = write(wake, &one, 8)
    }

    private func run(_ monitor: NetworkMonitor, _ opened: NetworkSource) {
        monitor.count { $0.threads += 1 }
        defer { monitor.count { $0.threads -= 1 } }
        var source = opened
        var told: NetworkState?
        while true {
            do {
                try source.update()
            } catch {
                // Nobody is told what may be wrong. The thread waits to be ended.
                monitor.publish(nil, from: self)
                waitForEnd()
                return
            }
            monitor.count { [dumps = source.dumps] in $0.dumps = dumps }
            if source.state != told {
                told = source.state
                monitor.publish(source.state, from: self)
            }
            var descriptors = [
                pollfd(fd: source.descriptor, events: Int16(POLLIN), revents: 0),
                pollfd(fd: wake, events: Int16(POLLIN), revents: 0),
            ]
            while poll(&descriptors, 2, -1) < 0, errno == EINTR {}
            monitor.count { $0.wakeUps += 1 }
            if descriptors[1].revents != 0 { return }
        }
    }

    private func waitForEnd() {
        var descriptor = pollfd(fd: wake, events: Int16(POLLIN), revents: 0)
        while poll(&descriptor, 1, -1) < 0, errno == EINTR {}
    }
}
