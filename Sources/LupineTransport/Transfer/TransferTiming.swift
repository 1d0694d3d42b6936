internal import LupineCore

/// Which limit of time comes next for one exchange: a value that is told what happens and when.
struct TransferTiming {
    /// The limits of ``Timeouts``, by name for messages.
    enum Limit: Equatable { case pool, connect, idle, total }

    private let limits: Timeouts.Limits
    private let submitted: MonotonicTime
    private var started: MonotonicTime?
    private var isConnected = false
    private var lastActivity: MonotonicTime
    /// While the receiver has paused, silence is its own wish.
    private(set) var isPaused = false

    init(timeouts: Timeouts, submitted: MonotonicTime) {
        limits = timeouts.limits
        self.submitted = submitted
        lastActivity = submitted
    }

    /// The exchange left the wait queue.
    mutating func start(at now: MonotonicTime) { started = now }

    /// The connection stands, or a standing one was taken.
    mutating func connected(at now: MonotonicTime) {
        isConnected = true
        lastActivity = now
    }

    /// A byte went out or came in.
    mutating func active(at now: MonotonicTime) { lastActivity = max(lastActivity, now) }

    mutating func pause() { isPaused = true }
    mutating func resume(at now: MonotonicTime) {
        isPaused = false
        lastActivity = now
    }

    /// The limit that is reached next if nothing more happens, and when.
    var next: (time: MonotonicTime, limit: Limit) {
        var next: (time: MonotonicTime, limit: Limit) = (.distantFuture, .total)
        func consider(_ length: TimeLimit, from start: MonotonicTime, as limit: Limit) {
            let time = start.adding(length)
            if time < next.time { next = (time, limit) }
        }
        consider(limits.total, from: submitted, as: .total)
        if let started {
            if isConnected {
                if !isPaused { consider(limits.idle, from: lastActivity, as: .idle) }
            } else {
                consider(limits.connect, from: started, as: .connect)
            }
        } else {
            consider(limits.pool, from: submitted, as: .pool)
        }
        return next
    }

    /// What to tell when `limit` was reached.
    ///
    /// - Parameter awaitsSource: the request body's source was to give something.
    func error(_ limit: Limit, host: String, awaitsSource: Bool = false) -> LupineError {
        switch limit {
        case .pool:
            LupineError(
                .timedOut,
                "no connection to \(host) was free within \(describe(limits.pool)); raise the pool timeout, or the session's limits of connections or requests",
                host: host)
        case .connect:
            LupineError(
                .timedOut, "could not connect to \(host) within \(describe(limits.connect)); is it reachable?",
                host: host)
        case .idle where awaitsSource:
            LupineError(
                .timedOut,
                "the request body's source gave no byte for \(describe(limits.idle)), and \(host) sent none; raise the idle timeout if that is expected",
                host: host)
        case .idle:
            LupineError(
                .timedOut,
                "\(host) sent and took no byte for \(describe(limits.idle)); raise the idle timeout if that is expected",
                host: host)
        case .total:
            LupineError(
                .timedOut, "the exchange with \(host) did not end within \(describe(limits.total)) in all",
                host: host)
        }
    }

    private func describe(_ limit: TimeLimit) -> String { limit.duration?.shortText ?? "its limit" }
}
