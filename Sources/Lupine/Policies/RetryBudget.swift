/// How many retries a session makes to one host: so many for each request, and a few besides.
///
/// A host that fails under its load would get each request several times where all are retried, and stay down. With a budget
/// its load grows by ``ratio`` and ``refill`` at most, once ``reserve`` is used up. What a host's budget does not allow is not
/// retried: the failure is told at once.
public struct RetryBudget: Hashable, Sendable {
    /// Retries for each request to the host. 0.2 by default: one retry for five requests. Credit that is not used is kept up to
    /// ``reserve``, so that a calm day does not pay for a storm.
    public var ratio = 0.2
    /// Retries that are allowed whatever the requests, so that a program that makes few can retry too. 10 by default. In trouble
    /// that is over before they are used up, all is retried.
    public var reserve = 10
    /// How many retries of the reserve come back, for each second. 0.1 by default: used up, it is whole again after 100 s.
    public var refill = 0.1

    public init() {}
}

/// What is left of one host's budget. Time is since some origin of the caller's, and does not run backwards.
struct RetryBudgetState: Sendable {
    // The settings, none negative. So written, what is no number becomes 0.
    private let ratio: Double
    private let reserve: Double
    private let refill: Double
    /// Retries that may be made now, and the rest of one.
    private var credit: Double
    private var refilled: Duration

    init(_ budget: RetryBudget, at now: Duration) {
        ratio = budget.ratio > 0 ? budget.ratio : 0
        reserve = Double(max(0, budget.reserve))
        refill = budget.refill > 0 ? budget.refill : 0
        credit = reserve
        refilled = now
    }

    /// A request is made, for the first time.
    mutating func deposit() {
        // Without a reserve too, credit grows until it is worth a retry.
        credit = max(credit, min(credit + ratio, max(1, reserve)))
    }

    /// A retry wants to be made.
    ///
    /// - Returns: whether it may be. It is then counted.
    mutating func withdraw(at now: Duration) -> Bool {
        comeBack(until: now)
        guard credit >= 1 else { return false }
        credit -= 1
        return true
    }

    /// Whether the state is as that of a host that has never been asked.
    mutating func isAtRest(at now: Duration) -> Bool {
        comeBack(until: now)
        return credit >= reserve
    }

    private mutating func comeBack(until now: Duration) {
        guard now > refilled else { return }
        let seconds = (now - refilled) / .seconds(1)
        refilled = now
        if credit < reserve { credit = min(reserve, credit + refill * seconds) }
    }
}
