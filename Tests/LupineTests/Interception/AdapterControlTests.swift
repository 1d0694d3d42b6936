import LupineCore
import LupineTesting
import Testing

@testable import Lupine

/// What adapters do to the task that they are asked for.
@Suite(.timeLimit(.minutes(2)))
struct AdapterControlTests {
    /// Also by one that does not wait, and is asked where the task begins.
    @Test(arguments: [false, true]) func whatAnAdapterCancelsIsNotSent(waits: Bool) async throws {
        let transport = StubTransport { _ in .response() }
        let cancelling =
            waits
            ? Adapter { request, task async throws in
                await Task.yield()
                task.cancel()
                return request
            }
            : Adapter { request, task in
                task.cancel()
                return request
            }
        let session = stubbed(transport)
        let task = session.dataTask(with: try .to(), handlers: TaskHandlers(adapters: [cancelling]))
        let error = await #expect(throws: LupineError.self) { try await task.result() }
        #expect(error?.code == .cancelled)
        #expect(transport.requests.isEmpty)
        await session.invalidate()
    }

    @Test(arguments: [false, true]) func whatAnAdapterSuspendsIsSentOnceResumed(waits: Bool) async throws {
        let transport = StubTransport { _ in .response(body: "done") }
        let first = Lock(true), adapted = Gate()
        let suspend: @Sendable (SessionTask) -> Void = { task in
            if first.withLock({ isFirst in
                defer { isFirst = false }
                return isFirst
            }) {
                task.suspend()
            }
            adapted.open()
        }
        let suspending =
            waits
            ? Adapter { request, task async throws in
                await Task.yield()
                suspend(task)
                return request
            }
            : Adapter { request, task in
                suspend(task)
                return request
            }
        let task = stubbed(transport).dataTask(with: try .to(), handlers: TaskHandlers(adapters: [suspending]))
        task.resume()
        try await adapted.opened()
        for _ in 0..<100 { await Task.yield() }
        #expect(transport.requests.isEmpty)
        #expect(try await task.result().text == "done")
    }
}
