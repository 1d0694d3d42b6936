import LupineCore
import Testing

@testable import Lupine

@Suite struct HostLimitsTests {
    private func limits(capacity: Int = 1000) -> HostLimits {
        HostLimits(budget: RetryBudget(), breaker: CircuitBreaker(), capacity: capacity)
    }

    private func at(_ host: String) throws -> HTTPURL {
        try HTTPURL("http://\(host.replacing(" ", with: "-")).example/")
    }

    private func fail(_ limits: HostLimits, _ origin: String, times: Int = 5, at now: Duration) throws {
        for _ in 0..<times {
            limits.ended(try #require(limits.pass(try at(origin), at: now)), try at(origin), .fails, at: now)
        }
    }

    @Test func eachOriginHasItsOwn() throws {
        let limits = limits()
        for _ in 0..<10 { #expect(limits.mayRetry(try at("one"), at: .zero)) }
        #expect(!limits.mayRetry(try at("one"), at: .zero))
        #expect(limits.mayRetry(try at("two"), at: .zero))
        for _ in 0..<5 { limits.willBegin(try at("one")) }
        #expect(limits.mayRetry(try at("one"), at: .zero))
        try fail(limits, "one", at: .zero)
        #expect(limits.pass(try at("one"), at: .seconds(1)) == nil)
        #expect(limits.pass(try at("two"), at: .seconds(1)) != nil)
    }

    @Test func endsOfEachKind() throws {
        let limits = limits()
        try fail(limits, "a", at: .zero)
        let trial = try #require(limits.pass(try at("a"), at: .seconds(30)))
        #expect(limits.pass(try at("a"), at: .seconds(30)) == nil)
        limits.ended(trial, try at("a"), .unknown, at: .seconds(31))
        let second = try #require(limits.pass(try at("a"), at: .seconds(31)))
        limits.ended(second, try at("a"), .fails, at: .seconds(32))
        #expect(limits.pass(try at("a"), at: .seconds(61)) == nil)
        let third = try #require(limits.pass(try at("a"), at: .seconds(62)))
        limits.ended(third, try at("a"), .answers, at: .seconds(62))
        #expect(limits.pass(try at("a"), at: .seconds(62)) != nil)
    }

    @Test func withoutSettingsAllIsAllowedAndNothingKept() throws {
        let none = HostLimits(budget: nil, breaker: nil)
        for _ in 0..<100 {
            none.willBegin(try at("a"))
            #expect(none.mayRetry(try at("a"), at: .zero))
            none.ended(try #require(none.pass(try at("a"), at: .zero)), try at("a"), .fails, at: .zero)
        }
        #expect(none.count == 0)
        let budget = HostLimits(budget: RetryBudget(), breaker: nil)
        try fail(budget, "a", times: 100, at: .zero)
        #expect(budget.count == 0)
        #expect(try (0..<100).count { _ in budget.mayRetry(try at("a"), at: .zero) } == 10)
        let breaker = HostLimits(budget: nil, breaker: CircuitBreaker())
        #expect(try (0..<100).count { _ in breaker.mayRetry(try at("a"), at: .zero) } == 100)
        #expect(breaker.count == 0)
        try fail(breaker, "a", at: .zero)
        #expect(breaker.pass(try at("a"), at: .zero) == nil)
    }

    /// Hosts at rest are forgotten first; those that are in trouble are remembered.
    @Test func forgetsThoseAtRest() throws {
        let limits = limits(capacity: 100)
        try fail(limits, "bad", at: .zero)
        for _ in 0..<10 { #expect(limits.mayRetry(try at("spent"), at: .zero)) }
        for host in 0..<5000 {
            limits.willBegin(try at("host \(host)"))
            #expect(limits.count <= 100)
        }
        #expect(limits.pass(try at("bad"), at: .seconds(2)) == nil)
        #expect(!limits.mayRetry(try at("spent"), at: .seconds(2)))
    }

    /// Where none is at rest, those go that were asked for longest ago.
    @Test func forgetsTheOldestOfThoseInTrouble() throws {
        let limits = limits(capacity: 16)
        for host in 0..<16 { try fail(limits, "host \(host)", at: .milliseconds(host)) }
        #expect(limits.pass(try at("host 0"), at: .milliseconds(20)) == nil)
        try fail(limits, "host 16", at: .milliseconds(21))
        #expect(limits.count == 15)
        // Forgotten, so asked as if for the first time; the first host had been asked for since.
        for host in 1...2 { #expect(limits.pass(try at("host \(host)"), at: .milliseconds(22)) != nil) }
        for host in [0] + Array(4...16) {
            #expect(limits.pass(try at("host \(host)"), at: .milliseconds(23)) == nil, "host \(host)")
        }
    }

    /// From several threads: the budget is spent once, and one trial passes.
    @Test func threads() async throws {
        let limits = limits(), url = try at("a")
        try fail(limits, "a", at: .zero)
        let (retries, passes) = await withTaskGroup(of: (Int, Int).self) { group in
            for _ in 0..<8 {
                group.addTask {
                    let retries = (0..<100).count { _ in limits.mayRetry(url, at: .seconds(31)) }
                    let passes = (0..<100).count { _ in limits.pass(url, at: .seconds(31)) != nil }
                    return (retries, passes)
                }
            }
            return await group.reduce(into: (0, 0)) { $0 = ($0.0 + $1.0, $0.1 + $1.1) }
        }
        #expect(retries == 10)
        #expect(passes == 1)
    }
}
