public import Dispatch
internal import LupineLock

/// Tells whether, and over what, the network can be reached, and each change of that.
///
/// ```swift
/// for await status in NetworkReachabilityManager.shared.statuses {
///     print(status)                              // at once, then at each change
/// }
/// ```
///
/// The kernel tells what happens to links, addresses and routes (rtnetlink); nothing is polled, and while nothing changes nothing
/// runs. What is told is what this machine can know by itself: that a way leads there, not that somebody answers. A default
/// route counts when its link is on and carries packets, and when there is an address to send from that is good beyond the link.
///
/// All managers of a process share one thread, which listens in the network namespace of the thread that started the first of
/// them, and ends when the last of them stops.
public final class NetworkReachabilityManager: Sendable {
    /// For the default route, for all of the program. Not started.
    public static let shared = NetworkReachabilityManager()

    let state: Lock<State>
    let environment: Environment
    /// Keeps what streams are told in order, beside the lock.
    let delivery = DispatchQueue(label: "lupine.reachability")

    /// What a manager asks of the world; a test has its own.
    struct Environment: Sendable {
        var news: any NetworkNews = NetworkMonitor.shared
        var resolve: @Sendable (String) -> HostLookup = HostLookup.of
        /// Calls a closure in so many seconds.
        var after: @Sendable (Int, @escaping @Sendable () -> Void) -> Void = { seconds, work in
            DispatchQueue.global(qos: .utility).asyncAfter(deadline: .now() + .seconds(seconds), execute: work)
        }
    }

    struct State {
        var machine: ReachabilityMachine
        /// Whose news are awaited.
        var registration: UInt64?
        /// Counts registrations, and starts: what was sent before the last of them is passed over.
        var run: UInt64 = 0
        var start: UInt64 = 0
        var callback: (queue: DispatchQueue, onUpdate: @Sendable (NetworkReachabilityStatus) -> Void)?
        var notifiers: [@Sendable (NetworkReachabilityManager, NetworkReachabilityStatus) -> Void] = []
        var isStarted = false
        var streams: [UInt64: AsyncStream<NetworkReachabilityStatus>.Continuation] = [:]
        var nextStream: UInt64 = 0
    }

    /// For the default route: whether this machine is connected to anything beyond itself. A loopback alone is not.
    public convenience init() { self.init(.defaultRoute) }

    /// For an address. One of this machine's own, such as `127.0.0.1`, is reachable without any network; that of all zeros stands for
    /// the default route.
    public convenience init(address: IPAddress) { self.init(address.isZero ? .defaultRoute : .address(address)) }

    /// For a host name, or an address as text.
    ///
    /// The name is looked up beside the caller, and again whenever the network has changed; of several addresses one that can
    /// be reached is enough. A name that cannot be looked up is not reachable. Where nobody could be asked although the network
    /// is there, it is asked again 1, 2, 4, 8 and 16 seconds later, then at the next change.
    public convenience init(host: String) {
        let address = IPAddress(host)
        self.init(address.map { $0.isZero ? .defaultRoute : .address($0) } ?? .host(host))
    }

    init(_ target: ReachabilityTarget, environment: Environment = Environment()) {
        state = Lock(State(machine: ReachabilityMachine(target: target)))
        self.environment = environment
    }

    deinit {
        if let registration = state.withLock(\.registration) { environment.news.remove(registration) }
    }

    /// The newest that is known, perhaps before it was told: `unknown` until monitoring has begun; after its end, the last.
    public var status: NetworkReachabilityStatus { state.withLock(\.machine.status) }
    public var isReachable: Bool { status.isReachable }
    public var isReachableOnCellular: Bool { status.isReachableOnCellular }
    public var isReachableOnEthernetOrWiFi: Bool { status.isReachableOnEthernetOrWiFi }

    /// Whether changes are being watched, for a closure or for somebody who reads ``statuses``.
    public var isMonitoring: Bool { state.withLock(\.machine.isRunning) }

    /// Tells `onUpdate` the present status as soon as it is known, then each change, and never the same twice in a row.
    ///
    /// Begins anew when it is under way; the former closure is then called no more. Does not wait: not for the kernel, not for a
    /// resolver.
    ///
    /// - Parameters:
    ///   - queue: where `onUpdate` runs, and nowhere else; the main queue by default. A concurrent one keeps no order.
    ///   - onUpdate: no lock is held while it runs, so it may start and stop this manager. It is not called after
    ///     ``stopMonitoring()`` has returned on the same serial queue; after a return elsewhere, a call that had begun may still run.
    /// - Returns: `false` when the kernel cannot be asked, because it gives no netlink socket; the status is then `unknown`.
    @discardableResult
    public func startMonitoring(
        queue: DispatchQueue = .main, onUpdate: @escaping @Sendable (NetworkReachabilityStatus) -> Void = { _ in }
    ) -> Bool {
        state.withLock { state in
            state.start += 1
            state.isStarted = true
            state.callback = (queue, onUpdate)
            state.machine.start()
            if register(&state) {
                let actions = state.machine.tellAgain()
                perform(actions, &state)
                return true
            }
            state.isStarted = false
            state.callback = nil
            return false
        }
    }

    /// Ends the watching, also for those who read ``statuses``. The status keeps its last value. Stopping twice is harmless.
    public func stopMonitoring() {
        state.withLock { state in
            state.start += 1
            state.isStarted = false
            state.callback = nil
            let ended = state.streams.values
            state.streams = [:]
            delivery.async { for stream in ended { stream.finish() } }
            unregister(&state)
        }
    }

    /// Has `notifier` told after the closure of ``startMonitoring(queue:onUpdate:)``, on its queue.
    package func addNotifier(
        _ notifier: @escaping @Sendable (NetworkReachabilityManager, NetworkReachabilityStatus) -> Void
    ) {
        state.withLock { $0.notifiers.append(notifier) }
    }
}
