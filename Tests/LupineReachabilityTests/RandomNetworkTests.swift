import Glibc
import LupineLock
import LupineTesting
import Testing

@testable import LupineReachability

/// Whatever is done to a network, what was put together from the kernel's news is what the kernel then lists.
@Suite(
    .enabled(if: NetworkNamespace.obstacle == nil, "\(NetworkNamespace.obstacle ?? "")"), .timeLimit(.minutes(2)))
struct RandomNetworkTests {
    /// More of them where LUPINE_NIGHTLY is set.
    @Test(arguments: UInt64(1)...(getenv("LUPINE_NIGHTLY") == nil ? 8 : 150))
    func newsAndListsAgree(seed: UInt64) async throws {
        let namespace = try Namespace(
            """
            link add q0 type veth peer name q1
            link set q0 addrgenmode none
            link set q1 addrgenmode none
            """)
        let latest = Lock<NetworkState?>(nil)
        let added = try #require(namespace.monitor.add { snapshot in latest.withLock { $0 = snapshot.state } })
        var generator = Seeded(state: seed)
        for round in 0..<20 {
            let commands = (0..<10).map { _ in Self.command(&generator) }
            // Many cannot be done as things stand.
            try namespace.network.ip(commands.joined(separator: "\n"), isForced: true)
            try await namespace.settled()
            // News of a cable come up to a second after it, so what was listed may be ahead of what is known, and behind.
            var known: NetworkState?, listed: NetworkState?
            for _ in 0..<5 where listed == nil || known != listed {
                if listed != nil { try await Silence.lasting(seconds: 1) }
                listed = try namespace.network.run {
                    var source = try NetworkSource(medium: LinkMedium(root: "/nowhere"))
                    try source.update()
                    return source.state
                }
                try await namespace.settled()
                // That the mark is gone may not have been told yet.
                known = latest.withLock { $0 }?.withoutMarks
            }
            let steps = "seed \(seed) round \(round): \(commands.joined(separator: "; "))"
            guard known == listed else {
                #expect(known?.links == listed?.links, "\(steps)")
                #expect(known?.addresses == listed?.addresses, "\(steps)")
                #expect(known?.routes.subtracting(listed?.routes ?? []) == [], "too many: \(steps)")
                #expect(listed?.routes.subtracting(known?.routes ?? []) == [], "too few: \(steps)")
                return
            }
        }
        print("seed \(seed): \(namespace.monitor.counts)")
        namespace.monitor.remove(added.id)
    }

    private static func command(_ generator: inout Seeded) -> String {
        func pick(_ choices: String...) -> String { choices.randomElement(using: &generator) ?? "" }
        let link = pick("p0", "q0"), host = pick("1", "2", "3")
        let metric = pick("", " metric 50", " metric 60")
        let verb = pick("add", "del", "replace", "append", "change")
        // An IPv4 row may be appended twice, word for word, and is one here: nobody has a use for that.
        let once = verb == "append" ? "add" : verb
        switch Int.random(in: 0..<10, using: &generator) {
        case 0, 1: return "link set \(pick("p0", "q0", "p1", "q1", "lo")) \(pick("up", "up", "down"))"
        case 2: return "addr \(pick("add", "add", "del")) 10.\(link == "p0" ? 0 : 1).0.\(host)/24 dev \(link)"
        case 3:
            return "addr \(pick("add", "add", "del")) 2001:db8:\(link == "p0" ? 0 : 1)::\(host)/64 dev \(link) nodad"
        case 4: return "route \(once) default via 10.\(pick("0", "1")).0.\(host)\(metric)"
        case 5: return "route \(verb) ::/0 via 2001:db8:\(pick("0", "1"))::\(host)\(metric)"
        case 6:
            return
                "route \(once) 10.7.0.0/16\(metric) nexthop via 10.0.0.\(host) dev p0 nexthop via 10.1.0.\(host) dev q0"
        case 7:
            return
                "route \(verb) 2001:db8:7::/48\(metric) nexthop via 2001:db8::\(host) nexthop via 2001:db8:1::\(host)"
        case 8:
            return
                "route \(once) \(pick("unreachable", "blackhole", "unicast")) 10.8.0.0/16 dev \(link) table \(pick("main", "77"))"
        default: return "route \(once) 10.9.0.0/16 dev \(link) src 10.\(link == "p0" ? 0 : 1).0.\(host)\(metric)"
        }
    }
}

/// SplitMix64: the same numbers for the same seed.
private struct Seeded: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var word = state
        word = (word ^ (word >> 30)) &* 0xBF58_476D_1CE4_E5B9
        word = (word ^ (word >> 27)) &* 0x94D0_49BB_1331_11EB
        return word ^ (word >> 31)
    }
}

extension NetworkState {
    fileprivate var withoutMarks: NetworkState {
        var state = self
        state.routes = routes.filter { $0.table != Namespace.tableOfMarks }
        return state
    }
}
