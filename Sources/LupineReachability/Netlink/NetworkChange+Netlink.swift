internal import CLupineLinux
internal import Glibc

extension NetworkChange {
    /// What a message of rtnetlink says, `nil` where it is nothing of interest.
    init?(_ message: NetlinkMessage) {
        switch Int(message.type) {
        case Int(RTM_NEWLINK), Int(RTM_DELLINK):
            self.init(link: message)
        case Int(RTM_NEWADDR), Int(RTM_DELADDR):
            self.init(address: message)
        case Int(RTM_NEWROUTE), Int(RTM_DELROUTE):
            self.init(route: message)
        // Takes routes away without a word.
        case Int(RTM_DELNEXTHOP): self = .doubtful
        default: return nil
        }
    }

    /// `struct ifinfomsg`: family, type, index, flags, change.
    private init?(link message: NetlinkMessage) {
        let payload = message.payload
        guard let family = payload.byte(at: 0), let hardware = payload.integer(UInt16.self, at: 2),
            let index = payload.integer(UInt32.self, at: 4), let allFlags = payload.integer(UInt32.self, at: 8),
            payload.count >= 16
        else {
            self = .doubtful
            return
        }
        // A bridge tells of its ports with a family of its own, and "gone" is then said of a port that lives on.
        guard family == UInt8(AF_UNSPEC) else { return nil }
        if message.type == UInt16(RTM_DELLINK) {
            self = .linkGone(index)
            return
        }
        let flags = allFlags & Link.relevantFlags
        let attributes = NetlinkAttributes(payload.dropFirst(16))
        // A wireless driver's news carries nothing else of the link.
        if attributes[Int(IFLA_WIRELESS)] != nil {
            self = .linkFlags(index, flags)
            return
        }
        var link = Link(index: index, flags: flags, hardware: hardware)
        link.name = attributes.text(Int(IFLA_IFNAME)) ?? ""
        link.master = attributes.number(Int(IFLA_MASTER)) ?? 0
        if let info = attributes[Int(IFLA_LINKINFO)] {
            link.kind = NetlinkAttributes(info).text(Int(IFLA_INFO_KIND)) ?? ""
        }
        // In another namespace the number says nothing here; and a veth lies on nothing: it names its other end.
        if attributes[Int(IFLA_LINK_NETNSID)] == nil, link.kind != "veth" {
            link.lower = attributes.number(Int(IFLA_LINK)) ?? 0
        }
        self = .link(link)
    }

    /// `struct ifaddrmsg`: family, prefix length, flags, scope, index.
    private init?(address message: NetlinkMessage) {
        let payload = message.payload
        guard let family = payload.byte(at: 0), let length = payload.byte(at: 1), let shortFlags = payload.byte(at: 2),
            let link = payload.integer(UInt32.self, at: 4)
        else {
            self = .doubtful
            return
        }
        guard [AF_INET, AF_INET6].contains(Int32(family)) else { return nil }
        let attributes = NetlinkAttributes(payload.dropFirst(8))
        // Between two ends the other attribute is the other's address.
        guard let address = attributes.address(Int(IFA_LOCAL)) ?? attributes.address(Int(IFA_ADDRESS)) else {
            self = .doubtful
            return
        }
        let flags = attributes.number(Int(IFA_FLAGS)) ?? UInt32(shortFlags)
        let isTentative = flags & UInt32(IFA_F_TENTATIVE) != 0 && flags & UInt32(IFA_F_OPTIMISTIC) == 0
        let told = InterfaceAddress(
            link: link, address: address, prefixLength: Int(length),
            isUsable: !isTentative && flags & UInt32(IFA_F_DADFAILED) == 0)
        self = message.type == UInt16(RTM_NEWADDR) ? .address(told) : .addressGone(told)
    }

    private init?(route message: NetlinkMessage) {
        switch Route.read(message) {
        case .route(let route):
            // Of IPv6 the kernel takes ways of a route away one by one, so each is a row of its own.
            let rows =
                route.prefix.address.family == .ipv6 && route.hops.count > 1
                ? route.hops.map { hop in
                    var row = route
                    row.hops = [hop]
                    return row
                } : [route]
            let isReplacing = message.flags & UInt16(NLM_F_REPLACE) != 0
            self = message.type == UInt16(RTM_NEWROUTE) ? .routes(rows, isReplacing: isReplacing) : .routesGone(rows)
        case .unreadable: self = .doubtful
        case .irrelevant: return nil
        }
    }
}
