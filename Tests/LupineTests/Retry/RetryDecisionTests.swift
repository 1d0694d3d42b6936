import Lupine
import Testing

/// What the policy says to one failure: row by row, each by the rule above it.
@Suite struct RetryDecisionTests {
    private static let half = RetryRow.Verdict.after(.milliseconds(500))

    @Test(
        arguments: [
            // The idempotent methods, as Alamofire's.
            RetryRow(.get, .status(503), half),
            RetryRow(.head, .status(503), half),
            RetryRow(.put, .status(503), half),
            RetryRow(.delete, .status(503), half),
            RetryRow(.options, .status(503), half),
            RetryRow(.trace, .status(503), half),
            RetryRow(.post, .status(503), .never),
            RetryRow(.patch, .status(503), .never),
            RetryRow("PURGE", .status(503), .never),
            RetryRow("get", .status(503), .never),
            // Others where they are asked for.
            RetryRow(.post, .status(503), half) { $0.methods.insert(.post) },
            RetryRow("PURGE", .code(.timedOut), half) { $0.methods = ["PURGE"] },
            RetryRow(.get, .status(503), .never) { $0.methods = [.post] },
        ])
    func methods(row: RetryRow) throws { #expect(try row.verdict() == row.expected) }

    @Test(
        arguments: [
            RetryRow(.get, .status(408), half),
            RetryRow(.get, .status(429), half),
            RetryRow(.get, .status(500), half),
            RetryRow(.get, .status(502), half),
            RetryRow(.get, .status(503), half),
            RetryRow(.get, .status(504), half),
            // Those that would be the same again.
            RetryRow(.get, .status(304), .never),
            RetryRow(.get, .status(400), .never),
            RetryRow(.get, .status(401), .never),
            RetryRow(.get, .status(404), .never),
            RetryRow(.get, .status(409), .never),
            RetryRow(.get, .status(425), .never),
            RetryRow(.get, .status(501), .never),
            RetryRow(.get, .status(505), .never),
            RetryRow(.get, .status(599), .never),
            RetryRow(.get, .status(409), half) { $0.statuses = [409] },
            RetryRow(.get, .status(503), .never) { $0.statuses = [409] },
            RetryRow(.get, .status(599), half) { $0.statuses = StatusSet(500..<600) },
            RetryRow(.get, .status(503), .never) { $0.statuses = [] },
            // A status that nobody can tell.
            RetryRow(.get, .code(.unacceptableStatus), .never),
            RetryRow(.get, .code(.unacceptableStatus), .never) { $0.errorCodes = [.unacceptableStatus] },
        ])
    func statuses(row: RetryRow) throws { #expect(try row.verdict() == row.expected) }

    @Test(
        arguments: [
            RetryRow(.get, .code(.couldNotResolve), half),
            RetryRow(.get, .code(.couldNotConnect), half),
            RetryRow(.get, .code(.connectionLost), half),
            RetryRow(.get, .code(.proxyFailed), half),
            RetryRow(.get, .code(.tlsFailed), half),
            RetryRow(.get, .code(.notReachable), half),
            RetryRow(.get, .code(.timedOut), half),
            RetryRow(.get, .code(.badResponse), half),
            RetryRow(.get, .code(.incompleteBody), half),
            RetryRow(.get, .code(.cancelled), .never),
            RetryRow(.get, .code(.trustRejected), .never),
            RetryRow(.get, .code(.pinMismatch), .never),
            RetryRow(.get, .code(.invalidURL), .never),
            RetryRow(.get, .code(.uploadSourceFailed), .never),
            RetryRow(.get, .code(.responseTooLarge), .never),
            RetryRow(.get, .code(.init(rawValue: "from-elsewhere")), .never),
            // The code decides, not the status of what had come.
            RetryRow(.get, .after(200, .incompleteBody), half),
            RetryRow(.get, .after(404, .incompleteBody), half),
            RetryRow(.get, .after(503, .contentDecodingFailed), .never),
            RetryRow(.get, .after(503, .unacceptableContentType), .never),
            RetryRow(.get, .after(503, .responseSerializationFailed), .never),
            RetryRow(.get, .after(503, .responseSerializationFailed), half) {
                $0.errorCodes.insert(.responseSerializationFailed)
            },
            RetryRow(.get, .code(.timedOut), .never) { $0.errorCodes = [] },
            RetryRow(.get, .status(503), half) { $0.errorCodes = [] },
            // Only lost connections.
            RetryRow(.get, .code(.connectionLost), half) { $0 = .lost },
            RetryRow(.get, .after(200, .incompleteBody), half) { $0 = .lost },
            RetryRow(.get, .code(.timedOut), .never) { $0 = .lost },
            RetryRow(.get, .status(503), .never) { $0 = .lost },
        ])
    func codes(row: RetryRow) throws { #expect(try row.verdict() == row.expected) }

    @Test(
        arguments: [
            // What may have arrived goes out again only by consent, and then only with a method that is meant.
            RetryRow(.post, .code(.timedOut), arrived: true, .never) { $0.methods.insert(.post) },
            RetryRow(.post, .code(.timedOut), half) { $0.methods.insert(.post) },
            RetryRow(.post, .code(.timedOut), arrived: true, half) {
                $0.methods.insert(.post)
                $0.repeatsWhatMayHaveArrived = true
            },
            RetryRow(.post, .code(.timedOut), arrived: true, .never) { $0.repeatsWhatMayHaveArrived = true },
            RetryRow(.post, .status(503), arrived: true, .never) { $0.methods.insert(.post) },
            RetryRow(.post, .status(503), arrived: true, fields: key, half) { $0.methods.insert(.post) },
            RetryRow(.post, .status(503), arrived: true, fields: key, .never),
            RetryRow(.post, .status(503), fields: key, .never),
            RetryRow(.post, .status(503), arrived: true, fields: ["idempotency-key": ""], half) {
                $0.methods.insert(.post)
            },
            RetryRow(.post, .status(503), arrived: true, fields: ["X-Key": "1"], .never) { $0.methods.insert(.post) },
            // A GET that a redirect from a POST led to.
            RetryRow(.get, .status(503), arrived: true, .never),
            RetryRow(.get, .status(503), arrived: true, half) { $0.repeatsWhatMayHaveArrived = true },
            // A body that is gone cannot be sent by any consent.
            RetryRow(.put, .status(503), isRepeatable: false, .never),
            RetryRow(.put, .code(.couldNotConnect), isRepeatable: false, .never),
            RetryRow(.put, .status(503), isRepeatable: false, fields: key, .never) {
                $0.repeatsWhatMayHaveArrived = true
            },
        ])
    func secondSendings(row: RetryRow) throws { #expect(try row.verdict() == row.expected) }

    private static let key: HTTPHeaders = ["Idempotency-Key": "\"8e03978e-40d5-43dd-bc93-6894a57f9324\""]

    @Test(
        arguments: [
            // Two retries, the second after twice as long.
            RetryRow(.get, .status(503), retries: 0, .after(.milliseconds(500))),
            RetryRow(.get, .status(503), retries: 1, .after(.seconds(1))),
            RetryRow(.get, .status(503), retries: 2, .never),
            RetryRow(.get, .status(503), retries: 3, .never),
            RetryRow(.get, .status(503), retries: 2, .after(.seconds(2))) { $0.limit = 3 },
            RetryRow(.get, .status(503), retries: 5, .after(.seconds(16))) { $0.limit = 6 },
            RetryRow(.get, .status(503), retries: 6, .after(.seconds(30))) { $0.limit = 7 },
            RetryRow(.get, .status(503), retries: 60, .after(.seconds(30))) { $0.limit = .max },
            RetryRow(.get, .status(503), .never) { $0.limit = 0 },
            RetryRow(.get, .status(503), .never) { $0.limit = -1 },
            RetryRow(.get, .status(503), .never) { $0.limit = .min },
            RetryRow(.get, .status(503), retries: 1, .after(.seconds(6))) {
                $0.exponentialBackoffBase = 3
                $0.exponentialBackoffScale = .seconds(2)
            },
            RetryRow(.get, .status(503), retries: 1, .after(.milliseconds(100))) {
                $0.exponentialBackoffBase = 1
                $0.exponentialBackoffScale = .milliseconds(100)
            },
            RetryRow(.get, .status(503), retries: 1, .after(.milliseconds(700))) {
                $0.maximumDelay = .milliseconds(700)
            },
            RetryRow(.get, .status(503), .atOnce) { $0.maximumDelay = .zero },
            RetryRow(.get, .status(503), .atOnce) { $0.exponentialBackoffScale = .zero },
        ])
    func pauses(row: RetryRow) throws { #expect(try row.verdict() == row.expected) }

    @Test(
        arguments: [
            // What the server asks for, and the pause besides.
            RetryRow(.get, .status(503), wait: ["0"], .after(.milliseconds(500))),
            RetryRow(.get, .status(503), wait: ["3"], .after(.milliseconds(3500))),
            RetryRow(.get, .status(429), retries: 1, wait: ["3"], .after(.seconds(4))),
            RetryRow(.get, .status(503), wait: ["60"], .after(.milliseconds(60_500))),
            RetryRow(.get, .status(503), wait: ["61"], .never),
            RetryRow(.get, .status(503), wait: ["99999999999999999999"], .never),
            RetryRow(.get, .status(503), wait: ["61"], .after(.milliseconds(61_500))) {
                $0.maximumRetryAfter = .seconds(61)
            },
            RetryRow(.get, .status(503), wait: ["0"], .never) { $0.maximumRetryAfter = .seconds(-1) },
            RetryRow(.get, .status(503), .after(.milliseconds(500))) { $0.maximumRetryAfter = .seconds(-1) },
            RetryRow(.get, .status(503), wait: ["3", "7"], .after(.milliseconds(7500))),
            RetryRow(.get, .status(503), wait: ["3", "61"], .never),
            RetryRow(.get, .status(503), wait: ["soon"], .after(.milliseconds(500))),
            RetryRow(.get, .status(503), wait: ["-3"], .after(.milliseconds(500))),
            RetryRow(.get, .status(503), wait: ["Sun, 06 Nov 1994 08:49:47 GMT"], .after(.milliseconds(10_500))),
            RetryRow(.get, .status(503), wait: ["Sunday, 06-Nov-94 08:50:37 GMT"], .after(.milliseconds(60_500))),
            RetryRow(.get, .status(503), wait: ["Sun Nov  6 08:50:38 1994"], .never),
            RetryRow(.get, .status(503), wait: ["Sun, 06 Nov 1994 08:00:00 GMT"], .after(.milliseconds(500))),
            RetryRow(.get, .status(503), wait: ["5"], .after(.seconds(5))) { $0.exponentialBackoffScale = .zero },
            // It makes nothing retried that would not be.
            RetryRow(.get, .status(404), wait: ["3"], .never),
            RetryRow(.post, .status(503), wait: ["3"], .never),
            // Any failure that carries a head.
            RetryRow(.get, .after(503, .incompleteBody), wait: ["3"], .after(.milliseconds(3500))),
            RetryRow(.get, .after(503, .incompleteBody), wait: ["61"], .never),
            // The limit in all: the pause has to be over before.
            RetryRow(.get, .status(503), remaining: .milliseconds(501), .after(.milliseconds(500))),
            RetryRow(.get, .status(503), remaining: .milliseconds(500), .never),
            RetryRow(.get, .status(503), remaining: .zero, .never),
            RetryRow(.get, .status(503), remaining: .zero, .never) { $0.exponentialBackoffScale = .zero },
            RetryRow(.get, .status(503), remaining: .nanoseconds(1), .atOnce) { $0.exponentialBackoffScale = .zero },
            RetryRow(.get, .status(503), wait: ["3"], remaining: .seconds(3), .never),
            RetryRow(.get, .status(503), wait: ["3"], remaining: .seconds(4), .after(.milliseconds(3500))),
            RetryRow(.get, .code(.timedOut), remaining: .zero, .never),
        ])
    func waits(row: RetryRow) throws { #expect(try row.verdict() == row.expected) }
}

extension RetryPolicy {
    /// Only lost connections, with pauses that can be told.
    fileprivate static var lost: RetryPolicy {
        var policy = RetryPolicy.connectionLost
        policy.jitter = .none
        return policy
    }
}
