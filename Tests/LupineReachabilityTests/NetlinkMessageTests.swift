import Testing

@testable import LupineReachability

/// What is read from the kernel's bytes, and that nothing else is read.
@Suite(.timeLimit(.minutes(1)))
struct NetlinkMessageTests {
    @Test func aDatagramOfSeveralMessages() {
        let datagram = Bytes.message(16, flags: 2, sequence: 7, [1, 2, 3]) + Bytes.message(3, sequence: 8, [])
        let (messages, isWhole) = NetlinkMessage.parse(datagram[...])
        #expect(isWhole)
        #expect(messages.map(\.type) == [16, 3])
        #expect(messages.map(\.flags) == [2, 0])
        #expect(messages.map(\.sequence) == [7, 8])
        #expect(messages.map { Array($0.payload) } == [[1, 2, 3], []])
    }

    @Test(arguments: [UInt32(0), 1, 15, 21, 24, 0x7FFF_FFFF, .max])
    func statedLengthsAreNotBelieved(length: UInt32) {
        let datagram = Bytes.message(16, []) + Bytes.message(17, [1, 2, 3, 4], length: length)
        let (messages, isWhole) = NetlinkMessage.parse(datagram.prefix(36))
        #expect(messages.count == 1 && !isWhole)
    }

    @Test(arguments: [UInt16(0), 3, 13, .max])
    func attributesOfWrongLengthsEndTheReading(length: UInt16) {
        let bytes = Bytes.attribute(1, 5) + Bytes.attribute(2, [1, 2, 3, 4, 5, 6, 7, 8], length: length)
        let attributes = NetlinkAttributes(bytes[...])
        #expect(attributes.number(1) == 5)
        #expect(attributes[2] == nil)
        #expect(attributes[70_000] == nil && attributes[-1] == nil)
    }

    @Test func valuesThatAreTooShortAreNone() {
        let attributes = NetlinkAttributes((Bytes.attribute(1, [1, 2]) + Bytes.attribute(0x8002, [9, 9, 9, 9]))[...])
        #expect(attributes.number(1) == nil)
        #expect(attributes.address(1) == nil)
        #expect(attributes.address(2) == "9.9.9.9", "the bit that says nested is no part of the type")
    }

    @Test func links() {
        let info = Bytes.attribute(18, Bytes.attribute(1, text: "vlan"))
        let read = Bytes.changes(
            Bytes.link(flags: 0x1_1043) + Bytes.link(index: 5, name: "eth0.5", more: info + Bytes.attribute(5, 2))
                + Bytes.link(index: 6, name: "p0", more: Bytes.attribute(10, 9)) + Bytes.link(17, index: 7))
        #expect(
            read == [
                .link(Link(index: 2, name: "eth0", flags: 0x41, hardware: 1)),
                .link(Link(index: 5, name: "eth0.5", flags: 0x41, hardware: 1, kind: "vlan", lower: 2)),
                .link(Link(index: 6, name: "p0", flags: 0x41, hardware: 1, master: 9)),
                .linkGone(7),
            ])
    }

    /// A veth names its other end, and with a namespace the number is one of that namespace.
    @Test func whatALinkDoesNotLieOn() {
        let info = Bytes.attribute(18, Bytes.attribute(1, text: "veth"))
        let elsewhere = Bytes.attribute(5, 3) + Bytes.attribute(37, 1)
        let read = Bytes.changes(Bytes.link(more: info + Bytes.attribute(5, 3)) + Bytes.link(index: 3, more: elsewhere))
        #expect(
            read == [
                .link(Link(index: 2, name: "eth0", flags: 0x41, hardware: 1, kind: "veth")),
                .link(Link(index: 3, name: "eth0", flags: 0x41, hardware: 1)),
            ])
    }

    /// A bridge says of a port that leaves it: gone, in the bridge's family (7). IPv6 tells of links in its own (10).
    @Test(arguments: [UInt8(7), 10])
    func aLinksNewsOfOtherFamiliesAreNotOfTheLink(family: UInt8) {
        #expect(Bytes.changes(Bytes.link(17, family: family) + Bytes.link(16, family: family)) == [])
    }

    @Test func aWirelessDriversNewsKeepTheRest() {
        #expect(
            Bytes.changes(Bytes.link(flags: 0x1003, more: Bytes.attribute(11, [1, 2, 3, 4]))) == [.linkFlags(2, 1)])
    }

    @Test func addresses() {
        let own = Bytes.attribute(2, Bytes.address("10.0.0.2")), other = Bytes.attribute(1, Bytes.address("10.0.0.1"))
        let six = Bytes.attribute(1, Bytes.address("2001:db8::2"))
        let read = Bytes.changes(
            Bytes.address(family: 2, length: 24, other + own) + Bytes.address(21, family: 10, length: 64, six)
                + Bytes.address(family: 10, length: 64, flags: 0x40, six)
                + Bytes.address(family: 10, length: 64, six + Bytes.attribute(8, 0x8))
                + Bytes.address(family: 10, length: 64, six + Bytes.attribute(8, 0x44))
                + Bytes.address(family: 28, length: 1, []))
        let usable = InterfaceAddress(link: 2, address: "2001:db8::2", prefixLength: 64)
        let unusable = InterfaceAddress(link: 2, address: "2001:db8::2", prefixLength: 64, isUsable: false)
        #expect(
            read == [
                .address(InterfaceAddress(link: 2, address: "10.0.0.2", prefixLength: 24)), .addressGone(usable),
                .address(unusable), .address(unusable), .address(usable),
            ])
    }

    @Test func routes() {
        let gateway = Bytes.attribute(5, Bytes.address("10.0.0.1")), link = Bytes.attribute(4, 2)
        let read = Bytes.changes(
            Bytes.route(gateway + link + Bytes.attribute(6, 100))
                + Bytes.route(
                    type: 25, length: 24, table: 0,
                    Bytes.attribute(1, Bytes.address("10.1.0.0")) + link + Bytes.attribute(15, 1000)
                        + Bytes.attribute(7, Bytes.address("10.0.0.2")))
                + Bytes.route(flags: 0x100, length: 8, kind: 7, Bytes.attribute(1, Bytes.address("10.0.0.0")))
                + Bytes.route(
                    family: 10, length: 128, table: 255, kind: 2, Bytes.attribute(1, Bytes.address("::1")) + link))
        let hop = Route.Hop(link: 2)
        var first = Route(prefix: "0.0.0.0/0", metric: 100)
        first.hops = [Route.Hop(link: 2, gateway: "10.0.0.1")]
        #expect(
            read == [
                .routes([first], isReplacing: false),
                .routesGone([Route(prefix: "10.1.0.0/24", table: 1000, preferredSource: "10.0.0.2", hops: [hop])]),
                .routes([Route(kind: .refused, prefix: "10.0.0.0/8")], isReplacing: true),
                .routes([Route(kind: .local, prefix: "::1/128", table: 255, hops: [hop])], isReplacing: false),
            ])
    }

    /// Of IPv4 a route over two links is one, of IPv6 two, as the kernel takes them away.
    @Test func routesOfSeveralWays() {
        let list = Bytes.attribute(
            9,
            Bytes.number(UInt16(16)) + [0, 0] + Bytes.number(UInt32(2)) + Bytes.attribute(5, Bytes.address("10.0.0.1"))
                + Bytes.number(UInt16(8)) + [0, 0] + Bytes.number(UInt32(3)))
        let hops = [Route.Hop(link: 2, gateway: "10.0.0.1"), Route.Hop(link: 3)]
        #expect(
            Bytes.changes(Bytes.route(list) + Bytes.route(family: 10, list)) == [
                .routes([Route(prefix: "0.0.0.0/0", hops: hops)], isReplacing: false),
                .routes(hops.map { Route(prefix: "::/0", hops: [$0]) }, isReplacing: false),
            ])
    }

    /// Multicast, broadcast, other protocols' routes, and what the kernel noted of one destination.
    @Test func routesOfNoInterest() {
        let link = Bytes.attribute(4, 2)
        for bytes in [
            Bytes.route(kind: 3, link), Bytes.route(kind: 4, link), Bytes.route(kind: 5, link),
            Bytes.route(kind: 9, link),
            Bytes.route(family: 28, link), Bytes.route(family: 128, link), Bytes.route(routeFlags: 0x200, link),
            Bytes.message(28, [2, 0, 0, 0]), Bytes.message(2, [0, 0, 0, 0]),
        ] { #expect(Bytes.changes(bytes) == []) }
    }

    /// What cannot be read may have said something: the kernel is asked again.
    @Test func whatCannotBeReadIsDoubtful() {
        let short = Bytes.attribute(1, [10, 0, 0]), link = Bytes.attribute(4, 2)
        for bytes in [
            Bytes.message(16, [0, 0, 1, 0]), Bytes.message(20, [2]), Bytes.message(24, [2, 0, 0]),
            Bytes.address(family: 2, length: 24, short), Bytes.address(family: 2, length: 24, []),
            Bytes.route(length: 24, short + link), Bytes.route(length: 24, link),
            Bytes.route(length: 33, Bytes.attribute(1, [10, 0, 0, 0]) + link),
            Bytes.route(family: 10, length: 129, Bytes.attribute(1, Bytes.address("::1")) + link),
            Bytes.route(Bytes.attribute(9, Bytes.number(UInt16(99)) + [0, 0] + Bytes.number(UInt32(2)))),
            Bytes.route(Bytes.attribute(9, [4, 0])), Bytes.message(105, []),
        ] { #expect(Bytes.changes(bytes) == [.doubtful]) }
    }

    /// Any cut and any changed byte: nothing beyond the end is read, which would end the test.
    @Test func damagedDatagrams() {
        let whole =
            Bytes.link(more: Bytes.attribute(18, Bytes.attribute(1, text: "bond")))
            + Bytes.address(family: 10, length: 64, Bytes.attribute(1, Bytes.address("2001:db8::2")))
            + Bytes.route(
                Bytes.attribute(
                    9,
                    Bytes.number(UInt16(16)) + [0, 0] + Bytes.number(UInt32(2))
                        + Bytes.attribute(5, Bytes.address("10.0.0.1"))))
        #expect(Bytes.changes(whole).count == 3)
        for count in 0..<whole.count {
            let (messages, isWhole) = NetlinkMessage.parse(whole[..<count])
            #expect(!isWhole || [0, 64, 108].contains(count) || messages.count < 3)
            _ = messages.compactMap(NetworkChange.init)
        }
        for index in whole.indices {
            for value in [UInt8(0), 1, 3, 4, 5, 0x7F, 0x80, 0xFF] {
                var bytes = whole
                bytes[index] = value
                var state = NetworkState()
                for change in Bytes.changes(bytes) { _ = state.apply(change) }
                _ = state.status(for: ["10.0.0.1", "2001:db8::1", "::1"])
            }
        }
    }

    /// NLMSG_DONE is 3, NLMSG_ERROR 2; NLM_F_MULTI 2, NLM_F_DUMP_INTR 16.
    @Test func answersAreReadToTheirEnd() {
        var dump = NetlinkDump(sequence: 5)
        #expect(dump.take(Bytes.message(16, flags: 2, sequence: 5, [1])[...]) == nil)
        #expect(
            dump.take(Bytes.message(16, flags: 2, sequence: 4, [2])[...]) == nil, "an answer to an earlier question")
        #expect(dump.take(Bytes.message(3, sequence: 4, [0, 0, 0, 0])[...]) == nil, "its end")
        #expect(
            dump.take(
                (Bytes.message(16, flags: 2, sequence: 5, [3]) + Bytes.message(3, sequence: 5, [0, 0, 0, 0]))[...])
                == .whole)
        #expect(dump.messages.map { Array($0.payload) } == [[1], [3]])
    }

    @Test func answersThatChangedMeanwhile() {
        let end = Bytes.message(3, sequence: 5, [0, 0, 0, 0])
        var marked = NetlinkDump(sequence: 5)
        #expect(marked.take(Bytes.message(16, flags: 18, sequence: 5, [])[...]) == nil)
        #expect(marked.take(end[...]) == .interrupted)
        var markedAtTheEnd = NetlinkDump(sequence: 5)
        #expect(markedAtTheEnd.take(Bytes.message(3, flags: 18, sequence: 5, [0, 0, 0, 0])[...]) == .interrupted)
        var lossy = NetlinkDump(sequence: 5)
        lossy.miss()
        #expect(lossy.take(end[...]) == .interrupted)
        var damaged = NetlinkDump(sequence: 5)
        #expect(damaged.take((Bytes.message(16, sequence: 5, []) + [1, 2, 3])[...]) == nil)
        #expect(damaged.take(end[...]) == .interrupted)
        var failed = NetlinkDump(sequence: 5)
        #expect(failed.take(Bytes.message(2, sequence: 5, Bytes.number(Int32(-95)))[...]) == .failed(95))
    }

    @Test func questions() {
        let bytes = NetlinkMessage.dumpRequest(type: 18, family: 10, sequence: 9)
        let (messages, isWhole) = NetlinkMessage.parse(bytes[...])
        #expect(isWhole && bytes.count == 32)
        #expect(messages.map(\.type) == [18] && messages.map(\.flags) == [0x301] && messages.map(\.sequence) == [9])
        #expect(messages.first?.payload.first == 10)
    }
}
