import LupineLock

@testable import LupineReachability

extension Link {
    /// IFF_UP 1, IFF_LOOPBACK 8, IFF_POINTOPOINT 16, IFF_RUNNING 64.
    static func up(
        _ index: UInt32, _ name: String = "eth0", kind: String = "", master: UInt32 = 0, lower: UInt32 = 0,
        flags: UInt32 = 0x41, medium: NetworkReachabilityStatus.ConnectionType? = nil
    ) -> Link {
        Link(
            index: index, name: name, flags: flags, hardware: 1, kind: kind, master: master, lower: lower,
            medium: medium)
    }

    /// Off, or on without a cable.
    func with(flags: UInt32) -> Link {
        var link = self
        link.flags = flags
        return link
    }
}

extension Route {
    static func to(
        _ prefix: IPPrefix, over link: UInt32..., kind: Kind = .unicast, metric: UInt32 = 0, table: UInt32 = 254,
        from source: IPAddress? = nil
    ) -> Route {
        Route(
            kind: kind, prefix: prefix, table: kind == .local ? 255 : table, metric: metric, preferredSource: source,
            hops: link.map { Hop(link: $0) })
    }
}

extension NetworkState {
    /// A loopback that is on, a link with an address, and a default route.
    static let ordinary = NetworkState.loopback.with(
        [.up(2)], ["10.0.0.2": 2],
        [
            .to("10.0.0.2/32", over: 2, kind: .local), .to("10.0.0.0/24", over: 2, from: "10.0.0.2"),
            .to("0.0.0.0/0", over: 2),
        ])

    static let loopback = NetworkState().with(
        [.up(1, "lo", flags: 0x49)], ["127.0.0.1": 1, "::1": 1],
        [.to("127.0.0.0/8", over: 1, kind: .local), .to("::1/128", over: 1, kind: .local)])

    func with(_ links: [Link] = [], _ addresses: [IPAddress: UInt32] = [:], _ routes: [Route] = []) -> NetworkState {
        var state = self
        for link in links { state.links[link.index] = link }
        for (address, link) in addresses {
            state.addresses.insert(InterfaceAddress(link: link, address: address, prefixLength: address.prefixLength))
        }
        state.routes.formUnion(routes)
        return state
    }

    func after(_ changes: NetworkChange...) -> NetworkState {
        var state = self
        for change in changes { _ = state.apply(change) }
        return state
    }
}

extension IPAddress {
    fileprivate var prefixLength: Int { isLoopback ? (family == .ipv4 ? 8 : 128) : family == .ipv4 ? 24 : 64 }
}

/// A network that a test changes by hand.
final class ScriptedNews: NetworkNews {
    private struct State {
        var observers: [UInt64: @Sendable (NetworkSnapshot) -> Void] = [:]
        var nextID: UInt64 = 1
        var snapshot: NetworkSnapshot?
        var isDead = false
    }
    private let state: Lock<State>

    init(_ known: NetworkState? = nil, isDead: Bool = false) {
        state = Lock(State(snapshot: known.map { NetworkSnapshot(version: 1, state: $0) }, isDead: isDead))
    }

    var observers: Int { state.withLock(\.observers.count) }

    func add(_ observer: @escaping @Sendable (NetworkSnapshot) -> Void) -> (id: UInt64, known: NetworkSnapshot?)? {
        state.withLock { state in
            guard !state.isDead else { return nil }
            defer { state.nextID += 1 }
            state.observers[state.nextID] = observer
            return (state.nextID, state.snapshot)
        }
    }

    func remove(_ id: UInt64) { state.withLock { $0.observers[id] = nil } }

    func say(_ network: NetworkState?) {
        let (snapshot, observers) = state.withLock { state in
            let snapshot = NetworkSnapshot(version: (state.snapshot?.version ?? 0) + 1, state: network)
            state.snapshot = snapshot
            return (snapshot, Array(state.observers.values))
        }
        for observer in observers { observer(snapshot) }
    }
}
