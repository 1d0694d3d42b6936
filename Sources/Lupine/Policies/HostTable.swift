internal import LupineCore

/// What is known of each origin, of a bounded number of them.
struct HostTable {
    struct Entry {
        var budget: RetryBudgetState?
        var circuit: CircuitState?
        /// When it was asked for last, as the table counts.
        fileprivate var use: UInt64

        /// Whether a new one would be the same.
        fileprivate mutating func isAtRest(at now: Duration) -> Bool {
            (budget?.isAtRest(at: now) ?? true) && (circuit?.isAtRest ?? true)
        }
    }

    private let budget: RetryBudget?
    private let breaker: CircuitBreaker?
    private let capacity: Int
    /// The origin that was asked for last: mostly the next one is the same, and is found without looking it up.
    private var nearOrigin = ""
    private var near: Entry
    /// The others.
    private var entries: [String: Entry] = [:]
    private var uses: UInt64 = 0
    /// The newest time that was told.
    private var latest = Duration.zero

    init(budget: RetryBudget?, breaker: CircuitBreaker?, capacity: Int) {
        self.budget = budget
        self.breaker = breaker
        self.capacity = max(1, capacity)
        near = Entry(use: 0)
    }

    var count: Int { entries.count + (nearOrigin.isEmpty ? 0 : 1) }

    /// A request to the origin is made, for the first time.
    mutating func deposit(for url: HTTPURL) {
        bringNear(url)
        near.budget?.deposit()
    }

    mutating func with<Result>(_ url: HTTPURL, at now: Duration, _ body: (inout Entry) -> Result) -> Result {
        latest = max(latest, now)
        bringNear(url)
        return body(&near)
    }

    private mutating func bringNear(_ url: HTTPURL) {
        guard !url.hasOrigin(nearOrigin) else { return }
        let origin = url.origin
        if !nearOrigin.isEmpty { entries[nearOrigin] = near }
        if entries.count >= capacity, entries[origin] == nil { makeRoom() }
        uses += 1
        near = entries.removeValue(forKey: origin) ?? Entry(use: 0)
        if near.use == 0 {
            near.budget = budget.map { RetryBudgetState($0, at: latest) }
            near.circuit = breaker.map { CircuitState($0) }
        }
        near.use = uses
        nearOrigin = origin
    }

    /// Forgets those at rest, of which nothing is lost, and then those that were not asked for longest, until an eighth is free:
    /// whoever asks ever new origins is not to walk the table for each.
    private mutating func makeRoom() {
        for (origin, var entry) in entries where entry.isAtRest(at: latest) { entries[origin] = nil }
        let excess = entries.count - (capacity - max(1, capacity / 8))
        guard excess > 0 else { return }
        for (origin, _) in entries.sorted(by: { $0.value.use < $1.value.use }).prefix(excess) {
            entries[origin] = nil
        }
    }
}
