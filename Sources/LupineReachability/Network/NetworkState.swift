/// What the kernel said about the network: links, addresses and routes. A value, which messages change.
struct NetworkState: Equatable, Sendable {
    var links: [UInt32: Link] = [:]
    var addresses: Set<InterfaceAddress> = []
    var routes: Set<Route> = []

    /// Takes a change in.
    ///
    /// The kernel takes IPv4 routes away without a word when their link goes down or loses its last IPv4 address, and
    /// those with a preferred source when that goes; here they go by the same rules.
    ///
    /// - Returns: `false` when what is known may now be wrong, and the kernel must be asked for all of it.
    mutating func apply(_ change: NetworkChange) -> Bool {
        switch change {
        case .link(let link):
            links[link.index] = link
            // Those to own addresses stay. Not only when it was up until now: news that are older than a list are read after it,
            // and may have brought a route back that the list knew to have gone with the link.
            if !link.isUp { return dropRoutes(over: link.index) { $0.kind != .local } }
        case .linkFlags(let index, let flags):
            guard var link = links[index] else { return false }
            link.flags = flags
            return apply(.link(link))
        case .linkGone(let index):
            links[index] = nil
            addresses = addresses.filter { $0.link != index }
            return dropRoutes(over: index) { _ in true }
        case .address(let address):
            var other = address
            other.isUsable.toggle()
            addresses.remove(other)
            addresses.insert(address)
        case .addressGone(let gone):
            addresses = addresses.filter {
                $0.link != gone.link || $0.address != gone.address || $0.prefixLength != gone.prefixLength
            }
            if gone.address.family == .ipv4 { return dropRoutes(after: gone) }
        case .routes(let new, let isReplacing):
            if isReplacing, let first = new.first {
                let replaced = routes.filter { $0.hasPlace(of: first) }
                routes.subtract(replaced)
                routes.formUnion(new)
                // Of several rows in one place the kernel replaces the first, and the order is not known here.
                return first.prefix.address.family == .ipv6 || replaced.count <= 1
            }
            routes.formUnion(new)
        case .routesGone(let gone): routes.subtract(gone)
        case .doubtful: return false
        }
        return true
    }

    /// Takes away the routes over a link that carries them no more.
    ///
    /// - Returns: `false` where one of them has another way: the kernel keeps it while that is good, and says neither this nor that the
    ///   lost way is good again.
    private mutating func dropRoutes(over link: UInt32, where isConcerned: (Route) -> Bool) -> Bool {
        let concerned = routes.filter { route in isConcerned(route) && route.hops.contains { $0.link == link } }
        defer { routes.subtract(concerned) }
        return !concerned.contains { one in
            guard one.prefix.address.family == .ipv6 else { return one.hops.count > 1 }
            return one.hops.first?.gateway != nil && routes.contains { $0 != one && $0.hasPlace(of: one) }
        }
    }

    private mutating func dropRoutes(after gone: InterfaceAddress) -> Bool {
        let rest = addresses.filter { $0.address.family == .ipv4 }
        if !rest.contains(where: { $0.address == gone.address }) {
            routes = routes.filter { $0.preferredSource != gone.address }
        }
        if rest.contains(where: { $0.link == gone.link }) { return true }
        return dropRoutes(over: gone.link) { $0.prefix.address.family == .ipv4 }
    }
}

/// What one message says.
enum NetworkChange: Equatable, Sendable {
    case link(Link)
    /// Of a link nothing but the flags is told.
    case linkFlags(UInt32, UInt32)
    case linkGone(UInt32)
    case address(InterfaceAddress)
    case addressGone(InterfaceAddress)
    /// One route; several are the ways of one IPv6 route.
    case routes([Route], isReplacing: Bool)
    case routesGone([Route])
    /// Something changed that does not tell all of its consequences, or that could not be read.
    case doubtful
}
