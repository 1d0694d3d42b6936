/// One host in a ``ConnectionQueue``: who waits for it, and how many are on their way.
struct HostQueue<ID: Equatable> {
    struct Waiting {
        let id: ID
        let priority: Float
        let ignoresRequestLimits: Bool
    }

    /// The requests that share connections.
    struct Line {
        /// On their way.
        private(set) var active = 0
        /// By falling priority, first come first.
        private(set) var waiting: [Waiting] = []
        /// How many of those no limit of requests holds up.
        private var exempt = 0
        /// When the line last had a turn: the smallest goes first.
        private var turn: UInt64 = 0

        /// - Returns: whether one more may start, ahead of nobody who waits and may too.
        mutating func start(within limit: Int, underRequestLimits isUnder: Bool) -> Bool {
            guard active < limit, first(underRequestLimits: isUnder) == nil else { return false }
            active += 1
            return true
        }

        /// - Returns: whether one was on its way.
        mutating func end() -> Bool {
            guard active > 0 else { return false }
            active -= 1
            return true
        }

        mutating func add(_ request: Waiting) {
            let place = waiting.lastIndex { $0.priority >= request.priority }.map { $0 + 1 } ?? 0
            waiting.insert(request, at: place)
            if request.ignoresRequestLimits { exempt += 1 }
        }

        private mutating func remove(at index: Int) -> ID {
            let request = waiting.remove(at: index)
            if request.ignoresRequestLimits { exempt -= 1 }
            return request.id
        }

        mutating func remove(_ id: ID) {
            if let index = waiting.firstIndex(where: { $0.id == id }) { _ = remove(at: index) }
        }

        mutating func start(at index: Int, turn: UInt64) -> ID {
            active += 1
            self.turn = turn
            return remove(at: index)
        }

        func next(within limit: Int, underRequestLimits isUnder: Bool, isApart: Bool) -> Candidate? {
            guard active < limit, let index = first(underRequestLimits: isUnder) else { return nil }
            return Candidate(isApart: isApart, index: index, priority: waiting[index].priority, turn: turn)
        }

        /// The first whom no limit of requests holds up.
        private func first(underRequestLimits isUnder: Bool) -> Int? {
            if isUnder { return waiting.isEmpty ? nil : 0 }
            return exempt == 0 ? nil : waiting.firstIndex(where: \.ignoresRequestLimits)
        }
    }

    /// Who of a host may start next.
    struct Candidate {
        let isApart: Bool
        let index: Int
        let priority: Float
        let turn: UInt64

        func goes(before other: Candidate) -> Bool { (priority, other.turn) > (other.priority, turn) }
    }

    private(set) var common = Line()
    /// Of those held to HTTP/1.1, where the others go over HTTP/2.
    private(set) var apart = Line()
    var isMultiplexed = false

    var active: Int { common.active + apart.active }
    var waitingCount: Int { common.waiting.count + apart.waiting.count }

    /// What is known of a host is worth keeping only while it is in use; relearning costs one request.
    var isForgettable: Bool { active == 0 && waitingCount == 0 && !isMultiplexed }

    private func limit(apart isApart: Bool, _ limits: ConnectionQueue<ID>.Limits) -> Int {
        limits.perHost * (isMultiplexed && !isApart ? limits.streamsPerConnection : 1)
    }

    /// - Parameter isUnder: whether the limits of requests let one more start.
    /// - Returns: whether one more has started.
    mutating func start(
        apart isApart: Bool, underRequestLimits isUnder: Bool, _ limits: ConnectionQueue<ID>.Limits
    ) -> Bool {
        let limit = limit(apart: isApart, limits)
        return isApart
            ? apart.start(within: limit, underRequestLimits: isUnder)
            : common.start(within: limit, underRequestLimits: isUnder)
    }

    mutating func end(apart isApart: Bool) -> Bool { isApart ? apart.end() : common.end() }

    mutating func add(_ request: Waiting, apart isApart: Bool) {
        if isApart { apart.add(request) } else { common.add(request) }
    }

    mutating func remove(_ id: ID, apart isApart: Bool) {
        if isApart { apart.remove(id) } else { common.remove(id) }
    }

    /// Starts one that waited.
    mutating func start(_ candidate: Candidate, turn: UInt64) -> ID {
        candidate.isApart
            ? apart.start(at: candidate.index, turn: turn) : common.start(at: candidate.index, turn: turn)
    }

    /// Who may start next of those who wait.
    func next(underRequestLimits isUnder: Bool, _ limits: ConnectionQueue<ID>.Limits) -> Candidate? {
        let first = common.next(within: limit(apart: false, limits), underRequestLimits: isUnder, isApart: false)
        let other = apart.next(within: limit(apart: true, limits), underRequestLimits: isUnder, isApart: true)
        guard let first, let other else { return first ?? other }
        return other.goes(before: first) ? other : first
    }
}
