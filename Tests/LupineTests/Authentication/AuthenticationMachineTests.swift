import Testing

@testable import Lupine

/// What a credential's machine says, beside what a plain account of what happened says.
struct AuthenticationMachineTests {
    typealias Machine = AuthenticationMachine<Int>

    struct Failure: Error, Equatable { let number: Int }

    enum Input: CaseIterable {
        case send, sendRequiring, sendOlder, refused, refusedOlder, succeed, fail, finishEarlier, set, clear, tick
    }

    /// What has happened.
    struct World {
        static let window = RefreshWindow(interval: .seconds(10), maximumAttempts: 2)

        var machine = Machine(credential: 0, window: window)
        var credential: Int? = 0
        var nextCredential = 1
        var running: PendingRefresh<Int>?
        /// Those whose end is still to come, and of no interest.
        var superseded: [PendingRefresh<Int>] = []
        var failure: Failure?
        var starts: [Int] = []
        var now = 0
        var olderVersion: Int?
        var version: Int { machine.present?.version ?? -1 }

        func isExcessive() -> Bool { starts.count { $0 > now - 10 } >= 2 }
    }

    /// All ways of so many steps.
    @Test func everyWayKeepsItsWord() {
        var open = [(World(), 0)]
        var steps = 0
        while let (world, depth) = open.popLast() {
            for input in Input.allCases {
                var next = world
                guard step(&next, input) else { continue }
                steps += 1
                if depth < 4 { open.append((next, depth + 1)) }
            }
        }
        #expect(steps > 10_000)
    }

    @Test func longWaysKeepTheirWord() {
        for seed in 0..<200 as Range<UInt64> {
            var random = SeededGenerator(seed: seed)
            var world = World()
            for _ in 0..<100 { _ = step(&world, Input.allCases.randomElement(using: &random) ?? .tick) }
        }
    }

    /// - Returns: whether it can come at all.
    private func step(_ world: inout World, _ input: Input) -> Bool {
        let at = Duration.seconds(world.now)
        switch input {
        case .send, .sendRequiring:
            guard world.credential != nil else { return false }
            let requires = input == .sendRequiring
            let answer = world.machine.send(with: world.version, requiresRefresh: requires, at: at)
            checkSending(answer, requires, &world)
        case .refused:
            guard world.credential != nil else { return false }
            checkRefused(world.machine.refused(with: world.version, at: at), &world)
        case .sendOlder, .refusedOlder:
            guard let older = world.olderVersion else { return false }
            let answer =
                input == .sendOlder
                ? world.machine.send(with: older, requiresRefresh: true, at: at)
                : world.machine.refused(with: older, at: at)
            guard case .askAgain = answer else {
                Issue.record("\(answer)")
                return true
            }
        case .succeed, .fail:
            guard let running = world.running else { return false }
            finish(running, input == .succeed, &world)
        case .finishEarlier:
            guard let earlier = world.superseded.popLast() else { return false }
            let counts = world.machine.ended(earlier, .success(-1))
            #expect(!counts)
        case .set, .clear: set(input == .set, &world)
        case .tick: world.now += 4
        }
        #expect(world.machine.present?.credential == world.credential)
        #expect(world.machine.pending === world.running)
        return true
    }

    private func checkSending(_ answer: Machine.Answer, _ requires: Bool, _ world: inout World) {
        switch answer {
        case .send: #expect(!requires && world.running == nil && world.failure == nil)
        case .wait(let pending): #expect(pending === world.running)
        case .begin, .excessive:
            #expect(requires || world.failure != nil)
            checkBeginning(answer, &world)
        case .askAgain, .fail: Issue.record("\(answer)")
        }
    }

    private func checkRefused(_ answer: Machine.Answer, _ world: inout World) {
        switch answer {
        case .wait(let pending): #expect(pending === world.running)
        case .fail(let error): #expect(error as? Failure == world.failure && world.failure != nil)
        case .begin, .excessive:
            #expect(world.failure == nil)
            checkBeginning(answer, &world)
        case .send, .askAgain: Issue.record("\(answer)")
        }
    }

    private func checkBeginning(_ answer: Machine.Answer, _ world: inout World) {
        #expect(world.running == nil)
        switch answer {
        case .begin(let pending, let versioned):
            #expect(!world.isExcessive())
            #expect(versioned.credential == world.credential && versioned.version == world.version)
            world.running = pending
            world.starts.append(world.now)
            world.failure = nil
        case .excessive(let error):
            #expect(world.isExcessive())
            #expect(error as? Failure == world.failure)
        default: break
        }
    }

    private func finish(_ running: PendingRefresh<Int>, _ isSuccess: Bool, _ world: inout World) {
        let number = world.nextCredential, version = world.version
        world.nextCredential += 1
        if isSuccess {
            let counts = world.machine.ended(running, .success(number))
            #expect(counts)
            world.credential = number
            world.olderVersion = version
            #expect(world.version > version)
        } else {
            world.failure = Failure(number: number)
            let counts = world.machine.ended(running, .failure(Failure(number: number)))
            #expect(counts)
            #expect(world.version == version)
        }
        world.running = nil
        // An end comes once.
        let countsAgain = world.machine.ended(running, .success(-1))
        #expect(!countsAgain)
    }

    private func set(_ isCredential: Bool, _ world: inout World) {
        if world.credential != nil { world.olderVersion = world.version }
        world.credential = isCredential ? world.nextCredential : nil
        world.nextCredential += 1
        let dropped = world.machine.set(world.credential)
        #expect(dropped === world.running)
        world.running.map { world.superseded.append($0) }
        world.running = nil
        world.failure = nil
        world.starts = []
    }

    // MARK: The window

    @Test func aWindowForgetsWhatIsPast() {
        var history = RefreshHistory(window: RefreshWindow(interval: .seconds(30), maximumAttempts: 2))
        var begins: [Bool] = []
        for seconds in [0, 10, 29, 30, 39, 40, 60] { begins.append(history.begins(at: .seconds(seconds))) }
        #expect(begins == [true, true, false, true, false, true, true])
        history.forget()
        let anew = (history.begins(at: .seconds(60)), history.begins(at: .seconds(60)))
        #expect(anew == (true, true))
    }

    @Test func withoutAWindowThereIsNoLimit() {
        var history = RefreshHistory(window: nil)
        for _ in 0..<1000 {
            let begins = history.begins(at: .zero)
            #expect(begins)
        }
    }

    @Test func theDefaultWindow() {
        #expect(RefreshWindow() == RefreshWindow(interval: .seconds(30), maximumAttempts: 5))
    }

    // MARK: Those who wait

    @Test func whoComesLateIsToldAtOnce() async throws {
        let pending = PendingRefresh<Int>()
        pending.end(.refreshed(1))
        pending.end(.superseded)
        #expect(try await pending.outcome().credential == 1)
    }

    /// Ends and cancellations at once: each wait ends once, by one of them.
    @Test func endsAndCancellationsTogether() async throws {
        for _ in 0..<100 {
            let pending = PendingRefresh<Int>()
            let waits = (0..<8).map { _ in Task { try await pending.outcome() } }
            await withTaskGroup(of: Void.self) { group in
                group.addTask { pending.end(.refreshed(1)) }
                for wait in waits.prefix(4) { group.addTask { wait.cancel() } }
            }
            for wait in waits.dropFirst(4) {
                #expect(try await wait.value.credential == 1)
            }
            for wait in waits.prefix(4) { _ = await wait.result }
            #expect(pending.waiterCount == 0)
        }
    }
}

extension PendingRefresh.Outcome {
    fileprivate var credential: Credential? { if case .refreshed(let credential) = self { credential } else { nil } }
}
