/// What is known of each origin, of a bounded number of them.
struct HostTable {
    struct Entry {
        var budget: RetryBudgetState?
        var circuit: CircuitState?
        fileprivate var used: Duration

        /// Whether a new one would be the same.
        fileprivate mutating func isAtRest(at now: Duration) -> Bool {
            (budget?.isAtRest(at: now) ?? true) && (circuit?.isAtRest ?? true)
        }
    }

    private let budget: RetryBudget?
    private let breaker: CircuitBreaker?
    private let capacity: Int
    private var entries: [String: Entry] = [:]

    init(budget: RetryBudget?, breaker: CircuitBreaker?, capacity: Int) {
        self.budget = budget
        self.breaker = breaker
        self.capacity = max(1, capacity)
    }

    var count: Int { entries.count }

    mutating func with<Result>(_ origin: String, at now: Duration, _ body: (inout Entry) -> Result) -> Result {
        if entries.count >= capacity, entries[origin] == nil { makeRoom(at: now) }
        let new = Entry(
            budget: budget.map { RetryBudgetState($0, at: now) }, circuit: breaker.map { CircuitState($0) }, used: now)
        return Self.use(&entries[origin, default: new], at: now, body)
    }

    private static func use<Result>(_ entry: inout Entry, at now: Duration, _ body: (inout Entry) -> Result) -> Result {
        entry.used = now
        return body(&entry)
    }

    /// Forgets those at rest, of which nothing is lost, and then those that were not asked for longest, until an eighth is free:
    /// whoever asks ever new origins is not to walk the table for each.
    private mutating func makeRoom(at now: Duration) {
        for (origin, var entry) in entries where entry.isAtRest(at: now) { entries[origin] = nil }
        let excess = entries.count - (capacity - max(1, capacity / 8))
        guard excess > 0 else { return }
        for (origin, _) in entries.sorted(by: { $0.value.used < $1.value.used }).prefix(excess) {
            entries[origin] = nil
        }
    }
}
