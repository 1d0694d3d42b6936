import Testing

@testable import LupineReachability

/// What a state of the network means for a target.
@Suite struct NetworkStatusTests {
    private typealias Status = NetworkReachabilityStatus

    @Test func nothingAndTheLoopbackAlone() {
        #expect(NetworkState().defaultRouteStatus == .notReachable)
        #expect(NetworkState.loopback.defaultRouteStatus == .notReachable)
        #expect(NetworkState.loopback.status(for: "10.0.0.1") == .notReachable)
        for address in ["127.0.0.1", "127.8.8.8", "::1"] as [IPAddress] {
            #expect(NetworkState.loopback.status(for: address) == .reachable(.ethernet))
            #expect(NetworkState().status(for: address) == .notReachable)
            // A default route does not lead to it.
            let without = NetworkState.ordinary.after(.linkGone(1))
            #expect(without.status(for: address) == .notReachable)
        }
    }

    @Test(
        arguments: [
            ("10.0.0.2", true), ("10.0.0.9", true), ("8.8.8.8", true), ("2001:db8::1", false), ("0.0.0.0", true),
            ("::", true),
        ] as [(IPAddress, Bool)])
    func anOrdinaryNetwork(address: IPAddress, isReachable: Bool) {
        #expect(NetworkState.ordinary.status(for: address) == (isReachable ? .reachable(.ethernet) : .notReachable))
    }

    @Test func whatADefaultRouteNeeds() {
        let bare = NetworkState.loopback.with([.up(2)], [:], [.to("0.0.0.0/0", over: 2), .to("::/0", over: 2)])
        #expect(bare.defaultRouteStatus == .notReachable, "an address to send from")
        for address in ["169.254.3.3", "fe80::1"] as [IPAddress] {
            #expect(bare.with([], [address: 2]).defaultRouteStatus == .notReachable, "one that is good beyond the link")
        }
        for address in ["10.0.0.2", "2001:db8::2", "fd00::2"] as [IPAddress] {
            let whole = bare.with([], [address: 2])
            #expect(whole.defaultRouteStatus.isReachable)
            for flags in [UInt32(0), 1, 0x40] {
                #expect(whole.with([Link.up(2).with(flags: flags)]).defaultRouteStatus == .notReachable, "a link")
            }
        }
        // The address may be another link's, as where links are not numbered.
        #expect(bare.with([.up(3, "dummy0")], ["10.0.0.2": 3]).defaultRouteStatus.isReachable)
        #expect(bare.with([], ["10.0.0.2": 7]).defaultRouteStatus == .notReachable, "of a link that is there")
        let looping = NetworkState.loopback.with([.up(2)], ["10.0.0.2": 2], [.to("0.0.0.0/0", over: 1)])
        #expect(looping.defaultRouteStatus == .notReachable)
    }

    @Test func linkLocalAddresses() {
        let state = NetworkState.loopback.with(
            [.up(2), .up(3, "eth1")], ["fe80::2": 2],
            [.to("fe80::/64", over: 2), .to("fe80::/64", over: 3, metric: 256)])
        #expect(state.status(for: "fe80::9").isReachable)
        #expect(state.status(for: "fe80::9%2").isReachable)
        #expect(state.status(for: "fe80::9%3") == .notReachable)
        #expect(state.status(for: "2001:db8::1") == .notReachable)
    }

    @Test func theLongestPrefixDecides() {
        let state = NetworkState.ordinary.with(
            [.up(3, "wlan0", medium: .wifi), .up(4, "eth2", flags: 1)], ["192.168.0.2": 3],
            [
                .to("10.7.0.0/16", over: 3), .to("10.7.7.0/24", kind: .refused), .to("10.7.7.7/32", over: 3, metric: 9),
                .to("10.7.7.7/32", kind: .refused, metric: 10), .to("172.16.0.0/12", over: 4),
                .to("172.20.0.0/16", over: 4), .to("172.20.0.0/16", over: 3, metric: 600),
            ])
        #expect(state.status(for: "10.7.0.1") == .reachable(.wifi))
        #expect(state.status(for: "10.7.7.1") == .notReachable)
        #expect(state.status(for: "10.7.7.7") == .reachable(.wifi), "the lower metric goes before")
        #expect(state.status(for: "172.16.0.1") == .notReachable, "the kernel does not fall back to a shorter one")
        #expect(state.status(for: "172.20.0.1") == .reachable(.wifi), "of two ways the one that works")
        #expect(state.status(for: ["10.7.7.1", "10.7.0.1"]) == .reachable(.wifi))
        #expect(state.status(for: ["10.7.7.1"]) == .notReachable && state.status(for: []) == .notReachable)
    }

    /// IPv6 has such a row of the kernel's in every namespace.
    @Test func aRefusingDefaultRouteIsNone() {
        let refused = NetworkState.loopback.with(
            [.up(2)], ["2001:db8::2": 2], [.to("::/0", over: 1, kind: .refused, metric: .max)])
        #expect(refused.defaultRouteStatus == .notReachable)
        #expect(refused.with([], [:], [.to("::/0", over: 2, metric: 1024)]).status(for: "2001:db8:7::1").isReachable)
    }

    @Test func whatIsRefusedBeforeADefaultRoute() {
        func status(metric: UInt32, table: UInt32 = 254) -> Status {
            let refusing = Route.to("0.0.0.0/0", kind: .refused, metric: metric, table: table)
            let state = NetworkState.loopback.with(
                [.up(2)], ["10.0.0.2": 2], [.to("0.0.0.0/0", over: 2, metric: 100), refusing])
            #expect(state.status(for: "8.8.8.8") == state.defaultRouteStatus)
            return state.defaultRouteStatus
        }
        #expect(status(metric: 50) == .notReachable && status(metric: 150) == .reachable(.ethernet))
        #expect(status(metric: 50, table: 1000) == .reachable(.ethernet), "for whom a rule leads there")
    }

    @Test func theBestDefaultRouteSaysOverWhat() {
        let wifi = Link.up(3, "wlan0", medium: .wifi), modem = Link.up(4, "wwan0", medium: .cellular)
        let state = NetworkState.ordinary.with(
            [wifi, modem], ["10.1.0.2": 3, "10.2.0.2": 4, "2001:db8::2": 4],
            [.to("0.0.0.0/0", over: 3, metric: 600), .to("0.0.0.0/0", over: 4, metric: 700), .to("::/0", over: 4)])
        #expect(state.defaultRouteStatus == .reachable(.ethernet))
        let unplugged = state.after(.linkFlags(2, 1))
        #expect(unplugged.defaultRouteStatus == .reachable(.wifi))
        #expect(unplugged.after(.linkGone(3)).defaultRouteStatus == .reachable(.cellular))
        let sixOnly = unplugged.after(.linkGone(3), .routesGone([.to("0.0.0.0/0", over: 4, metric: 700)]))
        #expect(sixOnly.defaultRouteStatus == .reachable(.cellular))
    }

    @Test func routesOfAVRFAreForWhoBindsToIt() {
        let vrf = NetworkState.loopback.with(
            [.up(2, master: 5), .up(5, "red", kind: "vrf")], ["10.0.0.2": 2], [.to("0.0.0.0/0", over: 2, table: 10)])
        #expect(vrf.defaultRouteStatus == .notReachable && vrf.status(for: "8.8.8.8") == .notReachable)
        #expect(vrf.with([.up(2)]).defaultRouteStatus.isReachable, "other tables count")
    }

    @Test func linksOnLinks() {
        func type(_ links: Link...) -> Status.ConnectionType { NetworkState().with(links).connectionType(of: 9) }
        let wifi = Link.up(2, "wlan0", medium: .wifi), modem = Link.up(3, "wwan0", medium: .cellular)
        #expect(type() == .ethernet)
        #expect(type(.up(9)) == .ethernet)
        #expect(type(.up(9, lower: 2), wifi) == .wifi)
        #expect(type(.up(9, lower: 8), .up(8, lower: 3), modem) == .cellular)
        #expect(type(.up(9, lower: 8), .up(8, lower: 9)) == .ethernet, "no end")
        #expect(type(.up(9, kind: "bond"), .up(3, master: 9, medium: .cellular)) == .cellular)
        #expect(
            type(.up(9, kind: "bond"), .up(3, master: 9, medium: .cellular), .up(2, master: 9, medium: .wifi)) == .wifi)
        #expect(
            type(.up(9, kind: "bond"), .up(2, master: 9, flags: 1, medium: .wifi)) == .ethernet, "a member that is off")
        #expect(type(.up(9, kind: "bridge"), .up(2, master: 9), .up(3, master: 9, medium: .wifi)) == .ethernet)
    }

    /// What a tunnel carries leaves over another link.
    @Test func tunnelsAreWhatCarriesThem() {
        let modem = NetworkState.loopback.with(
            [.up(2, "wwan0", medium: .cellular)], ["10.0.0.2": 2], [.to("0.0.0.0/0", over: 2, metric: 700)])
        for tunnel in [Link.up(3, "wg0", kind: "wireguard"), Link.up(3, "tun0", flags: 0x51)] {
            let within = modem.with([tunnel], ["10.8.0.2": 3], [.to("0.0.0.0/0", over: 3)])
            #expect(within.defaultRouteStatus == .reachable(.cellular))
            #expect(within.after(.linkGone(2)).defaultRouteStatus == .reachable(.ethernet))
        }
    }

    @Test func statusesInWords() {
        let words: [(Status, String, String)] = [
            (.unknown, "unknown", "Unknown"), (.notReachable, "not reachable", "Not Reachable"),
            (.reachable(.ethernet), "reachable via ethernet", "Reachable via Ethernet"),
            (.reachable(.wifi), "reachable via wifi", "Reachable via WiFi"),
            (.reachable(.cellular), "reachable via cellular", "Reachable via WWAN"),
        ]
        for (status, plain, localized) in words {
            #expect("\(status)" == plain && status.localizedDescription == localized)
            #expect(status.isReachable == plain.hasPrefix("reachable"))
            #expect(status.isReachableOnCellular == plain.hasSuffix("cellular"))
            #expect(status.isReachableOnEthernetOrWiFi == (status.isReachable && !status.isReachableOnCellular))
        }
    }
}
