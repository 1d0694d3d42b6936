/// Who may use a connection next: the session's own wait queue, as a value.
///
/// A host gets at most its limit at once, and all hosts together the total. Who waits goes by priority, then, within
/// a priority, host by host in turn, so that a thousand requests to one host delay no other. Over HTTP/2 a
/// connection carries many streams: once a host has answered so, its limit counts streams. Limits of requests, where there
/// are any, hold beside those, and some requests start without heeding them.
struct ConnectionQueue<ID: Equatable> {
    struct Limits {
        var perHost: Int
        var total: Int?
        /// Requests in flight at once, however they go.
        var requestsPerHost: Int?
        var requests: Int?
        /// Requests a connection carries at once over HTTP/2: the least that RFC 9113 section 6.5.2 recommends.
        var streamsPerConnection = 100
    }

    private typealias Host = HostQueue<ID>

    private let limits: Limits
    /// The host that was asked for last: mostly the next one is the same, and is found without looking it up.
    private var near = Host()
    private var nearKey = ""
    /// The others.
    private var hosts: [String: Host] = [:]
    /// Hosts with somebody waiting.
    private var waitingHosts: Set<String> = []
    private var active = 0
    private var turns: UInt64 = 0

    init(limits: Limits) { self.limits = limits }

    var waitingCount: Int { waitingHosts.reduce(0) { $0 + (host($1)?.waitingCount ?? 0) } }
    var activeCount: Int { active }
    var hasWaiting: Bool { !waitingHosts.isEmpty }

    private func host(_ key: String) -> Host? { key == nearKey ? near : hosts[key] }

    private mutating func bringNear(_ key: String) {
        guard key != nearKey else { return }
        if !near.isForgettable { hosts[nearKey] = near }
        near = hosts.removeValue(forKey: key) ?? Host()
        nearKey = key
    }

    private var hasRoomInTotal: Bool { limits.total.map { active < $0 } ?? true }

    private func isUnderRequestLimits(active ofHost: Int) -> Bool {
        (limits.requests.map { active < $0 } ?? true) && (limits.requestsPerHost.map { ofHost < $0 } ?? true)
    }

    /// - Returns: true when the request may start now; else it waits for ``next()``.
    mutating func enter(
        _ id: ID, at place: QueuePlace, priority: Float, ignoresRequestLimits: Bool = false
    ) -> Bool {
        bringNear(place.host)
        let isUnder = isUnderRequestLimits(active: near.active)
        if isUnder || ignoresRequestLimits, hasRoomInTotal,
            near.start(apart: place.isApart, underRequestLimits: isUnder, limits)
        {
            active += 1
            return true
        }
        near.add(
            .init(id: id, priority: priority, ignoresRequestLimits: ignoresRequestLimits), apart: place.isApart)
        waitingHosts.insert(place.host)
        return false
    }

    /// The next that may start, if there is room for one.
    mutating func next() -> ID? {
        guard hasRoomInTotal, !waitingHosts.isEmpty else { return nil }
        var best: (key: String, candidate: Host.Candidate)?
        for key in waitingHosts {
            guard let host = host(key),
                let candidate = host.next(underRequestLimits: isUnderRequestLimits(active: host.active), limits)
            else { continue }
            if best.map({ candidate.goes(before: $0.candidate) }) ?? true { best = (key, candidate) }
        }
        guard let (key, candidate) = best else { return nil }
        bringNear(key)
        turns += 1
        active += 1
        let id = near.start(candidate, turn: turns)
        if near.waitingCount == 0 { waitingHosts.remove(key) }
        return id
    }

    /// Whether the host was seen to answer over HTTP/2.
    func isMultiplexed(host key: String) -> Bool { host(key)?.isMultiplexed ?? false }

    /// One that has started is answered over HTTP/2, and may go on for long: others can have streams beside it.
    mutating func learnMultiplexing(of key: String) {
        bringNear(key)
        if near.common.active > 0 { near.isMultiplexed = true }
    }

    /// One that had started has ended.
    /// - Parameter isMultiplexed: what its answer said of the host; `nil` when there was none, or it says nothing.
    mutating func leave(_ place: QueuePlace, isMultiplexed: Bool?) {
        bringNear(place.host)
        guard near.end(apart: place.isApart) else { return }
        active -= 1
        if let isMultiplexed { near.isMultiplexed = isMultiplexed }
    }

    /// One that waited gives up.
    mutating func giveUp(_ id: ID, at place: QueuePlace) {
        bringNear(place.host)
        near.remove(id, apart: place.isApart)
        if near.waitingCount == 0 { waitingHosts.remove(place.host) }
    }
}

/// Where a request waits in a ``ConnectionQueue``: those of one place share connections, as far as they may.
struct QueuePlace {
    /// Scheme, host, port and route.
    let host: String
    /// Whether it is held to HTTP/1.1, and the others of its host go over HTTP/2: each kind has connections of its own.
    var isApart = false
}
