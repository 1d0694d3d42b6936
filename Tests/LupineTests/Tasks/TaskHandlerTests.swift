import Dispatch
import FoundationEssentials
import Lupine
import LupineCore
import LupineTesting
import Testing

/// Handlers: of a session, and of a task; what they decide, and what they are told.
@Suite(.timeLimit(.minutes(2)))
struct TaskHandlerTests {
    private let server: LoopbackServer

    init() throws {
        server = try LoopbackServer(
            handler: LoopbackServer.serving { request in
                request.path == "/large"
                    ? LoopbackResponse(body: [UInt8](repeating: 7, count: 5_000_000)) : .text("hello")
            })
    }

    private func task(
        _ session: URLSessionManager, _ path: String = "/", _ handlers: TaskHandlers? = nil
    ) throws -> SessionTask {
        session.dataTask(
            with: HTTPRequest(url: try HTTPURL(server.url(path)), options: session.configuration.options),
            handlers: handlers)
    }

    @Test(arguments: ["/", "/large"], [true, false])
    func theResponseIsAllowedOrDeclined(_ path: String, _ allows: Bool) async throws {
        var handlers = TaskHandlers()
        let heads = Lock<[HTTPStatus]>([])
        handlers.response = { task, response in
            heads.withLock { $0.append(response.status) }
            // Not told before the decision.
            #expect(task.response == nil)
            return allows ? .allow : .cancel
        }
        let session = URLSessionManager.direct { $0.handlers = handlers }
        let task = try task(session, path)
        if allows {
            #expect(try await task.result().data.count == (path == "/" ? 5 : 5_000_000))
        } else {
            let error = await #expect(throws: LupineError.self) { try await task.result() }
            #expect(error?.code == .cancelled)
            #expect(error?.response?.status == 200)
        }
        #expect(heads.withLock { $0 } == [200])
        // The next request is asked about too, and comes to no harm.
        if allows { #expect(try await session.send(.get, server.url()).text == "hello") }
        await session.invalidate()
    }

    @Test func theTasksDecisionGoesBeforeTheSessions() async throws {
        var ofSession = TaskHandlers(), ofTask = TaskHandlers()
        ofSession.response = { _, _ in .cancel }
        ofTask.response = { _, _ in .allow }
        let session = URLSessionManager.direct { $0.handlers = ofSession }
        #expect(try await task(session, "/", ofTask).result().text == "hello")
        let code = await #expect(throws: LupineError.self) { try await task(session, "/", TaskHandlers()).result() }?
            .code
        #expect(code == .cancelled)
        await session.invalidate()
    }

    @Test func bothAreToldInOrder() async throws {
        let told = Lock<[String]>([])
        var ofSession = TaskHandlers(), ofTask = TaskHandlers()
        ofSession.event = { _, event in told.withLock { $0.append("session \(event.name)") } }
        ofTask.event = { _, event in told.withLock { $0.append("task \(event.name)") } }
        ofTask.data = { _, data in told.withLock { $0.append("data \(data.count)") } }
        let session = URLSessionManager.direct { $0.handlers = ofSession }
        _ = try await task(session, "/", ofTask).result()
        await session.invalidate()
        session.configuration.eventQueue.sync {}
        let names = ["resumed", "response", "received", "measured", "completed"]
        #expect(told.withLock { $0 }.filter { $0.hasPrefix("task") } == names.map { "task \($0)" })
        #expect(told.withLock { $0 }.filter { $0.hasPrefix("session") } == names.map { "session \($0)" })
        #expect(told.withLock { $0 }.filter { $0.hasPrefix("data") } == ["data 5"])
    }

    /// A closure that takes its time holds its transfer up, not the memory, and nobody else.
    @Test func slowHandlersHoldTheirTransferUp() async throws {
        let gate = Gate(), seen = Lock(0), first = Gate()
        var handlers = TaskHandlers()
        handlers.data = { _, data in
            first.open()
            let semaphore = DispatchSemaphore(value: 0)
            Task {
                try? await gate.opened()
                semaphore.signal()
            }
            semaphore.wait()
            seen.withLock { $0 += data.count }
        }
        let session = URLSessionManager.direct()
        let task = try task(session, "/large", handlers)
        task.resume()
        try await first.opened()
        for _ in 0..<50 { #expect(try await session.send(.get, server.url()).text == "hello") }
        #expect(task.downloadProgress.completed < 4_000_000)
        gate.open()
        #expect(try await task.result().data.count == 5_000_000)
        session.configuration.eventQueue.sync {}
        #expect(seen.withLock { $0 } == 5_000_000)
        await session.invalidate()
    }

    /// A handler may ask anything of the session, from within.
    @Test func handlersMayReenterTheSession() async throws {
        let server = server
        let inner = Lock<[String?]>([])
        let session = Lock<URLSessionManager?>(nil)
        var handlers = TaskHandlers()
        handlers.response = { task, _ in
            let session = session.withLock { $0 }
            _ = session?.tasks
            _ = task.metrics
            task.suspend()
            task.resume()
            guard task.originalRequest.url.path == "/outer" else { return .allow }
            let text = try await session?.send(.get, server.url("/inner")).text
            inner.withLock { $0.append(text) }
            return .allow
        }
        handlers.event = { task, _ in
            _ = session.withLock { $0 }?.tasks
            task.taskDescription = "seen"
        }
        let made = URLSessionManager.direct { $0.handlers = handlers }
        session.withLock { $0 = made }
        #expect(try await made.send(.get, server.url("/outer")).text == "hello")
        #expect(inner.withLock { $0 } == ["hello"])
        await made.invalidate()
        session.withLock { $0 = nil }
    }

    @Test func aHandlerThatThrowsEndsItsTask() async throws {
        var handlers = TaskHandlers()
        handlers.response = { _, _ in throw LupineError(.unsupported, "mine") }
        let session = URLSessionManager.direct()
        let error = await #expect(throws: LupineError.self) { try await task(session, "/large", handlers).result() }
        #expect(error?.code == .unsupported && error?.message == "mine")
        #expect(try await session.send(.get, server.url()).text == "hello")
        await session.invalidate()
    }

    // MARK: AFNetworking's closures

    private func api(_ change: (inout SessionConfiguration) -> Void = { _ in }) -> HTTPSessionManager {
        var configuration = SessionConfiguration()
        configuration.options.route.proxy = .none
        configuration.callbackQueue = DispatchQueue(label: "callbacks")
        change(&configuration)
        return HTTPSessionManager(baseURL: server.url("/v1"), configuration: configuration)
    }

    @Test func everyVerbHasItsClosures() async throws {
        struct Echo: Decodable, Sendable { let method: String, target: String, body: String }
        let server = try LoopbackServer(
            handler: LoopbackServer.serving { request in
                let body = request.text.replacing("\"", with: "'")
                let text = #"{"method":"\#(request.method)","target":"\#(request.target)","body":"\#(body)"}"#
                return LoopbackResponse(headers: ["Content-Type": "application/json"], body: Array(text.utf8))
            })
        var configuration = SessionConfiguration()
        configuration.options.route.proxy = .none
        configuration.callbackQueue = DispatchQueue(label: "callbacks")
        let api = HTTPSessionManager(baseURL: server.url("/v1"), configuration: configuration)
        let seen = Lock<[String]>([]), failures = Lock<[String]>([])
        let done = DispatchGroup()
        let note: @Sendable (SessionTask, Echo) -> Void = { _, echo in
            seen.withLock { $0.append("\(echo.method) \(echo.target) \(echo.body)") }
            done.leave()
        }
        let raw: @Sendable (SessionTask, DataResponse) -> Void = { task, answer in
            seen.withLock { $0.append("raw \(task.originalRequest.method) \(answer.status)") }
            done.leave()
        }
        let failed: @Sendable (SessionTask?, LupineError) -> Void = { _, error in
            failures.withLock { $0.append("\(error)") }
            done.leave()
        }
        for _ in 0..<11 { done.enter() }
        let tasks = [
            api.get("a", parameters: ["x": 1], as: Echo.self, success: note, failure: failed),
            api.post("a", parameters: ["x": 1], as: Echo.self, success: note, failure: failed),
            api.put("a", parameters: ["x": 1], as: Echo.self, success: note, failure: failed),
            api.patch("a", parameters: ["x": 1], as: Echo.self, success: note, failure: failed),
            api.delete("a", parameters: ["x": 1], as: Echo.self, success: note, failure: failed),
            api.get("a", success: raw, failure: failed), api.head("a", success: raw, failure: failed),
            api.post("a", success: raw, failure: failed), api.put("a", success: raw, failure: failed),
            api.patch("a", success: raw, failure: failed), api.delete("a", success: raw, failure: failed),
        ]
        #expect(tasks.allSatisfy { $0 != nil })
        await withCheckedContinuation { continuation in done.notify(queue: .global()) { continuation.resume() } }
        #expect(failures.withLock { $0 } == [])
        #expect(
            Set(seen.withLock { $0 }) == [
                "GET /v1/a?x=1 ", "POST /v1/a x=1", "PUT /v1/a x=1", "PATCH /v1/a x=1", "DELETE /v1/a?x=1 ",
                "raw GET 200", "raw HEAD 200", "raw POST 200", "raw PUT 200", "raw PATCH 200", "raw DELETE 200",
            ])
        await api.invalidate()
    }

    /// A request that cannot be made calls `failure`, later and without a task; a bad status calls it with both.
    @Test func failuresAreToldOnce() async throws {
        let server = try LoopbackServer(
            handler: LoopbackServer.serving { _ in .text(#"{"reason":"no"}"#, status: 404) })
        let api = api()
        let calls = Lock<[(SessionTask?, LupineError)]>([]), done = DispatchGroup()
        let failed: @Sendable (SessionTask?, LupineError) -> Void = { task, error in
            calls.withLock { $0.append((task, error)) }
            done.leave()
        }
        let never: @Sendable (SessionTask, DataResponse) -> Void = { _, _ in Issue.record("a success") }
        done.enter()
        #expect(api.get("http://[", success: never, failure: failed) == nil)
        done.enter()
        #expect(api.get(server.url(), success: never, failure: failed) != nil)
        await withCheckedContinuation { continuation in done.notify(queue: .global()) { continuation.resume() } }
        let codes = calls.withLock { $0 }.map(\.1.code)
        #expect(Set(codes) == [.invalidURL, .unacceptableStatus])
        let bad = try #require(calls.withLock { $0 }.first { $0.1.code == .unacceptableStatus })
        #expect(bad.0?.response?.status == 404)
        #expect(bad.1.data == Data(#"{"reason":"no"}"#.utf8))
        await api.invalidate()
    }

    @Test func aCopyHasAnotherConfiguration() async throws {
        let api = api()
        let copy = api.copy { $0.headers["X-Mark"] = "copy" }
        #expect(copy.baseURL == api.baseURL)
        _ = try await copy.get("x")
        _ = try await api.get("y")
        #expect(server.requests.map { $0.headers["X-Mark"] } == ["copy", nil])
        await api.invalidate()
        _ = try await copy.get("z")
        await copy.invalidate()
    }
}
