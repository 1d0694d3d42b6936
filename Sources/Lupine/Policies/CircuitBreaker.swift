/// When a session stops asking a host that fails, and when it asks again.
///
/// After some failures in a row requests to the host fail at once, without being sent: neither the caller waits for an
/// answer that will not come, nor has the host to refuse what it cannot serve. Later one request at a time is let through, until
/// one succeeds.
///
/// A failure is one of the network on the way, an answer that is cut off or garbled, and a status of 5xx, 408 or 429. Everything else
/// that a server answers is a success.
public struct CircuitBreaker: Hashable, Sendable {
    /// Failures in a row after which the host is not asked any more. 5 by default; 1 at least.
    public var failureThreshold = 5
    /// For how long it is not asked, before one request is let through. 30 s by default.
    public var openDuration = Duration.seconds(30)

    public init() {}
}

/// One host's circuit. Time is since some origin of the caller's.
struct CircuitState: Sendable {
    private enum Phase {
        /// All pass.
        case closed(failures: Int)
        /// None passes until then; the next one is the trial.
        case open(until: Duration)
        /// One is on its way, and none passes until it has ended.
        case trial(since: Duration)
    }

    private let threshold: Int
    private let openDuration: Duration
    private var phase = Phase.closed(failures: 0)
    /// Counts phases. What ends in another phase than it passed in says nothing: one that hung from before the host was given up
    /// must neither end the trial of a later one nor speak for it.
    private var period = 0

    init(_ breaker: CircuitBreaker) {
        threshold = max(1, breaker.failureThreshold)
        openDuration = min(max(.zero, breaker.openDuration), .longestWait)
    }

    /// A request wants to be sent.
    ///
    /// - Returns: what it gives back when it ends, by one of the three functions below. `nil`: it must not be sent.
    mutating func pass(at now: Duration) -> CircuitPass? {
        switch phase {
        case .closed: break
        case .open(let end):
            guard now >= end else { return nil }
            enter(.trial(since: now))
        case .trial: return nil
        }
        return CircuitPass(period: period)
    }

    /// The host answered.
    mutating func succeeded(_ pass: CircuitPass) {
        guard pass.period == period else { return }
        switch phase {
        case .closed: phase = .closed(failures: 0)
        case .trial: enter(.closed(failures: 0))
        case .open: break
        }
    }

    /// The host failed.
    mutating func failed(_ pass: CircuitPass, at now: Duration) {
        guard pass.period == period else { return }
        switch phase {
        case .closed(let failures) where failures + 1 < threshold: phase = .closed(failures: failures + 1)
        case .closed, .trial: enter(.open(until: now + openDuration))
        case .open: break
        }
    }

    /// The end tells nothing of the host. If it was the trial, the next request is.
    mutating func abandoned(_ pass: CircuitPass) {
        guard pass.period == period, case .trial(let since) = phase else { return }
        enter(.open(until: since))
    }

    /// Whether the state is as that of a host that has never been asked.
    var isAtRest: Bool { if case .closed(failures: 0) = phase { true } else { false } }

    private mutating func enter(_ next: Phase) {
        phase = next
        period += 1
    }
}

/// That a request was let through, and when.
struct CircuitPass: Hashable, Sendable {
    fileprivate let period: Int

    /// Where no circuit is kept.
    static let free = CircuitPass(period: -1)
}
