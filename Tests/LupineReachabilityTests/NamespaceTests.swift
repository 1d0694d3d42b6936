import Dispatch
import Glibc
import LupineTesting
import Testing

@testable import LupineReachability

/// What happens in real networks is told, once.
@Suite(
    .enabled(if: NetworkNamespace.obstacle == nil, "\(NetworkNamespace.obstacle ?? "")"), .timeLimit(.minutes(2)))
struct NamespaceTests {
    typealias Status = NetworkReachabilityStatus

    /// What is done, a line of `ip` each, and what is then told; the first without doing anything.
    struct Scene: Sendable, CustomTestStringConvertible {
        let testDescription: String
        var setup = ""
        var target = ReachabilityTarget.defaultRoute
        let first: Status
        let steps: [(commands: String, told: Status?)]
    }

    static let wired = Status.reachable(.ethernet)

    static let scenes = [
        Scene(
            testDescription: "link down and up", setup: Namespace.ready, first: wired,
            steps: [
                ("link set p0 down", .notReachable), ("link set p0 up", nil),
                ("route add default via 10.0.0.1 dev p0", wired),
            ]),
        Scene(
            testDescription: "cable out and in", setup: Namespace.ready, first: wired,
            steps: [("link set p1 down", .notReachable), ("link set p1 up", wired)]),
        Scene(
            testDescription: "default route added and removed",
            setup: "link set p1 up\nlink set p0 up\naddr add 10.0.0.2/24 dev p0", first: .notReachable,
            steps: [
                ("route add default via 10.0.0.1", wired), ("route del default", .notReachable),
                ("route add default via 10.0.0.1 metric 50", wired), ("route add default via 10.0.0.9 metric 60", nil),
                ("route del default metric 50", nil), ("route replace default via 10.0.0.7 metric 60", nil),
                ("route del default metric 60", .notReachable), ("route add unreachable default", nil),
            ]),
        Scene(
            testDescription: "IPv6 only", setup: "link set p1 up\nlink set p0 up", first: .notReachable,
            steps: [
                ("addr add 2001:db8::2/64 dev p0 nodad", nil), ("route add ::/0 via 2001:db8::1", wired),
                ("route replace ::/0 via 2001:db8::9", nil),
                ("route append ::/0 nexthop via 2001:db8::3 nexthop via 2001:db8::4", nil),
                ("route del ::/0 via 2001:db8::9", nil), ("route del ::/0 via 2001:db8::3", nil),
                ("route del ::/0 via 2001:db8::4", .notReachable),
                ("route add ::/0 via 2001:db8::1", wired), ("addr del 2001:db8::2/64 dev p0", .notReachable),
                ("addr add 2001:db8::5/64 dev p0 nodad", wired), ("link set p0 down", .notReachable),
            ]),
        Scene(
            testDescription: "address change", setup: Namespace.ready, first: wired,
            steps: [
                // The new one before the old one goes.
                ("addr add 10.9.0.2/24 dev p0", nil), ("addr del 10.0.0.2/24 dev p0", nil),
                // The last one takes the routes with it, of which the kernel says nothing.
                ("addr del 10.9.0.2/24 dev p0", .notReachable), ("addr add 10.0.0.3/24 dev p0", nil),
                ("route add default via 10.0.0.1", wired), ("addr add 10.0.0.4/24 dev p0", nil),
                ("route replace default via 10.0.0.1 src 10.0.0.4", nil),
                ("addr del 10.0.0.4/24 dev p0", .notReachable),
            ]),
        Scene(
            testDescription: "link removed", setup: Namespace.ready, first: wired,
            steps: [("link del p0", .notReachable), ("link set lo down", nil)]),
        Scene(
            testDescription: "route over two links",
            setup: Namespace.ready
                + "\nlink add q0 type veth peer name q1\nlink set q1 up\nlink set q0 up\naddr add 10.1.0.2/24 dev q0",
            first: wired,
            steps: [
                ("route replace default nexthop via 10.0.0.1 dev p0 nexthop via 10.1.0.1 dev q0", nil),
                ("link set p0 down", nil), ("link set q0 down", .notReachable), ("link set p0 up", nil),
            ]),
        Scene(
            testDescription: "nexthop objects",
            setup: Namespace.ready
                + "\nroute del default\nnexthop add id 7 via 10.0.0.1 dev p0\nroute add default nhid 7",
            first: wired, steps: [("nexthop del id 7", .notReachable)]),
        Scene(
            testDescription: "loopback host", target: .address("127.0.0.1"), first: wired,
            steps: [("link set lo down", .notReachable), ("link set lo up", wired), (Namespace.ready, nil)]),
        Scene(
            testDescription: "address behind a route", setup: Namespace.ready, target: .address("172.16.3.4"),
            first: wired,
            steps: [
                ("route add unreachable 172.16.0.0/12", .notReachable), ("route add 172.16.3.0/24 via 10.0.0.7", wired),
                ("route del default", nil), ("route del 172.16.3.0/24", .notReachable),
            ]),
        Scene(
            testDescription: "another table", setup: Namespace.ready + "\nroute del default", first: .notReachable,
            steps: [("route add default via 10.0.0.1 table 1000", wired), ("route flush table 1000", .notReachable)]),
    ]

    @Test(arguments: scenes)
    func changesAreToldOnce(scene: Scene) async throws {
        let namespace = try Namespace(scene.setup)
        let manager = namespace.manager(scene.target)
        let heard = manager.heard()
        var expected = [scene.first]
        try await heard.count(1)
        #expect(heard.all == expected)
        for (commands, told) in scene.steps {
            try namespace.ip(commands)
            if let told {
                expected.append(told)
                try await heard.count(expected.count)
            }
            try await namespace.settled()
            #expect(heard.settled == expected, "after \(commands)")
        }
        manager.stopMonitoring()
    }

    @Test func theNameIsLookedUpAgainAndNothingElseIsTold() async throws {
        let namespace = try Namespace(Namespace.ready)
        let manager = namespace.manager(.host("a.test")) { _ in .found(["10.0.0.9"]) }
        let heard = manager.heard()
        try await heard.count(1)
        try namespace.ip("link set p0 down")
        try await heard.count(2)
        try namespace.ip("link set p0 up")
        try await heard.count(3)
        #expect(heard.all == [Self.wired, .notReachable, Self.wired])
    }

    @Test func whatALinkIsComesFromTheKernelsFiles() async throws {
        let folder = try TemporaryDirectory()
        let namespace = try Namespace(Namespace.ready, medium: LinkMedium(root: folder.path))
        let index = try namespace.network.run { if_nametoindex("p0") }
        try #require(mkdir(folder.file("p0"), 0o700) == 0)
        _ = try folder.write(Array("DEVTYPE=wlan\nIFINDEX=\(index)\n".utf8), to: "p0/uevent")
        let manager = namespace.manager(), heard = manager.heard()
        try await heard.count(1)
        #expect(heard.all == [.reachable(.wifi)])
    }

    /// All managers share one thread, which ends with the last of them.
    @Test func oneThreadForAll() async throws {
        let namespace = try Namespace(Namespace.ready)
        let managers = (0..<20).map { _ in namespace.manager() }
        let heard = managers.map { $0.heard() }
        for one in heard { try await one.count(1) }
        #expect(namespace.monitor.counts.threads == 1 && namespace.monitor.counts.dumps == 1)
        for manager in managers.dropLast() { manager.stopMonitoring() }
        try namespace.ip("route del default")
        try await heard[19].count(2)
        #expect(heard.map(\.settled.count) == [Int](repeating: 1, count: 19) + [2])
        managers[19].stopMonitoring()
        await until { namespace.monitor.counts.threads == 0 }
        // And a new one begins where the network then is.
        managers[0].startMonitoring(queue: heard[0].queue) { heard[0].note($0) }
        try await heard[0].count(2)
        #expect(heard[0].all == [Self.wired, .notReachable])
    }
}
