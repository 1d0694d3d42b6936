/// Who may use a connection next: the session's own wait queue, as a value.
///
/// A host gets at most its limit at once, and all hosts together the total. Who waits goes by priority, then, within
/// a priority, host by host in turn, so that a thousand requests to one host delay no other. Over HTTP/2 a
/// connection carries many streams: once a host has answered so, its limit counts streams.
struct ConnectionQueue<ID: Equatable> {
    struct Limits {
        var perHost: Int
        var total: Int?
        /// Requests a connection carries at once over HTTP/2: the least that RFC 9113 section 6.5.2 recommends.
        var streamsPerConnection = 100
    }

    private struct Waiting {
        let id: ID
        let priority: Float
    }

    private struct Host {
        var active = 0
        var isMultiplexed = false
        /// By falling priority, first come first.
        var waiting: [Waiting] = []
        /// When the host last had a turn: the smallest goes first.
        var turn: UInt64 = 0

        /// What is known of a host is worth keeping only while it is in use; relearning costs one request.
        var isForgettable: Bool { active == 0 && waiting.isEmpty && !isMultiplexed }

        func hasRoom(_ limits: Limits) -> Bool {
            active < limits.perHost * (isMultiplexed ? limits.streamsPerConnection : 1)
        }

        /// - Returns: whether it may start now.
        mutating func enter(_ request: Waiting, limits: Limits, hasRoomInTotal: Bool) -> Bool {
            if waiting.isEmpty, hasRoom(limits), hasRoomInTotal {
                active += 1
                return true
            }
            let place = waiting.lastIndex { $0.priority >= request.priority }.map { $0 + 1 } ?? 0
            waiting.insert(request, at: place)
            return false
        }
    }

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

    var waitingCount: Int { waitingHosts.reduce(0) { $0 + (host($1)?.waiting.count ?? 0) } }
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

    /// - Returns: true when the request may start now; else it waits for ``next()``.
    mutating func enter(_ id: ID, host key: String, priority: Float) -> Bool {
        bringNear(key)
        let starts = near.enter(
            Waiting(id: id, priority: priority), limits: limits, hasRoomInTotal: hasRoomInTotal)
        if starts { active += 1 } else { waitingHosts.insert(key) }
        return starts
    }

    /// The next that may start, if there is room for one.
    mutating func next() -> ID? {
        guard hasRoomInTotal, !waitingHosts.isEmpty else { return nil }
        var best: (key: String, priority: Float, turn: UInt64)?
        for key in waitingHosts {
            guard let host = host(key), let first = host.waiting.first, host.hasRoom(limits) else { continue }
            let isBetter = best.map { (first.priority, $0.turn) > ($0.priority, host.turn) } ?? true
            if isBetter { best = (key, first.priority, host.turn) }
        }
        guard let best else { return nil }
        bringNear(best.key)
        let first = near.waiting.removeFirst()
        if near.waiting.isEmpty { waitingHosts.remove(best.key) }
        turns += 1
        near.turn = turns
        near.active += 1
        active += 1
        return first.id
    }

    /// Whether the host was seen to answer over HTTP/2.
    func isMultiplexed(host key: String) -> Bool { host(key)?.isMultiplexed ?? false }

    /// One that has started is answered over HTTP/2, and may go on for long: others can have streams beside it.
    mutating func learnMultiplexing(of key: String) {
        bringNear(key)
        if near.active > 0 { near.isMultiplexed = true }
    }

    /// One that had started has ended.
    /// - Parameter isMultiplexed: what its answer said of the host; `nil` when there was none, or it says nothing.
    mutating func leave(host key: String, isMultiplexed: Bool?) {
        bringNear(key)
        guard near.active > 0 else { return }
        near.active -= 1
        active -= 1
        if let isMultiplexed { near.isMultiplexed = isMultiplexed }
    }

    /// One that waited gives up.
    mutating func giveUp(_ id: ID, host key: String) {
        bringNear(key)
        guard let index = near.waiting.firstIndex(where: { $0.id == id }) else { return }
        near.waiting.remove(at: index)
        if near.waiting.isEmpty { waitingHosts.remove(key) }
    }
}
