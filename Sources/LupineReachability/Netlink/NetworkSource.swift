internal import CLupineLinux
internal import Glibc

/// The kernel's news of the network, put together to a state. Used by one thread at a time.
struct NetworkSource {
    private let news: NetlinkSocket
    private let questions: NetlinkSocket
    private let medium: LinkMedium
    private var buffer: [UInt8]
    private var sequence: UInt32 = 0
    private(set) var state = NetworkState()
    /// How often the kernel was asked for everything.
    private(set) var dumps = 0

    /// Datagrams that are read before the state is looked at: then callers are told, however much more is coming.
    private static let batch = 4096
    /// How often a list is asked for again that changed while it was read. After that what changed has been told as news.
    private static let attempts = 16

    /// - Parameters:
    ///   - receiveBuffer: see ``NetlinkSocket``.
    ///   - bufferSize: the longest datagram that can be read, in bytes; the kernel's have at most 32 KiB.
    init(medium: LinkMedium = LinkMedium(), receiveBuffer: Int32? = nil, bufferSize: Int = 64 << 10)
        throws(NetlinkSocket.Failure)
    {
        let groups = [
            RTNLGRP_LINK, RTNLGRP_IPV4_IFADDR, RTNLGRP_IPV6_IFADDR, RTNLGRP_IPV4_ROUTE, RTNLGRP_IPV6_ROUTE,
            RTNLGRP_NEXTHOP,
        ]
        news = try NetlinkSocket(groups: groups.map(\.rawValue), receiveBuffer: receiveBuffer)
        // Apart, so that answers need not be told from news.
        questions = try NetlinkSocket()
        self.medium = medium
        buffer = [UInt8](repeating: 0, count: bufferSize)
    }

    var descriptor: Int32 { news.descriptor }

    /// Reads all there is.
    ///
    /// - Throws: the socket is of no more use.
    mutating func update() throws(NetlinkSocket.Failure) {
        if dumps == 0 { try askForAll() }
        for _ in 0..<Self.batch {
            switch news.receive(into: &buffer, waits: false) {
            case .nothing: return
            case .other: continue
            case .failed(let number): throw NetlinkSocket.Failure(what: "netlink news", number: number)
            case .overrun:
                try dropNews()
                try askForAll()
            case .datagram(let count):
                let (messages, isWhole) = NetlinkMessage.parse(buffer[..<count])
                var isKnown = isWhole
                for message in messages where !take(message) { isKnown = false }
                if !isKnown { try askForAll() }
            }
        }
    }

    /// - Returns: `false` when what is known may be wrong.
    private mutating func take(_ message: NetlinkMessage) -> Bool {
        guard var change = NetworkChange(message) else { return true }
        if case .link(var link) = change {
            // Files are read for a new link only.
            let known = state.links[link.index]
            link.medium =
                known?.name == link.name && known?.kind == link.kind ? known?.medium : medium.medium(of: link)
            change = .link(link)
        }
        return state.apply(change)
    }

    /// Empties the socket after an overrun. What is left there is older than what was lost, so that it would undo what the kernel is
    /// asked now; and until the socket is empty the kernel adds nothing, and tells of no other overrun.
    private mutating func dropNews() throws(NetlinkSocket.Failure) {
        while true {
            switch news.receive(into: &buffer, waits: false) {
            case .nothing: return
            case .failed(let number): throw NetlinkSocket.Failure(what: "netlink news", number: number)
            case .datagram, .other, .overrun: continue
            }
        }
    }

    /// Begins anew with what the kernel lists. News that come meanwhile are read after it, and end in what is true then.
    private mutating func askForAll() throws(NetlinkSocket.Failure) {
        dumps += 1
        let old = state
        state = NetworkState()
        // What a link is does not change, and need not be read again.
        state.links = old.links
        var seen: Set<UInt32> = []
        for message in try ask(RTM_GETLINK, AF_UNSPEC) {
            if case .link(let link)? = NetworkChange(message) { seen.insert(link.index) }
            _ = take(message)
        }
        state.links = state.links.filter { seen.contains($0.key) }
        for family in [AF_INET, AF_INET6] {
            for message in try ask(RTM_GETADDR, family) + ask(RTM_GETROUTE, family) { _ = take(message) }
        }
    }

    /// One list.
    private mutating func ask(_ type: Int, _ family: Int32) throws(NetlinkSocket.Failure) -> [NetlinkMessage] {
        var dump = NetlinkDump(sequence: sequence)
        for _ in 0..<Self.attempts {
            sequence &+= 1
            dump = NetlinkDump(sequence: sequence)
            try questions.send(
                NetlinkMessage.dumpRequest(type: UInt16(type), family: UInt8(family), sequence: sequence))
            switch try ending(of: &dump) {
            case .interrupted: continue
            case .whole: return dump.messages
            // A kernel without IPv6 has no list of its routes.
            case .failed(EOPNOTSUPP), .failed(EAFNOSUPPORT): return []
            case .failed(let number): throw NetlinkSocket.Failure(what: "netlink answer", number: number)
            }
        }
        return dump.messages
    }

    private mutating func ending(of dump: inout NetlinkDump) throws(NetlinkSocket.Failure) -> NetlinkDump.Ending {
        while true {
            switch questions.receive(into: &buffer, waits: true) {
            case .other: continue
            case .nothing: throw NetlinkSocket.Failure(what: "no netlink answer", number: ETIMEDOUT)
            case .failed(let number): throw NetlinkSocket.Failure(what: "netlink answer", number: number)
            case .overrun: dump.miss()
            case .datagram(let count):
                // A copy: the messages outlive what the buffer holds.
                if let ending = dump.take(Array(buffer[..<count])[...]) { return ending }
            }
        }
    }
}
