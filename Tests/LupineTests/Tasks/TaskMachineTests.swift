import Testing

@testable import Lupine

/// Every state that a task can come to, and every input in each of them.
struct TaskMachineTests {
    enum Input: CaseIterable {
        case resume, suspend, cancel, ended, endedAgain, endedForDecision, decidedEnd, decidedAgain, expired
    }

    /// What the world around a machine knows of it.
    struct World: Hashable {
        var machine = TaskMachine()
        var exchangeRuns = false
        var isPausedBelow = false
        var wasCancelledBelow = false
        var completions = 0

        /// Whether the input can come at all: an exchange that does not run does not end.
        func allows(_ input: Input) -> Bool {
            switch input {
            // Whenever the time is over; and a decision may come after another has been made in its place.
            case .resume, .suspend, .cancel, .expired, .decidedEnd, .decidedAgain: true
            case .ended, .endedAgain, .endedForDecision: exchangeRuns
            }
        }

        mutating func apply(_ input: Input) -> TaskMachine.Action {
            switch input {
            case .resume: return machine.resume()
            case .suspend: return machine.suspend()
            case .cancel: return machine.cancel()
            case .ended, .endedAgain, .endedForDecision:
                exchangeRuns = false
                isPausedBelow = false
                let outcome: TaskMachine.Outcome =
                    input == .ended ? .end : input == .endedAgain ? .again : .decision
                return machine.exchangeEnded(outcome)
            case .decidedEnd: return machine.decided(.end)
            case .decidedAgain: return machine.decided(.again)
            case .expired: return machine.expire()
            }
        }
    }

    @Test func everyStateKeepsItsWord() {
        var seen: Set<World> = [World()]
        var open = [World()]
        while let world = open.popLast() {
            for input in Input.allCases where world.allows(input) {
                var next = world
                let action = next.apply(input)
                check(world, input, action, &next)
                if seen.insert(next).inserted { open.append(next) }
            }
        }
        let phases = Set(seen.map(\.machine.phase))
        #expect(phases == [.idle, .exchanging, .deciding, .ready, .ended])
        #expect(Set(seen.map(\.machine.state)) == [.running, .suspended, .canceling, .completed])
    }

    private func check(_ before: World, _ input: Input, _ action: TaskMachine.Action, _ after: inout World) {
        let note: Comment = "\(before) \(input) \(action)"
        switch action {
        case .none: break
        case .begin:
            #expect(!after.exchangeRuns, note)
            #expect(!after.machine.isSuspended && !after.machine.isCancelled, note)
            after.exchangeRuns = true
        case .pause:
            #expect(after.exchangeRuns && !after.isPausedBelow, note)
            after.isPausedBelow = true
        case .unpause:
            #expect(after.exchangeRuns && after.isPausedBelow, note)
            after.isPausedBelow = false
        case .cancel:
            #expect(after.exchangeRuns && !after.wasCancelledBelow, note)
            after.wasCancelledBelow = true
        case .complete:
            #expect(!after.exchangeRuns, note)
            after.completions += 1
        }
        // Exactly once, and just when it is over.
        #expect((after.machine.phase == .ended) == (after.completions == 1), note)
        #expect(after.completions <= 1, note)
        // What runs is known, and what is known runs.
        #expect((after.machine.phase == .exchanging) == after.exchangeRuns, note)
        #expect(
            !after.exchangeRuns || after.isPausedBelow == (after.machine.isSuspended && !after.machine.isCancelled)
                || after.machine.isCancelled, note)
        if before.machine.phase == .ended { #expect(action == .none && after.machine == before.machine, note) }
        // Time ends what waits to go on, and nothing else.
        if input == .expired { #expect((action == .complete) == (before.machine.phase == .ready), note) }
        // A decision counts where one is awaited.
        if input == .decidedEnd || input == .decidedAgain, before.machine.phase != .deciding {
            #expect(action == .none && after.machine == before.machine, note)
        }
        if before.machine.isCancelled { #expect(action != .begin && action != .pause && action != .unpause, note) }
    }
}
