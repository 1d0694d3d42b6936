import Testing

@testable import Lupine

@Suite struct CircuitBreakerTests {
    private func state(_ change: (inout CircuitBreaker) -> Void = { _ in }) -> CircuitState {
        var breaker = CircuitBreaker()
        change(&breaker)
        return CircuitState(breaker)
    }

    /// One exchange after the other, each letter one that passes at that second: `f` fails, `s` succeeds, `a` is abandoned; `-` is
    /// one that must not pass, `.` a second in which nothing is asked. The host is given up after 3 failures, for 4 seconds.
    @Test(
        arguments: [
            // Closed: only failures in a row count.
            ("ssss", true), ("ffsffsffs", true), ("ff", true), ("ffaaf-", true), ("fafaf-", true), ("fff-", true),
            ("fff---s", true), ("fff----", false), ("ffff", false),
            // Half-open: one that succeeds closes, with all failures forgiven; one that fails opens for as long again.
            ("fff---sff", true), ("fff---sfff---s", true), ("fff---f---f---s", true), ("fff---fs", false),
            ("fff---.....fs", false),
            // One that is abandoned leaves its place to the next, at once.
            ("fff---as", true), ("fff---aaaf---s", true), ("fff---af-", true),
        ])
    func sequences(script: String, holds: Bool) {
        var state = state {
            $0.failureThreshold = 3
            $0.openDuration = .seconds(4)
        }
        // The last failure is a second before the first refusal: of four seconds three are refused.
        var allAsExpected = true
        for (second, letter) in script.enumerated() {
            let now = Duration.seconds(second)
            if letter == "." { continue }
            let pass = state.pass(at: now)
            allAsExpected = allAsExpected && (pass == nil) == (letter == "-")
            guard let pass else { continue }
            switch letter {
            case "f": state.failed(pass, at: now)
            case "s": state.succeeded(pass)
            default: state.abandoned(pass)
            }
        }
        #expect(allAsExpected == holds)
    }

    @Test func oneTrialAtATime() throws {
        var state = try opened()
        #expect(state.pass(at: .milliseconds(29_999)) == nil)
        let trial = try state.passing(at: .seconds(30))
        #expect(state.pass(at: .seconds(30)) == nil)
        #expect(state.pass(at: .seconds(3000)) == nil)
        state.succeeded(trial)
        #expect(state.isAtRest)
        #expect(state.pass(at: .seconds(3000)) != nil && state.pass(at: .seconds(3000)) != nil)
    }

    /// What passed before the host was given up and ends later says nothing: neither of it, nor in place of the trial.
    @Test func stragglers() throws {
        var state = self.state()
        let early = try (0..<8).map { _ in try state.passing(at: .zero) }
        for pass in early[..<5] { state.failed(pass, at: .seconds(1)) }
        state.succeeded(early[5])
        #expect(state.pass(at: .seconds(2)) == nil)
        // Nor does one more failure keep it closed for longer.
        state.failed(early[6], at: .seconds(20))
        let trial = try state.passing(at: .seconds(31))
        state.abandoned(early[6])
        state.failed(early[6], at: .seconds(31))
        state.succeeded(early[7])
        #expect(state.pass(at: .seconds(31)) == nil)
        state.succeeded(trial)
        for pass in early { state.failed(pass, at: .seconds(32)) }
        #expect(state.isAtRest)
        // A trial whose head said enough ends a second time.
        state.failed(trial, at: .seconds(33))
        #expect(state.isAtRest)
    }

    @Test func oddSettings() throws {
        for threshold in [Int.min, -1, 0, 1] {
            var state = state { ($0.failureThreshold, $0.openDuration) = (threshold, .seconds(Int64.max)) }
            state.failed(try state.passing(at: .zero), at: .zero)
            #expect(state.pass(at: .seconds(1)) == nil)
        }
        var state = state { ($0.failureThreshold, $0.openDuration) = (1, .seconds(-5)) }
        state.failed(try state.passing(at: .zero), at: .zero)
        #expect(state.pass(at: .zero) != nil)
        #expect(state.pass(at: .zero) == nil)
        var never = self.state { $0.failureThreshold = .max }
        for _ in 0..<1000 { never.failed(try never.passing(at: .zero), at: .zero) }
        #expect(never.pass(at: .zero) != nil)
    }

    private func opened() throws -> CircuitState {
        var state = self.state()
        for _ in 0..<5 { state.failed(try state.passing(at: .zero), at: .zero) }
        return state
    }

    /// Many at once, ended in any order: no passage before the time is over, one trial at a time, and stragglers change nothing.
    @Test(arguments: 0..<40) func randomWalk(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let duration = Duration.milliseconds(Int.random(in: 1...400, using: &generator))
        let threshold = Int.random(in: 1...4, using: &generator)
        var state = state { ($0.failureThreshold, $0.openDuration) = (threshold, duration) }
        var running: [(pass: CircuitPass, isTrial: Bool)] = []
        var opened: Duration?
        var now = Duration.zero
        var trials = 0
        func admits(_ state: CircuitState) -> Bool {
            var copy = state
            return copy.pass(at: now) != nil
        }
        for step in 0..<4000 {
            now += .milliseconds(Int.random(in: 0...20, using: &generator))
            if running.isEmpty || Bool.random(using: &generator), running.count < 50 {
                guard let pass = state.pass(at: now) else { continue }
                if let opened {
                    trials += 1
                    guard now >= opened + duration, !running.contains(where: { $0.isTrial }) else {
                        Issue.record("a second trial, or one too early: seed \(seed), step \(step)")
                        return
                    }
                }
                running.append((pass, opened != nil))
            } else if !running.isEmpty {
                let (pass, isTrial) = running.remove(at: .random(in: running.indices, using: &generator))
                let before = admits(state), isStraggler = opened != nil && !isTrial
                switch Int.random(in: 0..<5, using: &generator) {
                case 0...2:
                    state.failed(pass, at: now)
                    if isTrial || (opened == nil && !admits(state)) { opened = now }
                case 3:
                    state.succeeded(pass)
                    if isTrial { opened = nil }
                default:
                    state.abandoned(pass)
                    if isTrial, !admits(state) { Issue.record("the trial's place is not free: seed \(seed)") }
                }
                if isStraggler, admits(state) != before { Issue.record("a straggler counted: seed \(seed)") }
            }
        }
        #expect(trials > 0)
    }
}

extension CircuitState {
    /// Passes, or fails the test.
    fileprivate mutating func passing(at now: Duration) throws -> CircuitPass {
        let pass = pass(at: now)
        return try #require(pass)
    }
}
