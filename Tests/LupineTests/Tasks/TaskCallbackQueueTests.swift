import Dispatch
import FoundationEssentials
import Lupine
import LupineCore
import LupineTesting
import Testing

/// Closures of one task on a queue that runs several at once: as AFNetworking's, still one at a time and in order.
@Suite(.timeLimit(.minutes(1)))
struct TaskCallbackQueueTests {
    /// What a slow closure is told, and whether another runs beside it.
    private final class Witness: Sendable {
        private struct State {
            var told: [Int64] = []
            var running = 0
            var overlaps = 0
        }
        private let state = Lock(State())

        var told: [Int64] { state.withLock { $0.told } }
        var overlaps: Int { state.withLock { $0.overlaps } }

        /// Takes its time before it looks, as a closure does that draws.
        func enter(_ value: Int64, until gate: DispatchSemaphore? = nil) {
            state.withLock { state in
                state.running += 1
                if state.running > 1 { state.overlaps += 1 }
            }
            gate?.wait()
            state.withLock { state in
                state.running -= 1
                state.told.append(value)
            }
        }
    }

    @Test func oneAtATimeAndTheEndLast() async throws {
        let hold = DispatchSemaphore(value: 0), more = Gate()
        let server = try LoopbackServer { connection in
            _ = try connection.readRequest()
            try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 8\r\n\r\nhell")
            try connection.wait(more)
            try connection.send("o!!!")
        }
        let queue = DispatchQueue(label: "callbacks", attributes: .concurrent)
        let session = URLSessionManager.direct { $0.callbackQueue = queue }
        let witness = Witness(), begun = Gate(), done = Gate()
        let task = session.dataTask(
            with: HTTPRequest(url: try HTTPURL(server.url()), options: session.configuration.options),
            downloadProgress: { progress in
                begun.open()
                witness.enter(progress.completed, until: progress.completed == 4 ? hold : nil)
            },
            completion: { _, _ in
                witness.enter(-1)
                done.open()
            })
        task.resume()
        try await begun.opened()
        more.open()
        _ = try await task.result()
        // What would overtake the first closure was given to the queue before this.
        await withCheckedContinuation { continuation in queue.async { continuation.resume() } }
        hold.signal()
        try await done.opened()
        #expect(witness.told == [4, 8, -1])
        #expect(witness.overlaps == 0)
        await session.invalidate()
    }
}
