import Dispatch
import Foundation
import Lupine
import LupineCore
import LupineFoundationBridge
import LupineTesting
import Testing

/// AFNetworking's notifications. Tests that AFNetworking has are named after its.
@Suite(.timeLimit(.minutes(2)))
struct NotificationTests {
    private let center = NotificationCenter()
    private let queue = DispatchQueue(label: "notifications")
    private let server: LoopbackServer

    init() throws {
        server = try LoopbackServer(
            handler: LoopbackServer.routes([
                "/": .text("hello"), "/json": .json("{\"id\": 7}"), "/404": .json("{\"why\": \"gone\"}", status: 404),
                "/html": .text("<html>"), "/null": .json("null"),
            ]))
    }

    private func session(_ change: (inout SessionConfiguration) -> Void = { _ in }) -> URLSessionManager {
        .direct { configuration in
            configuration.postsNotifications(on: center, queue: queue)
            change(&configuration)
        }
    }

    /// A server that answers once the gate is open: until then a task of its is under way, and turns as it is told.
    private func waitingServer(_ gate: Gate) throws -> LoopbackServer {
        try LoopbackServer { connection in
            while try connection.readRequest() != nil {
                try connection.wait(gate)
                try connection.send(.text("hello"))
            }
        }
    }

    private func task(
        _ kind: SessionTask.Kind, _ session: URLSessionManager, _ server: LoopbackServer? = nil
    ) throws -> SessionTask {
        let request = try session.request((server ?? self.server).url(), method: kind == .data ? .get : .post)
        return kind == .data
            ? session.dataTask(with: request) { _, _ in }
            : session.uploadTask(with: request, from: Data(count: 1000), completion: { _, _ in })
    }

    @Test(arguments: [SessionTask.Kind.data, .upload])
    func didResumeNotificationIsReceivedByLocalTaskAfterResume(_ kind: SessionTask.Kind) async throws {
        let session = session(), posted = Posted(center), gate = Gate(), server = try waitingServer(gate)
        let task = try self.task(kind, session, server)
        task.resume()
        task.suspend()
        task.resume()
        gate.open()
        try await posted.completed(1)
        #expect(posted.names.filter { $0 == .networkingTaskDidResume }.count == 2)
        #expect(posted.all.allSatisfy { $0.task === task })
        await session.invalidate()
    }

    /// However quickly it is taken back.
    @Test(arguments: [SessionTask.Kind.data, .upload])
    func didSuspendNotificationIsReceivedByLocalTaskAfterSuspend(_ kind: SessionTask.Kind) async throws {
        let session = session(), posted = Posted(center), gate = Gate(), server = try waitingServer(gate)
        let task = try self.task(kind, session, server)
        task.suspend()
        for _ in 0..<5 {
            task.resume()
            task.resume()
            task.suspend()
            task.suspend()
        }
        task.resume()
        gate.open()
        try await posted.completed(1)
        let turns = Array(repeating: [Notification.Name.networkingTaskDidResume, .networkingTaskDidSuspend], count: 5)
        #expect(posted.names == turns.joined() + [.networkingTaskDidResume, .networkingTaskDidComplete])
        // After the end nothing turns any more.
        task.suspend()
        task.resume()
        task.cancel()
        await session.invalidate()
        session.configuration.eventQueue.sync {}
        queue.sync {}
        #expect(posted.names.count == 13, "12, and the session's end")
    }

    @Test func sessionTaskDoesReportMetrics() async throws {
        let session = session(), posted = Posted(center)
        let task = try self.task(.data, session)
        task.resume()
        try await posted.completed(1)
        let metrics = try #require(posted.completions.first?.metrics)
        #expect(metrics == task.metrics)
        #expect(metrics.transactions.first?.status == 200)
        #expect(metrics.transactions.first?.transfer.receivedBytes == 5)
        await session.invalidate()
    }

    @Test func theRawValuesAreAFNetworkings() {
        let names: [Notification.Name] = [
            .networkingTaskDidResume, .networkingTaskDidSuspend, .networkingTaskDidComplete, .urlSessionDidInvalidate,
        ]
        #expect(
            names.map(\.rawValue) == [
                "com.alamofire.networking.task.resume", "com.alamofire.networking.task.suspend",
                "com.alamofire.networking.task.complete", "com.alamofire.networking.session.invalidate",
            ])
    }

    /// The handler takes its time, and the notification waits; the group is left after the notification is on its way.
    @Test(arguments: [false, true])
    func completeIsPostedAfterTheCompletionHandler(isSerialized: Bool) async throws {
        let order = Noted<String>(), group = DispatchGroup(), session = session { $0.callbackGroup = group }
        let posted = Posted(center) { if $0.name == .networkingTaskDidComplete { order.note("posted") } }
        let queue = queue
        let request = try session.request(server.url("/json"))
        let handler: @Sendable () -> Void = {
            // All that is on its way to the observers has reached them.
            queue.sync {}
            order.note("handler")
        }
        let task =
            isSerialized
            ? session.dataTask(with: request, serializer: JSONResponseSerializer()) { _, _ in handler() }
            : session.dataTask(with: request) { _, _ in handler() }
        task.resume()
        try await posted.completed(1)
        #expect(order.values == ["handler", "posted"])
        await withCheckedContinuation { continuation in group.notify(queue: queue) { continuation.resume() } }
        await session.invalidate()
    }

    @Test func whatASuccessTells() async throws {
        let session = session(), posted = Posted(center)
        let task = session.dataTask(
            with: try session.request(server.url("/json")), serializer: JSONResponseSerializer()
        ) {
            _, _ in
        }
        task.resume()
        try await posted.completed(1)
        let completion = try #require(posted.completions.first)
        #expect(completion.data == Data("{\"id\": 7}".utf8))
        #expect(completion.json?["id"] == 7)
        #expect(completion.error == nil)
        #expect(completion.keys.count == 3)
        await session.invalidate()
    }

    /// The transport's error, with what had come; the serializer's, with the whole body.
    @Test func whatAFailureTells() async throws {
        let cut = try LoopbackServer { connection in
            _ = try connection.readRequest()
            try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 8\r\n\r\nhell")
        }
        let session = session(), posted = Posted(center)
        session.dataTask(with: try session.request(cut.url())) { _, _ in }.resume()
        try await posted.completed(1)
        session.dataTask(with: try session.request(server.url("/html")), serializer: JSONResponseSerializer()) { _, _ in
        }
        .resume()
        try await posted.completed(2)
        #expect(posted.completions.map(\.error?.code) == [.incompleteBody, .unacceptableContentType])
        #expect(posted.completions.map(\.data) == [Data("hell".utf8), Data("<html>".utf8)])
        #expect(posted.completions.allSatisfy { $0.json == nil && $0.metrics != nil })
        await session.invalidate()
    }

    /// AFNetworking's closures: a status that is no success is the error of the notification too.
    @Test func ofTheVerbs() async throws {
        let posted = Posted(center)
        let api = HTTPSessionManager(baseURL: server.url(), configuration: session().configuration)
        api.get("404", success: { _, _ in Issue.record("404 is none") }, failure: { _, _ in })
        try await posted.completed(1)
        api.get("404", as: [String: String].self, success: { _, _ in Issue.record("404 is none") })
        try await posted.completed(2)
        api.get("json", as: [String: Int].self, success: { _, _ in })
        try await posted.completed(3)
        api.get("json", success: { _, _ in })
        try await posted.completed(4)
        #expect(
            posted.completions.map(\.error?.code) == [.unacceptableStatus, .unacceptableStatus, nil, nil])
        #expect(posted.completions.map(\.dictionary) == [nil, nil, ["id": 7], nil])
        // A value that is nothing is none.
        api.get("null", as: [String: Int]?.self, success: { _, _ in })
        try await posted.completed(5)
        #expect(posted.completions.map(\.keys.count) == [3, 3, 3, 2, 2])
        #expect(posted.completions.allSatisfy { $0.data?.isEmpty == false })
        await api.invalidate()
    }

    /// Tasks that nobody sees, those without a handler, and those never begun.
    @Test func everyTaskOfTheSession() async throws {
        let session = session(), posted = Posted(center)
        _ = try await session.data(for: try session.request(server.url()))
        try await posted.completed(1)
        var read = Data()
        for try await piece in try await session.stream(for: try session.request(server.url())).body { read += piece }
        #expect(read == Data("hello".utf8))
        try await posted.completed(2)
        session.dataTask(with: try session.request(server.url())).resume()
        try await posted.completed(3)
        let cancelled = session.dataTask(with: try session.request(server.url()))
        cancelled.cancel()
        try await posted.completed(4)
        let pair = [Notification.Name.networkingTaskDidResume, .networkingTaskDidComplete]
        #expect(posted.names == pair + pair + pair + [.networkingTaskDidComplete])
        #expect(posted.completions.map(\.data) == [Data("hello".utf8), nil, Data("hello".utf8), nil])
        #expect(posted.completions.last?.error?.code == .cancelled)
        await session.invalidate()
    }

    @Test func observersOfOneTaskHearOfNoOther() async throws {
        let session = session(), all = Posted(center)
        let task = try self.task(.data, session), other = try self.task(.data, session)
        let mine = Posted(center, of: task)
        other.resume()
        try await all.completed(1)
        task.resume()
        try await all.completed(2)
        #expect(mine.names == [.networkingTaskDidResume, .networkingTaskDidComplete])
        #expect(mine.all.allSatisfy { $0.task === task })
        await session.invalidate()
    }

    @Test func theSessionsEndIsPostedAfterItsHandler() async throws {
        let order = Noted<String>(), invalidated = Gate()
        let session = session { $0.didBecomeInvalid = { order.note("handler") } }
        let posted = Posted(center) { posted in
            order.note("posted")
            if posted.name == .urlSessionDidInvalidate { invalidated.open() }
        }
        await session.invalidate()
        await session.invalidate()
        try await invalidated.opened()
        session.configuration.eventQueue.sync {}
        queue.sync {}
        #expect(order.values == ["handler", "posted"])
        #expect(posted.all.first?.session === session)
    }

    /// Handlers set before or after are told as they would be without.
    @Test func handlersAreToldAsBefore() async throws {
        let told = Noted<Bool>(), done = Gate()
        var handlers = TaskHandlers()
        handlers.event = { _, event in
            if case .completed(let error) = event {
                told.note(error == nil)
                done.open()
            }
        }
        let session = session { $0.handlers = handlers }, posted = Posted(center)
        try task(.data, session).resume()
        try await posted.completed(1)
        try await done.opened()
        #expect(told.values == [true])
        await session.invalidate()
    }

    /// A task with several tries resumes and ends once.
    @Test func triesAreOneTask() async throws {
        let left = Lock(2)
        let failing = try LoopbackServer(
            handler: LoopbackServer.serving { _ in
                let fails = left.withLock { left in
                    left -= 1
                    return left >= 0
                }
                return fails ? .text("busy", status: 503) : .text("done")
            })
        let session = session { $0.handlers.retriers = [Retrier { _, _ in .retry }] }, posted = Posted(center)
        let answer = try await session.data(for: try session.request(failing.url()))
        #expect(answer.text == "done" && answer.sendings == 3)
        try await posted.completed(1)
        await session.invalidate()
        queue.sync {}
        #expect(posted.all.count { $0.name == .networkingTaskDidResume } == 1)
        #expect(posted.all.count { $0.name == .networkingTaskDidComplete } == 1)
    }

    /// On the main queue unless told otherwise, and of the last center that was given.
    @Test func theMainQueueByDefault() async throws {
        let isMain = Noted<Bool>(), other = NotificationCenter(), key = DispatchSpecificKey<Bool>()
        DispatchQueue.main.setSpecific(key: key, value: true)
        let session = URLSessionManager.direct { configuration in
            configuration.postsNotifications(on: other, queue: queue)
            configuration.postsNotifications(on: center)
        }
        let unposted = Posted(other),
            posted = Posted(center) { _ in isMain.note(DispatchQueue.getSpecific(key: key) == true) }
        _ = try await session.data(for: try session.request(server.url()))
        try await posted.completed(1)
        #expect(isMain.values == [true, true])
        queue.sync {}
        #expect(unposted.all.isEmpty)
        await session.invalidate()
    }

    /// None is asked for, none is posted.
    @Test func nothingIsPostedUnasked() async throws {
        let session = URLSessionManager.direct()
        let task = session.dataTask(with: try session.request(server.url()))
        let posted = Posted(.default, of: task)
        _ = try await task.result()
        await session.invalidate()
        #expect(posted.all.isEmpty)
    }
}
