import LupineLock
import LupineTesting

@testable import LupineReachability

/// A network of its own with what listens to it.
struct Namespace {
    let network: NetworkNamespace
    let monitor: NetworkMonitor

    /// - Parameters:
    ///   - setup: for `ip`, a line each. The loopback is on, and `p0` is a link whose other end is `p1`.
    ///   - receiveBuffer: of the listening socket, in bytes; the system's where absent.
    init(_ setup: String = "", receiveBuffer: Int32? = nil, medium: LinkMedium = LinkMedium(root: "/nowhere")) throws {
        let network = try NetworkNamespace()
        try network.ip(
            """
            link set lo up
            link add p0 type veth peer name p1
            link set p0 addrgenmode none
            link set p1 addrgenmode none
            """)
        if !setup.isEmpty { try network.ip(setup) }
        self.network = network
        monitor = NetworkMonitor {
            try network.run { try NetworkSource(medium: medium, receiveBuffer: receiveBuffer) }
        }
    }

    /// Both ends on, an address and a default route.
    static let ready = """
        link set p1 up
        link set p0 up
        addr add 10.0.0.2/24 dev p0
        route add default via 10.0.0.1 dev p0
        """

    func ip(_ commands: String) throws { try network.ip(commands) }

    func manager(
        _ target: ReachabilityTarget = .defaultRoute,
        resolve: @escaping @Sendable (String) -> HostLookup = HostLookup.of
    )
        -> NetworkReachabilityManager
    { NetworkReachabilityManager(target, environment: .init(news: monitor, resolve: resolve)) }

    private static let marks = Lock(UInt32(0))
    /// Nobody else's.
    static let tableOfMarks: UInt32 = 7777

    /// Returns when the monitor has taken in all that the kernel said so far, and told it: this change comes last of all.
    func settled() async throws {
        let seen = Gate()
        // Another each time: one that goes and comes again between two looks is no change.
        let number = Self.marks.withLock { number in
            number += 1
            return number
        }
        let marks = Route(kind: .refused, prefix: "192.0.2.77/32", table: Self.tableOfMarks, metric: number)
        let added = monitor.add { snapshot in
            if snapshot.state?.routes.contains(marks) == true { seen.open() }
        }
        try ip("route add unreachable 192.0.2.77/32 table \(Self.tableOfMarks) metric \(number)")
        try await seen.opened()
        if let added { monitor.remove(added.id) }
        try ip("route del unreachable 192.0.2.77/32 table \(Self.tableOfMarks) metric \(number)")
    }
}
