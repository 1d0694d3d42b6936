/// What reachability is asked for.
enum ReachabilityTarget: Hashable, Sendable {
    /// The world: whether a default route leads out.
    case defaultRoute
    case address(IPAddress)
    /// A name, looked up again after each change.
    case host(String)
}

extension NetworkState {
    typealias Status = NetworkReachabilityStatus

    /// Whether a default route of IPv4 or IPv6 leads out of this machine. Where both do, IPv4's says over what.
    var defaultRouteStatus: Status {
        for family in [IPAddress.Family.ipv4, .ipv6] {
            let usable = leaving(family)
            if let link = usable.first { return .reachable(connectionType(of: link)) }
        }
        return .notReachable
    }

    /// Whether packets to one of the addresses leave, or stay here because it is this machine's own.
    func status(for addresses: [IPAddress]) -> Status {
        for address in addresses {
            let status = status(for: address)
            if status.isReachable { return status }
        }
        return .notReachable
    }

    /// The kernel's own choice, as far as the tables tell: own addresses first, then the longest prefix, then the lowest metric. Of
    /// equal prefixes the first way that works is taken. Rules that choose between tables are not known here: all tables count,
    /// but those of VRFs.
    func status(for address: IPAddress) -> Status {
        if address.isZero { return defaultRouteStatus }
        let matching = routes.filter { route in
            route.prefix.contains(address) && counts(route)
                && (address.zone == 0 || route.hops.contains { $0.link == address.zone })
        }
        let own = matching.filter { $0.table == Route.localTable }
        // A loopback address never leaves the machine, whatever a default route matches.
        let candidates = own.isEmpty && !address.isLoopback ? matching : own
        let longest = candidates.map(\.prefix.length).max()
        for route in candidates.filter({ $0.prefix.length == longest }).sorted(by: Self.isPreferred) {
            switch route.kind {
            case .refused: return .notReachable
            // What the machine sends to itself goes over the loopback, whichever link has the address.
            case .local where links.values.contains { $0.isLoopback && $0.isUp }: return .reachable(.ethernet)
            case .local: continue
            case .unicast:
                if let link = route.hops.first(where: { isUsable($0, address.family, onLink: address.isLinkLocal) })?
                    .link
                {
                    return .reachable(connectionType(of: link))
                }
            }
        }
        return .notReachable
    }

    /// The links by which a default route of the family leaves, best first.
    private func leaving(_ family: IPAddress.Family) -> [UInt32] {
        routes
            .filter { $0.prefix == .all(family) && counts($0) }
            .sorted(by: Self.isPreferred)
            .prefix { $0.kind == .unicast }
            .flatMap { $0.hops.filter { isUsable($0, family) && links[$0.link]?.isLoopback == false }.map(\.link) }
    }

    private static func isPreferred(_ one: Route, _ other: Route) -> Bool {
        (one.metric, one.hops.first?.link ?? 0) < (other.metric, other.hops.first?.link ?? 0)
    }

    /// Not those of a VRF; and what is refused in a table beside the main one is refused to whom a rule leads there.
    private func counts(_ route: Route) -> Bool {
        if route.kind == .refused { return route.table == Route.mainTable }
        return !route.hops.contains { hop in
            guard let link = links[hop.link] else { return false }
            return link.isVRF || links[link.master]?.isVRF == true
        }
    }

    /// Whether packets can leave this way: the link carries them, and there is an address to send from. One that is good on its link
    /// only, such as a machine gives itself when nobody gives it one, leads no farther.
    private func isUsable(_ hop: Route.Hop, _ family: IPAddress.Family, onLink: Bool = false) -> Bool {
        guard let link = links[hop.link], link.isRunning else { return false }
        return addresses.contains { source in
            guard source.address.family == family, source.isUsable, links[source.link]?.isUp == true else {
                return false
            }
            if source.address.isLinkLocal { return onLink && source.link == hop.link }
            return !source.address.isLoopback
        }
    }

    /// What a link is, or what lies beneath it.
    func connectionType(of index: UInt32, depth: Int = 0) -> Status.ConnectionType {
        // Links may lie on each other eight deep (the kernel's limit); more would be a mistake here.
        guard let link = links[index], depth < 9 else { return .ethernet }
        if let medium = link.medium { return medium }
        if link.lower != 0, link.lower != index { return connectionType(of: link.lower, depth: depth + 1) }
        let members = links.values.filter { $0.master == index && $0.isRunning && index != 0 }
        if !members.isEmpty {
            let types = Set(members.map { connectionType(of: $0.index, depth: depth + 1) })
            return [.ethernet, .wifi, .cellular].first(where: types.contains) ?? .ethernet
        }
        if link.isTunnel {
            // Its packets go where a default route goes that is no tunnel itself.
            let outer = (leaving(.ipv4) + leaving(.ipv6)).first { links[$0]?.isTunnel == false }
            if let outer { return connectionType(of: outer, depth: depth + 1) }
        }
        return .ethernet
    }
}
