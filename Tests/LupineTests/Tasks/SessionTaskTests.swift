import Dispatch
import FoundationEssentials
import Lupine
import LupineCore
import LupineTesting
import Testing

/// Tasks: made suspended, begun, paused, cancelled; each ends exactly once.
@Suite(.timeLimit(.minutes(2)))
struct SessionTaskTests {
    private let session = URLSessionManager.direct { $0.callbackQueue = DispatchQueue(label: "callbacks") }

    private func request(
        _ url: String, method: HTTPMethod = .get, body: HTTPBody = .empty
    ) throws -> HTTPRequest {
        HTTPRequest(method: method, url: try HTTPURL(url), body: body, options: session.configuration.options)
    }

    @Test func aTaskIsMadeSuspendedAndSendsNothing() async throws {
        let server = try LoopbackServer(handler: LoopbackServer.routes(["/": .text("hello")]))
        let task = session.dataTask(with: try request(server.url()))
        #expect(task.state == .suspended)
        #expect(session.tasks == [task])
        #expect(task.identifier >= 1)
        #expect(task.response == nil && task.error == nil)
        #expect(task.metrics == TaskMetrics())
        // Whatever is asked of the server next is the first that it sees.
        _ = try await session.send(.get, server.url("/other"))
        #expect(server.requests.map(\.path) == ["/other"])
        #expect(try await task.result().text == "hello")
        #expect(task.state == .completed)
        #expect(session.tasks.isEmpty)
        await session.invalidate()
    }

    @Test func identifiersAreUniqueAndTasksInOrder() async throws {
        let url = "http://127.0.0.1:1/"
        let tasks = try (0..<5).map { _ in session.dataTask(with: try request(url)) }
        let upload = session.uploadTask(with: try request(url, method: .post), from: Data("x".utf8), completion: nil)
        #expect(Set(tasks.map(\.identifier) + [upload.identifier]).count == 6)
        #expect(session.tasks == tasks + [upload])
        #expect(session.dataTasks == tasks)
        #expect(session.uploadTasks == [upload])
        #expect(upload.kind == .upload)
        await session.invalidate()
    }

    @Test func aTaskThatNobodyBeginsIsForgotten() throws {
        weak let task = session.dataTask(with: try request("http://127.0.0.1:1/"))
        #expect(task == nil)
        #expect(session.tasks.isEmpty)
    }

    @Test func theCompletionIsCalledOnceOnItsQueue() async throws {
        let server = try LoopbackServer(handler: LoopbackServer.routes(["/": .text("hello", status: 404)]))
        let queue = DispatchQueue(label: "mine"), key = DispatchSpecificKey<Bool>()
        queue.setSpecific(key: key, value: true)
        let group = DispatchGroup()
        let session = URLSessionManager.direct {
            $0.callbackQueue = queue
            $0.callbackGroup = group
        }
        let calls = Lock<[String?]>([]), done = Gate(), isOnQueue = Lock(true)
        let task = session.dataTask(with: try request(server.url())) { task, result in
            isOnQueue.withLock { $0 = $0 && DispatchQueue.getSpecific(key: key) == true }
            calls.withLock { $0.append(try? result.get().text) }
            done.open()
        }
        task.resume()
        task.resume()
        try await done.opened()
        await session.invalidate()
        await withCheckedContinuation { continuation in group.notify(queue: queue) { continuation.resume() } }
        #expect(calls.withLock { $0 } == ["hello"])
        #expect(isOnQueue.withLock { $0 })
        #expect(task.response?.status == 404)
        #expect(task.error == nil, "a status is no failure of a task")
    }

    @Test(arguments: [false, true])
    func cancelledBeforeItBegan(beginsAfterwards: Bool) async throws {
        let server = try LoopbackServer(handler: LoopbackServer.routes(["/": .text("hello")]))
        let code = Lock<[LupineError.Code?]>([]), done = Gate()
        let task = session.dataTask(with: try request(server.url())) { _, result in
            if case .failure(let error) = result { code.withLock { $0.append(error.code) } }
            done.open()
        }
        task.cancel()
        if beginsAfterwards { task.resume() }
        try await done.opened()
        await session.invalidate()
        #expect(code.withLock { $0 } == [.cancelled])
        #expect(task.state == .completed)
        #expect(server.requestCount == 0)
    }

    @Test func cancelledWithinTheAnswer() async throws {
        let server = try LoopbackServer { connection in
            _ = try connection.readRequest()
            try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhello")
            try connection.stall()
        }
        let task = session.dataTask(with: try request(server.url()))
        task.resume()
        for await case .received in task.events {
            #expect(task.state == .running)
            task.cancel()
            break
        }
        let error = await #expect(throws: LupineError.self) { try await task.result() }
        #expect(error?.code == .cancelled)
        #expect(error?.response?.status == 200)
        #expect(error?.data == Data("hello".utf8))
        #expect(task.error?.code == .cancelled)
        await session.invalidate()
    }

    /// Paused in the middle of a body, the peer is held back; resumed, it goes on where it was: one request, no byte twice.
    @Test func suspendedWithinTheAnswer() async throws {
        let size = 64 << 20
        let gate = Gate()
        let server = try LoopbackServer(recordsTraffic: false) { connection in
            _ = try connection.readRequest()
            let piece = [UInt8](repeating: 7, count: 1 << 20)
            try connection.sendHead(headers: ["Content-Length": "\(size)"])
            try connection.send(piece)
            try connection.wait(gate)
            for _ in 1..<64 { try connection.send(piece) }
        }
        let task = session.dataTask(with: try request(server.url()))
        task.resume()
        for await case .received in task.events { break }
        task.suspend()
        gate.open()
        #expect(task.state == .suspended)
        // Another transfer of the same session is not held up; and afterwards this one has not moved on.
        let other = try LoopbackServer(handler: LoopbackServer.routes(["/": .text("other")]))
        for _ in 0..<3 { #expect(try await session.send(.get, other.url()).text == "other") }
        let progress = task.downloadProgress
        for _ in 0..<20 { #expect(try await session.send(.get, other.url()).text == "other") }
        #expect(task.downloadProgress == progress)
        #expect(progress.completed < size)
        let reply = try await task.result()
        #expect(reply.data.count == size)
        #expect(reply.data.allSatisfy { $0 == 7 })
        #expect(server.requestCount == 1)
        #expect(task.downloadProgress == TransferProgress(completed: Int64(size), total: Int64(size)))
        await session.invalidate()
    }

    @Test func theDescriptionIsTheProgramsOwn() async throws {
        let server = try LoopbackServer(handler: LoopbackServer.routes(["/": .text("hello")]))
        let task = session.dataTask(with: try request(server.url()))
        #expect(task.taskDescription == nil)
        task.taskDescription = "mine"
        #expect(task.priority == 0.5)
        task.priority = 0.9
        _ = try await task.result()
        #expect(task.taskDescription == "mine")
        #expect(task.currentRequest.options.priority == 0.9)
        #expect(task.currentRequest.headers["User-Agent"] != nil)
        #expect(task.originalRequest.headers["User-Agent"] == nil)
        await session.invalidate()
    }

    @Test func metricsOfAllThatWasSent() async throws {
        let server = try LoopbackServer(handler: LoopbackServer.routes(["/": .text("hello")]))
        let task = session.dataTask(with: try request(server.url(), method: .post, body: .text("abc")))
        _ = try await task.result()
        let metrics = task.metrics
        #expect(metrics.transactions.count == 1)
        #expect(metrics.redirectCount == 0)
        #expect(metrics.duration > .zero)
        let transaction = try #require(metrics.transactions.first)
        #expect(transaction.method == .post)
        #expect(transaction.url.string == server.url())
        #expect(transaction.status == 200)
        #expect(transaction.transfer.sentBytes == 3)
        #expect(transaction.transfer.receivedBytes == 5)
        #expect(task.metrics == metrics, "nothing is measured after the end")
        await session.invalidate()
    }

    @Test func eventsInTheirOrder() async throws {
        let server = try LoopbackServer { connection in
            _ = try connection.readRequest()
            try connection.send("HTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello")
        }
        let task = session.dataTask(with: try request(server.url(), method: .post, body: .text("abc")))
        var iterator = task.events.makeAsyncIterator()
        task.resume()
        var names: [String] = []
        while let event = await iterator.next() { names.append(event.name) }
        #expect(
            names == ["resumed", "informational", "response", "sent", "received", "measured", "completed"]
                || names == ["resumed", "sent", "informational", "response", "received", "measured", "completed"]
                || names == ["resumed", "informational", "response", "received", "sent", "measured", "completed"],
            "\(names)")
        // Who comes late gets the present state, and its end.
        var late: [String] = []
        for await event in task.events { late.append(event.name) }
        #expect(late == ["response", "sent", "received", "completed"])
        #expect(await iterator.next() == nil)
        await session.invalidate()
    }

    /// Who waits for events and is cancelled gets the end of the sequence, not of the task.
    @Test func cancelledWhileWaitingForEvents() async throws {
        let gate = Gate()
        let server = try LoopbackServer { connection in
            _ = try connection.readRequest()
            try connection.wait(gate)
            try connection.send(.text("late"))
        }
        let task = session.dataTask(with: try request(server.url()))
        task.resume()
        try await server.waitForRequests(1)
        let waiting = Task {
            var count = 0
            for await _ in task.events { count += 1 }
            return count
        }
        waiting.cancel()
        #expect(await waiting.value <= 1)
        gate.open()
        #expect(try await task.result().text == "late")
        await session.invalidate()
    }

    // MARK: Sessions that end

    @Test func invalidatingCancelsAll() async throws {
        let server = try LoopbackServer { try $0.stall() }
        let codes = Lock<[LupineError.Code?]>([])
        let group = DispatchGroup(), ended = Lock(0)
        let session = URLSessionManager.direct {
            $0.callbackQueue = DispatchQueue(label: "callbacks")
            $0.callbackGroup = group
            $0.didBecomeInvalid = { ended.withLock { $0 += 1 } }
        }
        let tasks = try (0..<6).map { index in
            let task = session.dataTask(with: try request(server.url())) { _, result in
                if case .failure(let error) = result { codes.withLock { $0.append(error.code) } }
            }
            // Two not begun, two under way, two paused.
            if index > 1 { task.resume() }
            if index > 3 { task.suspend() }
            return task
        }
        await session.invalidate(cancellingTasks: true)
        #expect(tasks.allSatisfy { $0.state == .completed })
        await session.invalidate(cancellingTasks: true)
        await withCheckedContinuation { continuation in
            group.notify(queue: .global()) { continuation.resume() }
        }
        #expect(codes.withLock { $0 } == Array(repeating: .cancelled, count: 6))
        #expect(session.tasks.isEmpty)
        let late = session.dataTask(with: try request(server.url()))
        let error = await #expect(throws: LupineError.self) { try await late.result() }
        #expect(error?.code == .cancelled)
        session.configuration.eventQueue.sync {}
        #expect(ended.withLock { $0 } == 1)
    }

    @Test func invalidatingLetsTasksFinish() async throws {
        let gate = Gate()
        let server = try LoopbackServer { connection in
            _ = try connection.readRequest()
            try connection.wait(gate)
            try connection.send(.text("whole"))
        }
        let session = URLSessionManager.direct()
        let task = session.dataTask(with: try request(server.url()))
        task.resume()
        try await server.waitForRequests(1)
        async let ending: Void = session.invalidate(cancellingTasks: false)
        // It takes no more, from some moment on, and lets go of none that has begun.
        while true {
            let late = session.dataTask(with: try request("http://127.0.0.1:1/"))
            let error = await #expect(throws: LupineError.self) { try await late.result() }
            if error?.code == .cancelled { break }
        }
        #expect(task.state == .running)
        gate.open()
        #expect(try await task.result().text == "whole")
        await ending
        try await server.waitForOpenConnections()
    }

    /// A session that is let go of ends once its tasks have; they are not cut off.
    @Test func aTaskOutlivesItsSession() async throws {
        let gate = Gate()
        let server = try LoopbackServer { connection in
            _ = try connection.readRequest()
            try connection.wait(gate)
            try connection.send(.text("whole"))
        }
        let done = Gate(), text = Lock<String?>(nil)
        weak var session: URLSessionManager?
        weak var task: SessionTask?
        do {
            let made = URLSessionManager.direct { $0.callbackQueue = DispatchQueue(label: "callbacks") }
            let begun = made.dataTask(with: try request(server.url())) { _, result in
                text.withLock { $0 = try? result.get().text }
                done.open()
            }
            begun.resume()
            (session, task) = (made, begun)
        }
        #expect(session == nil)
        #expect(task != nil)
        try await server.waitForRequests(1)
        gate.open()
        try await done.opened()
        #expect(text.withLock { $0 } == "whole")
        // And then nothing of either is left: the connection is closed.
        try await server.waitForOpenConnections()
        await until { task == nil }
    }
}

extension TaskEvent {
    var name: String {
        switch self {
        case .resumed: "resumed"
        case .suspended: "suspended"
        case .sent: "sent"
        case .informational: "informational"
        case .redirected: "redirected"
        case .sentAgain: "sentAgain"
        case .retrying: "retrying"
        case .waitingForConnectivity: "waiting"
        case .response: "response"
        case .received: "received"
        case .measured: "measured"
        case .completed: "completed"
        }
    }
}
