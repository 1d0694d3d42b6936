import Dispatch
import FoundationEssentials
import Lupine
import LupineCore
import LupineTesting
import Testing

/// Everything at once, from many threads: each end comes once, and no byte is lost or doubled.
@Suite(.timeLimit(.minutes(5)))
struct TaskStressTests {
    /// A body that tells its own bytes.
    private static func body(_ count: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 ^ $0 >> 8) }
    }
    private static let whole = body(200_000)

    private func server() throws -> LoopbackServer {
        try LoopbackServer(
            recordsTraffic: false,
            handler: { connection in
                while let request = try connection.readRequest() {
                    // Whoever cancels hangs up.
                    do {
                        if request.path == "/hop" {
                            try connection.send(LoopbackResponse(status: 302, headers: ["Location": "/"]), to: request)
                        } else {
                            try connection.send(LoopbackResponse(body: Self.whole), to: request)
                        }
                    } catch { return }
                }
            })
    }

    @Test func aThousandTasksFromEightThreads() async throws {
        let server = try server()
        let session = URLSessionManager.direct {
            $0.callbackQueue = DispatchQueue(label: "callbacks", attributes: .concurrent)
            $0.transport.maximumConnectionsPerHost = 16
        }
        let count = 1000
        let completions = Lock([Int](repeating: 0, count: count))
        let failures = Lock<[String]>([])
        let done = DispatchGroup()
        var handlers = TaskHandlers()
        handlers.redirect = { _, _, next in
            await Task.yield()
            return next
        }
        handlers.event = { _, _ in }
        let tasks = try (0..<count).map { index in
            done.enter()
            let request = HTTPRequest(
                url: try HTTPURL(server.url(index % 5 == 0 ? "/hop" : "/")), options: session.configuration.options)
            return session.dataTask(with: request, handlers: index % 2 == 0 ? handlers : nil) { task, result in
                completions.withLock { $0[index] += 1 }
                switch result {
                case .success(let answer):
                    if answer.data != Data(Self.whole) {
                        failures.withLock { $0.append("\(answer.data.count) bytes that are not the answer's") }
                    }
                case .failure(let error):
                    if error.code != .cancelled { failures.withLock { $0.append("\(error)") } }
                    if let data = error.data, !data.elementsEqual(Self.whole.prefix(data.count)) {
                        failures.withLock { $0.append("stray bytes before an end") }
                    }
                }
                done.leave()
            }
        }
        await withTaskGroup(of: Void.self) { group in
            for thread in 0..<8 {
                group.addTask {
                    await onThread {
                        var random = SeededGenerator(seed: UInt64(thread) + 1)
                        for _ in 0..<5000 {
                            let task = tasks[Int.random(in: 0..<count, using: &random)]
                            switch Int.random(in: 0..<20, using: &random) {
                            case 0: task.cancel()
                            case 1...8: task.suspend()
                            case 9: _ = (task.state, task.metrics, task.downloadProgress)
                            default: task.resume()
                            }
                        }
                    }
                }
            }
        }
        // All that are left are let go to their ends.
        for task in tasks { task.resume() }
        await withCheckedContinuation { continuation in done.notify(queue: .global()) { continuation.resume() } }
        #expect(completions.withLock { $0.allSatisfy { $0 == 1 } })
        #expect(failures.withLock { $0 } == [])
        #expect(tasks.allSatisfy { $0.state == .completed })
        #expect(session.tasks.isEmpty)
        await session.invalidate()
        try await server.waitForOpenConnections()
    }

    @Test(arguments: [true, false])
    func twoHundredSessionsTornDownInFlight(invalidates: Bool) async throws {
        let server = try server()
        let completions = Lock(0), done = DispatchGroup()
        let queue = DispatchQueue(label: "callbacks")
        for round in 0..<200 {
            let session = URLSessionManager.direct { $0.callbackQueue = queue }
            for index in 0..<4 {
                done.enter()
                let request = HTTPRequest(
                    url: try HTTPURL(server.url(index == 0 ? "/hop" : "/")), options: session.configuration.options)
                let task = session.dataTask(with: request) { _, _ in
                    completions.withLock { $0 += 1 }
                    done.leave()
                }
                task.resume()
                // A task that is paused when its session is let go of would wait for ever: only one that is invalidated ends it.
                if index == 3, invalidates { task.suspend() }
            }
            if invalidates {
                if round % 3 == 0 { await Task.yield() }
                await session.invalidate()
            }
        }
        await withCheckedContinuation { continuation in done.notify(queue: .global()) { continuation.resume() } }
        queue.sync {}
        #expect(completions.withLock { $0 } == 800)
        try await server.waitForOpenConnections()
    }

    /// Whoever begins to listen in the middle is told what holds, and then what happens: nothing older after something newer.
    @Test func listenersThatComeInTheMiddle() async throws {
        let server = try server()
        let session = URLSessionManager.direct { $0.transport.receiveBufferSize = 1024 }
        let request = HTTPRequest(url: try HTTPURL(server.url()), options: session.configuration.options)
        let faults = Lock<[String]>([])
        for _ in 0..<100 {
            let task = session.dataTask(with: request)
            task.resume()
            await withTaskGroup(of: Void.self) { group in
                for _ in 0..<8 {
                    group.addTask {
                        while task.state == .running {
                            var names: [String] = [], last: Int64 = 0
                            for await event in task.events.prefix(4) {
                                names.append(event.name)
                                guard case .received(let progress) = event else { continue }
                                if progress.completed < last { faults.withLock { $0.append("fell") } }
                                last = progress.completed
                            }
                            // The end may have come first.
                            if let first = names.first, !["resumed", "response"].contains(first) {
                                faults.withLock { $0.append(first) }
                            }
                        }
                    }
                }
            }
            _ = try await task.result()
        }
        #expect(faults.withLock { $0 } == [])
        await session.invalidate()
    }
}

/// Runs on a thread of its own, as callers outside of Swift's concurrency do.
private func onThread(_ work: @escaping @Sendable () -> Void) async {
    await withCheckedContinuation { continuation in
        DispatchQueue(label: "thread").async {
            work()
            continuation.resume()
        }
    }
}
