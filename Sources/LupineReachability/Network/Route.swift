/// An address of a link that can be sent from.
struct InterfaceAddress: Hashable, Sendable {
    let link: UInt32
    let address: IPAddress
    let prefixLength: Int
    /// `false`: not yet, or never: its uniqueness is being checked (RFC 4862, 5.4), or was found wanting.
    var isUsable = true
}

/// A row of a routing table.
struct Route: Hashable, Sendable {
    enum Kind: Hashable, Sendable {
        case unicast
        /// To this machine itself.
        case local
        /// Packets are thrown away, with an answer or without.
        case refused
    }

    struct Hop: Hashable, Sendable {
        let link: UInt32
        var gateway: IPAddress?
    }

    var kind = Kind.unicast
    let prefix: IPPrefix
    var table = Route.mainTable
    /// Of rows with one prefix the lowest is used.
    var metric: UInt32 = 0
    /// The type of service or, for IPv6, nothing.
    var service: UInt8 = 0
    /// Packets from these alone; length 0: from all.
    var sources: IPPrefix?
    var preferredSource: IPAddress?
    /// Several for an IPv4 route over several links; of an IPv6 route each way is a row, since the kernel takes them away one by one.
    var hops: [Hop] = []

    /// What is asked without any rules, and where ``Kind/local`` routes are.
    static let mainTable: UInt32 = 254, localTable: UInt32 = 255

    /// Whether a new row with the kernel's word "replace" takes this one's place.
    func hasPlace(of other: Route) -> Bool {
        table == other.table && prefix == other.prefix && metric == other.metric && service == other.service
            && sources == other.sources
    }
}
