import LupineTesting
import Testing

@Suite(.timeLimit(.minutes(2)))
struct GateTests {
    @Test func opensForAllWhoWait() async throws {
        let gate = Gate()
        #expect(!gate.isOpen)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<100 { group.addTask { try await gate.opened() } }
            gate.open()
            try await group.waitForAll()
        }
        #expect(gate.isOpen)
        gate.open()
        try await gate.opened(within: .zero)
    }

    @Test func theWaitHasABound() async {
        let gate = Gate()
        await #expect(throws: WaitTimeoutError.self) { try await gate.opened(within: .milliseconds(5)) }
    }

    @Test func theWaitCanBeCancelled() async {
        let gate = Gate()
        let early = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            try await gate.opened()
        }
        await #expect(throws: CancellationError.self) { try await early.value }
        let late = Task { try await gate.opened() }
        late.cancel()
        await #expect(throws: CancellationError.self) { try await late.value }
    }

    @Test func openingAndCancellingAtOnceIsHarmless() async {
        for _ in 0..<200 {
            let gate = Gate()
            let task = Task { try await gate.opened() }
            async let opened: Void = gate.open()
            task.cancel()
            await opened
            if case .failure(let error) = await task.result { #expect(error is CancellationError) }
        }
    }
}
