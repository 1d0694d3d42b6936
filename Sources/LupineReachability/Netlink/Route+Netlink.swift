internal import CLupineLinux
internal import Glibc

extension Route {
    enum Reading {
        case route(Route)
        case irrelevant
        case unreadable
    }

    /// `struct rtmsg`: family, lengths of destination and source, service, table, protocol, scope, type, flags.
    static func read(_ message: NetlinkMessage) -> Reading {
        let payload = message.payload
        guard let familyNumber = payload.byte(at: 0), let length = payload.byte(at: 1),
            let sourceLength = payload.byte(at: 2), let service = payload.byte(at: 3),
            let shortTable = payload.byte(at: 4), let type = payload.byte(at: 7),
            let flags = payload.integer(UInt32.self, at: 8)
        else { return .unreadable }
        guard let family = IPAddress.Family(familyNumber), let kind = Kind(type) else { return .irrelevant }
        // What the kernel noted about one destination, such as its packet size.
        if flags & UInt32(RTM_F_CLONED) != 0 { return .irrelevant }
        let attributes = NetlinkAttributes(payload.dropFirst(12))
        guard let prefix = IPPrefix(family, attributes[Int(RTA_DST.rawValue)], length: length),
            let sources = IPPrefix(family, attributes[Int(RTA_SRC.rawValue)], length: sourceLength)
        else { return .unreadable }
        var route = Route(kind: kind, prefix: prefix)
        route.table = attributes.number(Int(RTA_TABLE.rawValue)) ?? UInt32(shortTable)
        route.metric = attributes.number(Int(RTA_PRIORITY.rawValue)) ?? 0
        route.service = service
        route.sources = sourceLength == 0 ? nil : sources
        route.preferredSource = attributes.address(Int(RTA_PREFSRC.rawValue))
        if let list = attributes[Int(RTA_MULTIPATH.rawValue)] {
            guard let hops = Hop.list(list) else { return .unreadable }
            route.hops = hops
        } else if let link = attributes.number(Int(RTA_OIF.rawValue)) {
            route.hops = [Hop(link: link, gateway: attributes.gateway)]
        }
        return .route(route)
    }
}

extension Route.Kind {
    /// - Parameter type: `RTN_…`. Nobody is reached by broadcast, multicast and their like.
    fileprivate init?(_ type: UInt8) {
        switch Int(type) {
        case Int(RTN_UNICAST): self = .unicast
        case Int(RTN_LOCAL): self = .local
        case Int(RTN_BLACKHOLE), Int(RTN_UNREACHABLE), Int(RTN_PROHIBIT): self = .refused
        default: return nil
        }
    }
}

extension Route.Hop {
    /// The ways of a route with several: `struct rtnexthop` with length, flags, weight and link, and attributes behind each.
    fileprivate static func list(_ bytes: ArraySlice<UInt8>) -> [Route.Hop]? {
        var hops: [Route.Hop] = []
        var rest = bytes
        while !rest.isEmpty {
            guard let length = rest.integer(UInt16.self, at: 0).map(Int.init), length >= 8, length <= rest.count,
                let link = rest.integer(UInt32.self, at: 4)
            else { return nil }
            hops.append(Route.Hop(link: link, gateway: NetlinkAttributes(rest.prefix(length).dropFirst(8)).gateway))
            rest = rest.dropFirst(length.aligned)
        }
        return hops
    }
}

extension NetlinkAttributes {
    fileprivate var gateway: IPAddress? {
        // An IPv4 route may lead over an IPv6 neighbour: `struct rtvia` is a family and the address.
        address(Int(RTA_GATEWAY.rawValue))
            ?? self[Int(RTA_VIA.rawValue)].flatMap { IPAddress(bytes: $0.dropFirst(2)) }
    }
}

extension IPAddress.Family {
    fileprivate init?(_ number: UInt8) {
        switch Int32(number) {
        case AF_INET: self = .ipv4
        case AF_INET6: self = .ipv6
        default: return nil
        }
    }
}

extension IPPrefix {
    /// - Parameter bytes: absent where every address is meant.
    fileprivate init?(_ family: IPAddress.Family, _ bytes: ArraySlice<UInt8>?, length: UInt8) {
        guard let bytes else {
            guard length == 0 else { return nil }
            self = .all(family)
            return
        }
        guard bytes.count == (family == .ipv4 ? 4 : 16), Int(length) <= bytes.count * 8,
            let address = IPAddress(raw: bytes, family)
        else { return nil }
        self.init(address: address, length: Int(length))
    }
}
