import Testing

@testable import Lupine

/// What becomes of a server's load when a thousand clients retry, by simulation. Loads are multiples of what it is without trouble,
/// in windows of 250 ms.
///
///     10 s of 503                          limit 2                              limit 5
///                              mean   peak in it   peak after       mean   peak in it   peak after
///     neither                  2.80      3.00         3.00          3.70      5.00         5.00
///     jitter alone             2.90      3.10         2.62          4.60      5.77         5.33
///     budget alone             1.70      3.00         1.00          1.70      3.00         1.00
///     both, the default        1.70      3.04         1.00          1.70      3.49         1.01
///
///     and a request of each client breaks off when it begins
///     neither                  2.90      5.00         3.00          3.90      7.00         5.00
///     jitter alone             3.00      3.23         2.62          4.83      5.77         5.40
///     budget alone             1.70      5.00         1.00          1.70      5.00         1.00
///     both, the default        1.70      3.23         1.00          1.70      3.63         1.00
///
/// So the budget is what keeps the load down, and jitter what keeps apart those that failed at one moment. Two things the table
/// does not show. Trouble of less than about 3 s is retried from the reserves, and the load after it is up to 3.4. And clients
/// that are all alike have their next retry earned all within the same half second: where trouble ends just then, after 10.5 s,
/// one window has 1.8. Clients that differ a little do not.
@Suite struct RetryStormTests {
    private func storm(limit: Int, dropsConnections: Bool = false) -> RetryStorm {
        var storm = RetryStorm()
        storm.policy.limit = limit
        storm.dropsConnections = dropsConnections
        return storm
    }

    @Test(arguments: [2, 5], [false, true])
    func loadFallsAtOnceWhenTroubleEnds(limit: Int, dropsConnections: Bool) throws {
        let load = try storm(limit: limit, dropsConnections: dropsConnections).load()
        #expect(load.peakAfter <= 1.5)
        // A share of 0.2 and a reserve of 10 for 20 requests each, and what comes back of it: 1 for each client.
        #expect(load.duringOutage <= 1 + 0.2 + 10.0 / 20 + 1.0 / 20)
    }

    /// Whenever trouble ends, once reserves are used up.
    @Test(arguments: [4000, 5000, 6500, 8000, 10_000, 10_250, 10_500, 10_750, 12_500], [2, 5])
    func loadOfClientsThatDiffer(outage: Int, limit: Int) throws {
        var storm = storm(limit: limit, dropsConnections: true)
        storm.outage = outage
        storm.clientsDiffer = true
        #expect(try storm.load(seed: UInt64(outage)).peakAfter <= 1.5)
    }

    /// Without a budget each request is sent as often as the limit says, with jitter and without.
    @Test(arguments: [2, 5], [RetryPolicy.Jitter.none, .full])
    func withoutBudget(limit: Int, jitter: RetryPolicy.Jitter) throws {
        var storm = storm(limit: limit)
        storm.budget = nil
        storm.policy.jitter = jitter
        let load = try storm.load()
        #expect(load.duringOutage > 2.5)
        #expect(load.peakAfter > 2.5)
    }

    /// Without jitter all whose connections broke off at one moment come back at one.
    @Test func withoutJitter() throws {
        var storm = storm(limit: 2, dropsConnections: true)
        let withJitter = try storm.load()
        storm.policy.jitter = .none
        let load = try storm.load()
        #expect(load.peakInOutage > 4.9)
        #expect(withJitter.peakInOutage < 3.5)
        #expect(load.peakAfter <= 1.5)
    }
}
