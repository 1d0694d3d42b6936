internal import LupineCore

/// A session's retry budgets and circuits, one of each for an origin. Times are since some origin of the caller's.
///
/// Where a setting is `nil`, its functions take no lock and allow everything.
final class HostLimits: Sendable {
    private let budget: RetryBudget?
    private let breaker: CircuitBreaker?
    private let table: Lock<HostTable>

    /// - Parameter capacity: how many origins are remembered.
    init(budget: RetryBudget?, breaker: CircuitBreaker?, capacity: Int = 1000) {
        self.budget = budget
        self.breaker = breaker
        table = Lock(HostTable(budget: budget, breaker: breaker, capacity: capacity))
    }

    /// A new request: no retry, and not sent again for another reason. Asked with each, and so of no clock.
    func willBegin(_ url: HTTPURL) {
        guard budget != nil else { return }
        table.withLock { $0.deposit(for: url) }
    }

    /// Whether a request may be tried again. It is then counted, so this is asked last.
    func mayRetry(_ url: HTTPURL, at now: Duration) -> Bool {
        guard budget != nil else { return true }
        return table.withLock { $0.with(url, at: now) { $0.budget?.withdraw(at: now) ?? true } }
    }

    /// Asks for passage for one exchange. What is returned goes to ``ended(_:_:_:at:)``, whatever becomes of the exchange: a trial
    /// that does not end keeps the host closed.
    ///
    /// - Returns: `nil`: the host is not to be asked now.
    func pass(_ url: HTTPURL, at now: Duration) -> CircuitPass? {
        guard breaker != nil else { return .free }
        return table.withLock { $0.with(url, at: now) { $0.circuit?.pass(at: now) } }
    }

    /// The end of what passed. May be told of a trial as soon as its head has come: of the rest nothing is heard then.
    func ended(_ pass: CircuitPass, _ url: HTTPURL, _ health: HostHealth, at now: Duration) {
        guard breaker != nil else { return }
        table.withLock {
            $0.with(url, at: now) {
                switch health {
                case .answers: $0.circuit?.succeeded(pass)
                case .fails: $0.circuit?.failed(pass, at: now)
                case .unknown: $0.circuit?.abandoned(pass)
                }
            }
        }
    }

    /// How many origins are remembered.
    var count: Int { table.withLock { $0.count } }
}
