import Testing

@testable import LupineReachability

/// One event for each change, none otherwise; one lookup at a time.
@Suite struct ReachabilityMachineTests {
    private typealias Action = ReachabilityMachine.Action
    private let up = NetworkState.ordinary, down = NetworkState.loopback

    private func snapshot(_ version: UInt64, _ state: NetworkState?) -> NetworkSnapshot {
        NetworkSnapshot(version: version, state: state)
    }

    private func running(_ target: ReachabilityTarget) -> ReachabilityMachine {
        var machine = ReachabilityMachine(target: target)
        machine.start()
        return machine
    }

    @Test func nothingIsSaidBeforeTheStart() {
        var machine = ReachabilityMachine(target: .defaultRoute)
        #expect(
            machine.status == .unknown && machine.networkChanged(snapshot(1, up)) == [] && machine.status == .unknown)
    }

    @Test func oneEventForEachChange() {
        var machine = running(.defaultRoute)
        #expect(machine.networkChanged(snapshot(1, up)) == [.report(.reachable(.ethernet))])
        #expect(machine.networkChanged(snapshot(2, up.with([.up(7, "eth7")]))) == [], "a change without consequence")
        #expect(machine.networkChanged(snapshot(3, down)) == [.report(.notReachable)])
        #expect(machine.networkChanged(snapshot(2, up)) == [], "old news")
        #expect(machine.networkChanged(snapshot(4, down)) == [])
        #expect(machine.networkChanged(snapshot(5, nil)) == [.report(.unknown)], "the kernel can be asked no more")
    }

    @Test func theStatusOutlivesTheStopAndIsToldAnew() {
        var machine = running(.address("10.0.0.9"))
        #expect(machine.networkChanged(snapshot(5, up)) == [.report(.reachable(.ethernet))])
        machine.stop()
        #expect(machine.networkChanged(snapshot(6, down)) == [] && machine.status == .reachable(.ethernet))
        machine.start()
        #expect(machine.tellAgain() == [], "what was known may be old")
        #expect(machine.networkChanged(snapshot(5, up)) == [.report(.reachable(.ethernet))])
        machine.start()
        #expect(machine.tellAgain() == [.report(.reachable(.ethernet))], "a second start tells at once")
        #expect(machine.tellAgain() == [])
    }

    @Test func aNameIsLookedUpAtEachChange() {
        var machine = running(.host("a.test"))
        #expect(machine.networkChanged(snapshot(1, up)) == [.lookUp("a.test")])
        #expect(machine.status == .unknown)
        #expect(machine.lookedUp(.found(["8.8.8.8"])) == [.report(.reachable(.ethernet))])
        #expect(machine.networkChanged(snapshot(2, down)) == [.lookUp("a.test"), .report(.notReachable)])
        #expect(machine.lookedUp(.failedForNow) == [], "and no retry without a network")
        #expect(machine.networkChanged(snapshot(3, up)) == [.lookUp("a.test")])
        #expect(machine.lookedUp(.found(["10.0.0.9"])) == [.report(.reachable(.ethernet))])
        #expect(machine.networkChanged(snapshot(4, up.with([.up(7)]))) == [.lookUp("a.test")])
        #expect(machine.lookedUp(.found(["2001:db8::1"])) == [.report(.notReachable)], "the name has moved")
        #expect(machine.networkChanged(snapshot(5, up)) == [.lookUp("a.test")])
        #expect(machine.lookedUp(.unknownName) == [])
    }

    @Test func oneLookupAtATime() {
        var machine = running(.host("a.test"))
        #expect(machine.networkChanged(snapshot(1, down)) == [.lookUp("a.test")])
        #expect(machine.networkChanged(snapshot(2, up)) == [])
        #expect(machine.networkChanged(snapshot(3, up.with([.up(7)]))) == [])
        #expect(machine.lookedUp(.failedForNow) == [.lookUp("a.test")], "what failed before the change is asked again")
        #expect(machine.lookedUp(.found(["8.8.8.8"])) == [.report(.reachable(.ethernet))])
        // Also over a stop and a start, which do not wait for it.
        #expect(machine.networkChanged(snapshot(4, down)) == [.lookUp("a.test"), .report(.notReachable)])
        machine.stop()
        machine.start()
        #expect(machine.networkChanged(snapshot(4, up)) == [])
        #expect(machine.lookedUp(.unknownName) == [.lookUp("a.test")])
        machine.stop()
        #expect(machine.lookedUp(.found(["8.8.8.8"])) == [])
    }

    @Test func aFailureIsAskedAgainFiveTimes() {
        var machine = running(.host("a.test"))
        _ = machine.networkChanged(snapshot(1, up))
        var actions = machine.lookedUp(.failedForNow)
        #expect(actions.first == .report(.notReachable))
        var waited: [Int] = []
        while case .retry(let number, let seconds)? = actions.last {
            waited.append(seconds)
            let asked = machine.retry(number), askedTwice = machine.retry(number)
            #expect(asked == [.lookUp("a.test")] && askedTwice == [])
            actions = machine.lookedUp(.failedForNow)
        }
        #expect(waited == [1, 2, 4, 8, 16])
        #expect(
            machine.networkChanged(snapshot(2, up.with([.up(7)]))) == [.lookUp("a.test")], "then the next change counts"
        )
        #expect(machine.lookedUp(.found(["8.8.8.8"])) == [.report(.reachable(.ethernet))])
    }

    @Test func retriesOfBeforeAreNone() {
        var machine = running(.host("a.test"))
        _ = machine.networkChanged(snapshot(1, up))
        guard case .retry(let number, _)? = machine.lookedUp(.failedForNow).last else {
            Issue.record("no retry")
            return
        }
        #expect(machine.networkChanged(snapshot(2, up.with([.up(7)]))) == [.lookUp("a.test")])
        #expect(machine.retry(number) == [])
        machine.stop()
        #expect(machine.retry(number) == [])
    }
}
