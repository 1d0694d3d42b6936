import Testing

@testable import Lupine

@Suite struct RetryBudgetTests {
    private func state(_ change: (inout RetryBudget) -> Void = { _ in }) -> RetryBudgetState {
        var budget = RetryBudget()
        change(&budget)
        return RetryBudgetState(budget, at: .zero)
    }

    /// How many retries there are at a moment, one after the other.
    private func taken(_ state: inout RetryBudgetState, at now: Duration = .zero, most: Int = 1000) -> Int {
        (0..<most).prefix { _ in state.withdraw(at: now) }.count
    }

    @Test func reserveIsThereAtOnceAndOnce() {
        var state = state()
        #expect(taken(&state) == 10)
        #expect(taken(&state) == 0)
    }

    @Test func fiveRequestsAreWorthOneRetry() {
        var state = state()
        #expect(taken(&state) == 10)
        for request in 1...50 {
            state.deposit()
            #expect(taken(&state) == (request.isMultiple(of: 5) ? 1 : 0), "after \(request) requests")
        }
    }

    @Test func reserveComesBackSlowly() {
        var state = state()
        #expect(taken(&state) == 10)
        #expect(taken(&state, at: .milliseconds(9900)) == 0)
        #expect(taken(&state, at: .milliseconds(10_100)) == 1)
        #expect(taken(&state, at: .seconds(61)) == 5)
        #expect(taken(&state, at: .seconds(10_000)) == 10)
    }

    /// A million good requests save up no more than the reserve.
    @Test func calmDaysAreNotSavedUp() {
        var state = state()
        for _ in 0..<100_000 { state.deposit() }
        #expect(taken(&state, at: .seconds(100_000)) == 10)
    }

    @Test(
        arguments: [
            // Ratio, reserve, refill; retries at once, then after 100 requests with one try after each.
            (0.2, 0, 0.1, 0, 20),
            (0, 3, 0, 3, 0),
            (1, 0, 0, 0, 100),
            (5, 2, 0, 2, 100),
            (0.01, 0, 0, 0, 1),
            (-1, -1, -1, 0, 0),
            (.nan, 1, .nan, 1, 0),
            (.infinity, 1, 0, 1, 100),
            (0, 0, 0, 0, 0),
        ] as [(Double, Int, Double, Int, Int)])
    func settings(ratio: Double, reserve: Int, refill: Double, atOnce: Int, later: Int) {
        var state = state { ($0.ratio, $0.reserve, $0.refill) = (ratio, reserve, refill) }
        #expect(taken(&state) == atOnce)
        var retries = 0
        for _ in 0..<100 {
            state.deposit()
            if state.withdraw(at: .zero) { retries += 1 }
        }
        #expect(retries == later)
    }

    @Test func oddTimes() {
        var state = state { $0.refill = .infinity }
        #expect(taken(&state, at: .seconds(10)) == 10)
        // Back in time nothing comes back.
        #expect(taken(&state, at: .seconds(5)) == 0)
        #expect(taken(&state, at: .seconds(10)) == 0)
        #expect(taken(&state, at: .seconds(Int64.max)) == 10)
        var endless = self.state { $0.reserve = .max }
        #expect(taken(&endless) == 1000)
    }

    /// Whatever happens, retries are no more than the share of the requests, the reserve, and what came back of it.
    @Test(arguments: 0..<60) func neverMoreThanItsWord(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        var budget = RetryBudget()
        budget.ratio = .random(in: 0...1.5, using: &generator)
        budget.reserve = .random(in: 0...20, using: &generator)
        budget.refill = .random(in: 0...2, using: &generator)
        var state = RetryBudgetState(budget, at: .zero)
        var now = Duration.zero
        var requests = 0, retries = 0
        for _ in 0..<3000 {
            now += .milliseconds(Int.random(in: 0...200, using: &generator))
            if Bool.random(using: &generator) {
                state.deposit()
                requests += 1
            } else if state.withdraw(at: now) {
                retries += 1
            }
            let allowed =
                budget.ratio * Double(requests) + Double(budget.reserve) + budget.refill * (now / .seconds(1))
            guard Double(retries) <= allowed + 1e-6 else {
                Issue.record("\(retries) retries after \(requests) requests and \(now): \(budget)")
                return
            }
        }
        #expect(retries > 0 || budget.reserve == 0)
    }
}
