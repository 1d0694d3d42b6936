/// What a manager does when the network has changed, a lookup has ended, or somebody starts and stops: a value, without
/// clock, socket or lock.
struct ReachabilityMachine {
    enum Action: Equatable {
        /// The status is another than was told last.
        case report(NetworkReachabilityStatus)
        /// Look the name up. There is never more than one lookup at a time.
        case lookUp(String)
        /// Say `retry` with this number after so many seconds.
        case retry(UInt64, seconds: Int)
    }

    /// Seconds after which a name is asked for again where nobody could be asked although the network is there: the address of a
    /// name server is often known a moment later than the route. After these the next change is waited for.
    static let retries = [1, 2, 4, 8, 16]

    let target: ReachabilityTarget
    /// Keeps its last value while nothing is monitored.
    private(set) var status = NetworkReachabilityStatus.unknown
    private(set) var isRunning = false

    /// What was told since the start.
    private var told: NetworkReachabilityStatus?
    private var network: NetworkSnapshot?

    private var lookup: HostLookup?
    private var isLookingUp = false
    /// The network has changed since the lookup began.
    private var isLookupOld = false
    private var failures = 0
    /// Which retry is awaited, so that one of an earlier time is told from it.
    private var retry: UInt64 = 0

    init(target: ReachabilityTarget) { self.target = target }

    /// Begins, or begins anew: whatever the status is, it will be told.
    mutating func start() {
        told = nil
        guard !isRunning else { return }
        isRunning = true
        network = nil
        lookup = nil
        failures = 0
    }

    mutating func stop() {
        isRunning = false
        retry += 1
    }

    /// What is known already is told to somebody new.
    mutating func tellAgain() -> [Action] { isRunning ? report() : [] }

    mutating func networkChanged(_ snapshot: NetworkSnapshot) -> [Action] {
        // A thread may come late with what it read earlier.
        guard isRunning, snapshot.version > network?.version ?? 0 else { return [] }
        network = snapshot
        failures = 0
        retry += 1
        return lookUp() + report()
    }

    mutating func lookedUp(_ result: HostLookup) -> [Action] {
        isLookingUp = false
        guard isRunning else { return [] }
        if isLookupOld {
            // What failed before the change may not fail after it.
            if case .found = result { lookup = result }
            return lookUp() + report()
        }
        lookup = result
        var actions = report()
        if result == .failedForNow, failures < Self.retries.count,
            network?.state?.defaultRouteStatus.isReachable == true
        {
            retry += 1
            actions.append(.retry(retry, seconds: Self.retries[failures]))
            failures += 1
        }
        return actions
    }

    mutating func retry(_ number: UInt64) -> [Action] {
        guard isRunning, number == retry else { return [] }
        retry += 1
        return lookUp()
    }

    private mutating func lookUp() -> [Action] {
        guard case .host(let name) = target, network?.state != nil else { return [] }
        isLookupOld = isLookingUp
        guard !isLookingUp else { return [] }
        isLookingUp = true
        return [.lookUp(name)]
    }

    private mutating func report() -> [Action] {
        guard let current else { return [] }
        status = current
        guard current != told else { return [] }
        told = current
        return [.report(current)]
    }

    /// `nil`: not known yet.
    private var current: NetworkReachabilityStatus? {
        guard let network else { return nil }
        guard let network = network.state else { return .unknown }
        switch target {
        case .defaultRoute: return network.defaultRouteStatus
        case .address(let address): return network.status(for: [address])
        case .host:
            switch lookup {
            case nil: return nil
            case .found(let addresses): return network.status(for: addresses)
            case .unknownName, .failedForNow: return .notReachable
            }
        }
    }
}
