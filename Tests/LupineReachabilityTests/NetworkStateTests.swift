import Testing

@testable import LupineReachability

/// How messages change what is known: also where the kernel keeps silent.
@Suite struct NetworkStateTests {
    private let plain = NetworkState.ordinary

    /// The kernel says nothing of the IPv4 routes that go with their link; that to the link's own address stays.
    @Test func aLinkThatIsSwitchedOffLosesItsRoutes() {
        let off = plain.after(.link(Link.up(2).with(flags: 0)))
        #expect(off.routes.subtracting(NetworkState.loopback.routes) == [.to("10.0.0.2/32", over: 2, kind: .local)])
        let onAgain = off.after(
            .link(.up(2)), .routes([.to("10.0.0.0/24", over: 2, from: "10.0.0.2")], isReplacing: false))
        #expect(onAgain.defaultRouteStatus == .notReachable)
        #expect(onAgain.after(.routes([.to("0.0.0.0/0", over: 2)], isReplacing: false)) == plain)
    }

    /// The list was made when the link was off by now; then come the news from before it.
    @Test func newsThatAreOlderThanTheListEndInWhatIsTrue() {
        let off = NetworkChange.link(Link.up(2).with(flags: 0))
        let listed = plain.after(off)
        let added = NetworkChange.routes([.to("0.0.0.0/0", over: 2, metric: 60)], isReplacing: false)
        #expect(listed.after(added, off) == listed)
        #expect(listed.after(added, .linkFlags(2, 0)) == listed)
    }

    @Test func aLinkWithoutItsCableKeepsThem() {
        let unplugged = plain.after(.link(Link.up(2).with(flags: 1)))
        #expect(unplugged.routes == plain.routes)
        #expect(unplugged.defaultRouteStatus == .notReachable)
        #expect(unplugged.after(.linkFlags(2, 0x41)) == plain)
    }

    @Test func aLinkThatGoesTakesAllWithIt() { #expect(plain.after(.linkGone(2)) == .loopback) }

    @Test func theLastAddressTakesTheRoutesWithIt() {
        let address = InterfaceAddress(link: 2, address: "10.0.0.2", prefixLength: 24)
        let second = InterfaceAddress(link: 2, address: "10.9.0.2", prefixLength: 16)
        #expect(plain.after(.addressGone(address)).routes == NetworkState.loopback.routes)
        let other = plain.after(.address(second), .addressGone(address))
        #expect(other.routes.contains(.to("0.0.0.0/0", over: 2)), "another address is left")
        #expect(!other.routes.contains { $0.preferredSource == "10.0.0.2" }, "but those from this one go")
    }

    @Test func anIPv6AddressTakesNone() {
        let six = InterfaceAddress(link: 2, address: "2001:db8::2", prefixLength: 64)
        #expect(plain.after(.address(six), .addressGone(six)) == plain)
    }

    /// The kernel keeps a route while one of its ways is good, and says nothing of the other.
    @Test func whetherARouteWithAnotherWayStaysIsAskedFor() {
        func isKnown(_ routes: [Route], _ change: NetworkChange) -> Bool {
            var state = plain.with([.up(3, "eth1")], ["10.1.0.2": 3], routes)
            return state.apply(change)
        }
        let off = NetworkChange.link(Link.up(2).with(flags: 0))
        let gone = NetworkChange.addressGone(InterfaceAddress(link: 2, address: "10.0.0.2", prefixLength: 24))
        let wide = Route.to("10.7.0.0/16", over: 2, 3)
        var one = Route.to("2001:db8:7::/48", over: 2), other = Route.to("2001:db8:7::/48", over: 3)
        one.hops = [Route.Hop(link: 2, gateway: "2001:db8::1")]
        other.hops = [Route.Hop(link: 3, gateway: "2001:db8:1::1")]
        for change in [off, gone, .linkGone(2)] {
            #expect(isKnown([], change) && isKnown([.to("10.7.0.0/16", over: 3)], change))
            #expect(!isKnown([wide], change))
        }
        #expect(isKnown([one], off) && isKnown([other], off) && !isKnown([one, other], off))
        #expect(isKnown([one, other], gone), "an IPv4 address takes no IPv6 routes")
        // Such as every link has.
        #expect(isKnown([.to("fe80::/64", over: 2, metric: 256), .to("fe80::/64", over: 3, metric: 256)], off))
    }

    @Test func replacing() {
        var state = plain
        func place(_ route: Route, isReplacing: Bool = true) -> Bool {
            state.apply(.routes([route], isReplacing: isReplacing))
        }
        let first = place(.to("0.0.0.0/0", over: 3))
        #expect(first && state.routes.filter { $0.prefix.length == 0 } == [.to("0.0.0.0/0", over: 3)])
        // Which of two rows in one place was replaced is not known.
        let second = place(.to("0.0.0.0/0", over: 2), isReplacing: false)
        let third = place(.to("0.0.0.0/0", over: 4))
        #expect(second && !third)
        // Another metric is another place.
        let fourth = place(.to("0.0.0.0/0", over: 4, metric: 9))
        #expect(fourth && state.routes.filter { $0.prefix.length == 0 }.count == 2)
    }

    @Test func whatIsDoubtfulIsSaid() {
        var state = plain
        let all = state.apply(.doubtful), unknownLink = state.apply(.linkFlags(9, 1))
        #expect(!all && !unknownLink && state == plain)
    }

    @Test func tellingTheSameTwiceChangesNothing() {
        let again = plain.after(
            .link(.up(2)), .address(InterfaceAddress(link: 2, address: "10.0.0.2", prefixLength: 24)),
            .routes([.to("0.0.0.0/0", over: 2)], isReplacing: false), .routesGone([.to("10.7.0.0/16", over: 2)]))
        #expect(again == plain)
    }

    @Test func anAddressIsCheckedBeforeItCounts() {
        let six = NetworkState.loopback.with([.up(2)], [:], [.to("::/0", over: 2)])
        let address = InterfaceAddress(link: 2, address: "2001:db8::2", prefixLength: 64)
        var checking = address
        checking.isUsable = false
        #expect(six.after(.address(checking)).defaultRouteStatus == .notReachable)
        #expect(six.after(.address(checking), .address(address)).defaultRouteStatus.isReachable)
        #expect(six.after(.address(address), .address(checking)).defaultRouteStatus == .notReachable)
    }
}
