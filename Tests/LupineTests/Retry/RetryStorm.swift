import FoundationEssentials
import LupineCore

@testable import Lupine

/// A thousand clients of one server, each with a policy and a budget of its own, and some seconds in which the server answers 503
/// to everything, at once. They send what they would send, whatever becomes of it. Time is whole milliseconds; nothing waits.
struct RetryStorm {
    static let clients = 1000
    /// Between two requests of one client, in the mean.
    static let interval = 500
    static let window = 250
    /// Requests of a window where nothing fails.
    static let steady = Double(clients * window / interval)
    static let start = 2000
    static let end = 30_000

    var policy = RetryPolicy()
    /// In milliseconds; whole windows.
    var outage = 10_000
    /// Whether clients differ, each with an interval of its own between 300 and 700 ms. Otherwise they are all alike, and their
    /// requests spread evenly.
    var clientsDiffer = false
    /// `nil`: retries are not counted.
    var budget: RetryBudget? = RetryBudget()
    /// Whether a request of each client is on its way when the trouble begins, and breaks off then: all at one moment.
    var dropsConnections = false

    /// Load in windows, where 1 is what it is without trouble.
    struct Load {
        var duringOutage = 0.0
        var peakInOutage = 0.0
        var peakAfter = 0.0
    }

    private struct Sending {
        let client: Int
        let retries: Int
    }

    func load(seed: UInt64 = 1) throws -> Load {
        var generator = SeededGenerator(seed: seed)
        var budgets = budget.map { [RetryBudgetState](repeating: .init($0, at: .zero), count: Self.clients) }
        let refused = try attempts(.test(.unacceptableStatus, HTTPResponse(status: 503)))
        let dropped = try attempts(LupineError(.connectionLost, "dropped"))
        var sendings = requests(using: &generator)
        var windows = [Int](repeating: 0, count: Self.end / Self.window)

        /// What policy and budget say to a failure.
        func fail(_ sending: Sending, _ attempts: [FailedAttempt], at time: Int) {
            let attempt = attempts[min(sending.retries, attempts.count - 1)]
            let now = Date(timeIntervalSince1970: Double(time) / 1000)
            let delay: Duration
            switch policy.decision(after: attempt, now: now, using: &generator) {
            case .retry: delay = .zero
            case .retryWithDelay(let pause): delay = pause
            case .doNotRetry, .doNotRetryWithError: return
            }
            guard budgets?[sending.client].withdraw(at: .milliseconds(time)) ?? true else { return }
            let next = time + Int((delay / .milliseconds(1)).rounded(.up))
            if next < Self.end { sendings[next].append(Sending(client: sending.client, retries: sending.retries + 1)) }
        }

        for time in 0..<Self.end {
            if dropsConnections, time == Self.start {
                for client in 0..<Self.clients { fail(Sending(client: client, retries: 0), dropped, at: time) }
            }
            // A retry at once is of the same millisecond.
            var index = 0
            while index < sendings[time].count {
                let sending = sendings[time][index]
                index += 1
                windows[time / Self.window] += 1
                if sending.retries == 0 { budgets?[sending.client].deposit() }
                if time >= Self.start, time < Self.start + outage { fail(sending, refused, at: time) }
            }
        }
        let loads = windows.map { Double($0) / Self.steady }, recovery = (Self.start + outage) / Self.window
        let during = loads[Self.start / Self.window..<recovery]
        return Load(
            duringOutage: during.reduce(0, +) / Double(during.count), peakInOutage: during.max() ?? 0,
            peakAfter: loads[recovery...].max() ?? 0)
    }

    /// Those that are no retries, by their milliseconds.
    private func requests(using generator: inout SeededGenerator) -> [[Sending]] {
        var sendings = [[Sending]](repeating: [], count: Self.end)
        for client in 0..<Self.clients {
            let interval = clientsDiffer ? Int.random(in: 300...700, using: &generator) : Self.interval
            for time in stride(from: client * interval / Self.clients, to: Self.end, by: interval) {
                sendings[time].append(Sending(client: client, retries: 0))
            }
        }
        return sendings
    }

    /// The same failure after no retry, one, two and so on.
    private func attempts(_ error: LupineError) throws -> [FailedAttempt] {
        let request = HTTPRequest(url: try HTTPURL("http://host.example/"))
        return (0...max(0, policy.limit)).map {
            FailedAttempt(request: request, error: error, previous: Array(repeating: error, count: $0))
        }
    }
}
