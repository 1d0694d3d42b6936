import Lupine
import Testing

/// The rule as one sentence, over everything that it speaks of.
@Suite struct RetryRuleTests {
    private static let methods: [HTTPMethod] = [.get, .head, .put, .delete, .options, .trace, .post, .patch, "QUERY"]
    private static let failures: [RetryRow.Failure] =
        LupineError.Code.all.map { .code($0) } + LupineError.Code.all.map { .after(503, $0) }
        + [200, 304, 400, 404, 408, 429, 500, 501, 502, 503, 504, 599].map { .status($0) }
    private static let waits: [(values: [String], asked: Duration?)] = [
        ([], nil), (["0"], .zero), (["7"], .seconds(7)), (["3600"], .seconds(3600)), (["soon"], nil),
    ]
    private static let retried: Set = [
        "could-not-resolve", "could-not-connect", "connection-lost", "proxy-failed", "tls-failed", "not-reachable",
        "timed-out", "bad-response", "incomplete-body",
    ]

    @Test(arguments: methods) func defaults(method: HTTPMethod) throws { try check(method, consents: false) }
    @Test(arguments: methods) func withConsent(method: HTTPMethod) throws { try check(method, consents: true) }

    private func check(_ method: HTTPMethod, consents: Bool) throws {
        for failure in Self.failures {
            for (values, asked) in Self.waits {
                for retries in 0...2 {
                    for bits in 0..<4 {
                        for remaining in [nil, Duration.milliseconds(800), .seconds(8), .seconds(600)] {
                            let row = RetryRow(
                                method, failure, retries: retries, arrived: bits & 1 != 0, isRepeatable: bits & 2 == 0,
                                wait: values, remaining: remaining, .never
                            ) { $0.repeatsWhatMayHaveArrived = consents }
                            let expected = expectation(row, asked: asked, consents: consents)
                            guard try row.verdict() == expected else {
                                Issue.record("\(row.testDescription), expected \(expected)")
                                return
                            }
                        }
                    }
                }
            }
        }
    }

    /// What stands in the way, if anything; else the pause. By other means than the policy's: words, and a table of pauses.
    private func expectation(_ row: RetryRow, asked: Duration?, consents: Bool) -> RetryRow.Verdict {
        var obstacles: [String] = []
        if ["POST", "PATCH", "QUERY"].contains(row.method.rawValue) { obstacles.append("the method") }
        if row.retries > 1 { obstacles.append("the limit") }
        if row.arrived && !consents { obstacles.append("it may have arrived") }
        if !row.isRepeatable { obstacles.append("the body is gone") }
        var heard = asked
        switch row.failure {
        case .status(let status):
            if ![408, 429, 500, 502, 503, 504].contains(status) { obstacles.append("the status") }
        case .code(let code):
            heard = nil
            if !Self.retried.contains(code.rawValue) { obstacles.append("the code") }
        case .after(_, let code):
            // Only one of the codes is told by its status, which here is 503.
            if !Self.retried.contains(code.rawValue), code.rawValue != "unacceptable-status" {
                obstacles.append("the code")
            }
        }
        if heard == .seconds(3600) { obstacles.append("a long Retry-After") }
        let pause = (heard ?? .zero) + (row.retries == 0 ? .milliseconds(500) : .seconds(1))
        if let remaining = row.remaining, remaining <= pause { obstacles.append("the limit in all") }
        return obstacles.isEmpty ? .after(pause) : .never
    }
}
