import Dispatch
import FoundationEssentials
import Lupine
import LupineCore
import LupineTesting
import Testing

/// Redirects that a handler decides on, and bodies that are given anew.
@Suite(.timeLimit(.minutes(2)))
struct TaskDecisionTests {
    private func server(
        _ location: String = "/end", _ status: Int = 302, body: LoopbackResponse = LoopbackResponse()
    ) throws -> LoopbackServer {
        try .redirecting(to: location, status, body: body)
    }

    enum Decision: CaseIterable { case follow, change, refuse, fail }

    @Test(arguments: Decision.allCases, [0, 5, 3_000_000])
    func theHandlerDecides(_ decision: Decision, _ size: Int) async throws {
        struct Mine: Error {}
        let server = try server(body: LoopbackResponse(body: [UInt8](repeating: 7, count: size)))
        let asked = Lock<[String]>([])
        var handlers = TaskHandlers()
        handlers.redirect = { task, response, next in
            asked.withLock { $0.append("\(task.originalRequest.url.path) \(response.status) \(next.url.path)") }
            switch decision {
            case .follow: return next
            case .change:
                var next = next
                next.url = try next.url.resolve("/changed")
                next.headers["X-Hop"] = "1"
                return next
            case .refuse: return nil
            case .fail: throw Mine()
            }
        }
        let session = URLSessionManager.direct()
        let task = session.dataTask(
            with: HTTPRequest(url: try HTTPURL(server.url("/start")), options: session.configuration.options),
            handlers: handlers)
        switch decision {
        case .follow: #expect(try await task.result().text == "GET /end ")
        case .change:
            #expect(try await task.result().text == "GET /changed ")
            #expect(server.requests.last?.headers["X-Hop"] == "1")
        case .refuse:
            let reply = try await task.result()
            #expect(reply.status == 302)
            #expect(reply.data.count == size)
            #expect(reply.redirects.isEmpty)
        case .fail:
            let error = await #expect(throws: LupineError.self) { try await task.result() }
            #expect(error?.code == .cancelled)
            #expect(error?.underlying is Mine)
            #expect(error?.response?.status == 302)
        }
        #expect(asked.withLock { $0 } == ["/start 302 /end"])
        #expect(server.requestCount == (decision == .follow || decision == .change ? 2 : 1))
        await session.invalidate()
    }

    /// A decision that comes after the redirect has ended holds up nothing of what follows.
    @Test func decidedAfterTheEnd() async throws {
        let server = try LoopbackServer(
            handler: LoopbackServer.serving { request in
                request.path == "/start"
                    ? .redirect(to: "/end") : LoopbackResponse(body: [UInt8](repeating: 7, count: 3_000_000))
            })
        let session = URLSessionManager.direct()
        var handlers = TaskHandlers()
        handlers.redirect = { task, _, next in
            // The redirect's own exchange is measured at its end.
            await until { !task.metrics.transactions.isEmpty }
            return next
        }
        let task = session.dataTask(
            with: HTTPRequest(url: try HTTPURL(server.url("/start")), options: session.configuration.options),
            handlers: handlers)
        #expect(try await task.result().data.count == 3_000_000)
        await session.invalidate()
    }

    /// A task whose redirect is being decided, until the gate is open.
    private func deciding(
        _ session: URLSessionManager, _ server: LoopbackServer, until decided: Gate
    ) async throws -> SessionTask {
        let deciding = Gate()
        var handlers = TaskHandlers()
        handlers.redirect = { _, _, next in
            deciding.open()
            try await decided.opened()
            return next
        }
        let task = session.dataTask(
            with: HTTPRequest(url: try HTTPURL(server.url("/start")), options: session.configuration.options),
            handlers: handlers)
        task.resume()
        try await deciding.opened()
        return task
    }

    /// While a decision is awaited the task can be cancelled, and the answer to it does nothing any more.
    @Test(arguments: [0, 3_000_000])
    func cancelledWhileDeciding(_ size: Int) async throws {
        let server = try server(body: LoopbackResponse(body: [UInt8](repeating: 7, count: size)))
        let session = URLSessionManager.direct(), decided = Gate()
        let task = try await deciding(session, server, until: decided)
        task.cancel()
        let error = await #expect(throws: LupineError.self) { try await task.result() }
        #expect(error?.code == .cancelled)
        decided.open()
        #expect(try await session.send(.get, server.url("/after")).text == "GET /after ")
        #expect(server.requests.map(\.path) == ["/start", "/after"])
        await session.invalidate()
    }

    /// While a decision is awaited what comes of the redirect's body is nobody's: it fills no reader, reaches no handler, counts
    /// as no progress.
    @Test(arguments: [0, 12, 3_000_000])
    func theBodyOfARedirectThatIsDecidedOn(_ size: Int) async throws {
        let server = try server(body: LoopbackResponse(body: [UInt8](repeating: 7, count: size)))
        let seen = Lock(Data()), names = Lock<[String]>([]), isOver = Gate()
        var handlers = TaskHandlers()
        handlers.redirect = { _, _, next in
            for _ in 0..<1000 { await Task.yield() }
            return next
        }
        handlers.data = { _, data in seen.withLock { $0 += data } }
        handlers.event = { _, event in
            names.withLock { $0.append(event.name) }
            if case .completed = event { isOver.open() }
        }
        let session = URLSessionManager.direct { $0.handlers = handlers }
        let request = HTTPRequest(url: try HTTPURL(server.url("/start")), options: session.configuration.options)
        let streamed = try await session.stream(for: request)
        var text = Data()
        for try await piece in streamed.body { text += piece }
        #expect(text == Data("GET /end ".utf8))
        try await isOver.opened()
        session.configuration.eventQueue.sync {}
        #expect(seen.withLock { $0 } == text)
        #expect(
            names.withLock { $0 } == [
                "resumed", "measured", "redirected", "response", "received", "measured", "completed",
            ])
        await session.invalidate()
    }

    /// Nothing is told after the end, whatever a decision that comes later says.
    @Test(arguments: [true, false])
    func nothingIsToldAfterTheEnd(follows: Bool) async throws {
        let server = try server()
        let deciding = Gate(), decided = Gate(), returned = Gate()
        let names = Lock<[String]>([])
        var handlers = TaskHandlers()
        handlers.redirect = { _, _, next in
            deciding.open()
            // Deaf to being cancelled.
            try await Task { try await decided.opened() }.value
            defer { returned.open() }
            return follows ? next : nil
        }
        handlers.event = { _, event in names.withLock { $0.append(event.name) } }
        let session = URLSessionManager.direct()
        weak var left: SessionTask?
        do {
            let task = session.dataTask(
                with: HTTPRequest(url: try HTTPURL(server.url("/start")), options: session.configuration.options),
                handlers: handlers)
            task.resume()
            try await deciding.opened()
            // Its exchange is over, and only the decision is waited for.
            await until { !task.metrics.transactions.isEmpty }
            task.cancel()
            _ = try? await task.result()
            left = task
        }
        decided.open()
        try await returned.opened()
        await until { left == nil }
        session.configuration.eventQueue.sync {}
        #expect(names.withLock { $0.last } == "completed")
        #expect(server.requestCount == 1)
        await session.invalidate()
    }

    /// A handler that sends the request elsewhere does not send along what was for the first origin, save what it adds itself.
    @Test func aHandlerLeavesSecretsBehind() async throws {
        let other = try LoopbackServer(handler: LoopbackServer.echo)
        let server = try server()
        var handlers = TaskHandlers()
        handlers.redirect = { _, _, next in
            var next = next
            next.url = try HTTPURL(other.url("/x"))
            next.headers["X-Api-Token"] = "its own"
            return next
        }
        let session = URLSessionManager.direct()
        let task = session.dataTask(
            with: HTTPRequest(
                url: try HTTPURL(server.url("/start").replacing("http://", with: "http://ada:pw@")),
                headers: ["Cookie": "a=b", "X-Note": "n"], options: session.configuration.options),
            handlers: handlers)
        _ = try await task.result()
        let sent = try #require(other.requests.first)
        #expect(sent.headers["Authorization"] == nil && sent.headers["Cookie"] == nil)
        #expect(sent.headers["X-Api-Token"] == "its own" && sent.headers["X-Note"] == "n")
        await session.invalidate()
    }

    /// A redirect's body that trickles, or an upload that it does not read, is not waited for.
    @Test func aSlowRedirectIsLeft() async throws {
        let server = try LoopbackServer { connection in
            while let request = try connection.readRequest() {
                guard request.path == "/start" else {
                    try connection.send(.text("end"), to: request)
                    continue
                }
                try connection.send("HTTP/1.1 302 Found\r\nLocation: /end\r\nContent-Length: 10\r\n\r\nhal")
                try connection.stall()
            }
        }
        let session = URLSessionManager.direct { $0.options.timeouts.idle = nil }
        #expect(try await session.send(.get, server.url("/start")).text == "end")
        await session.invalidate()
    }

    /// The body that a redirect's handler gives is the one that is sent.
    @Test func theHandlersBodyIsSent() async throws {
        let server = try server("/end", 307)
        var handlers = TaskHandlers()
        handlers.redirect = { _, _, next in
            var next = next
            next.body = .text("chosen")
            return next
        }
        handlers.newBody = { _ in .text("new") }
        let session = URLSessionManager.direct()
        let request = HTTPRequest(
            method: .post, url: try HTTPURL(server.url("/start")), body: .oneShotStream(reader: PiecesReader(["abc"])),
            options: session.configuration.options)
        let task = session.uploadTask(withStreamedRequest: request, handlers: handlers, completion: nil)
        #expect(try await task.result().text == "POST /end chosen")
        await session.invalidate()
    }

    enum Answer: CaseIterable { case text, oneShot, none, refuse, proposed, original }

    /// Where the body can be read only once the handler is asked before anything is refused; its answer must not need that body.
    @Test(arguments: Answer.allCases)
    func theHandlerIsAskedAboutASpentBody(_ answer: Answer) async throws {
        let server = try server("/end", 307)
        let proposed = Lock<[Bool]>([])
        var handlers = TaskHandlers()
        handlers.redirect = { task, _, next in
            proposed.withLock { $0.append(next.body.isRewindable) }
            var next = next
            switch answer {
            case .text: next.body = .text("chosen")
            case .oneShot: next.body = .oneShotStream(reader: PiecesReader(["cho", "sen"]))
            case .none: (next.method, next.body) = (.get, .empty)
            case .refuse: return nil
            case .proposed: break
            case .original: next = task.originalRequest
            }
            return next
        }
        let session = URLSessionManager.direct()
        let request = HTTPRequest(
            method: .post, url: try HTTPURL(server.url("/start")), body: .oneShotStream(reader: PiecesReader(["abc"])),
            options: session.configuration.options)
        let task = session.uploadTask(withStreamedRequest: request, handlers: handlers, completion: nil)
        switch answer {
        case .text, .oneShot: #expect(try await task.result().text == "POST /end chosen")
        case .none: #expect(try await task.result().text == "GET /end ")
        case .refuse: #expect(try await task.result().status == 307)
        case .proposed, .original:
            let error = await #expect(throws: LupineError.self) { try await task.result() }
            #expect(error?.code == .uploadSourceFailed)
            #expect(error?.message.contains("only once") == true)
            #expect(error?.response?.status == 307)
            #expect(server.requestCount == 1)
        }
        #expect(proposed.withLock { $0 } == [false])
        await session.invalidate()
    }

    /// A body that was spent some redirects ago is still spent.
    @Test func aBodyOfLongAgo() async throws {
        let server = try LoopbackServer(
            handler: LoopbackServer.serving { request in
                request.path == "/end" ? .text(request.text) : .redirect(to: "\(request.path)x", status: 307)
            })
        var handlers = TaskHandlers()
        handlers.redirect = { task, _, next in
            var next = next
            next.body =
                next.url.path == "/startx" ? .oneShotStream(reader: PiecesReader(["b"])) : task.originalRequest.body
            return next
        }
        let session = URLSessionManager.direct()
        let request = HTTPRequest(
            method: .post, url: try HTTPURL(server.url("/start")), body: .oneShotStream(reader: PiecesReader(["a"])),
            options: session.configuration.options)
        let task = session.uploadTask(withStreamedRequest: request, handlers: handlers, completion: nil)
        let error = await #expect(throws: LupineError.self) { try await task.result() }
        #expect(error?.code == .uploadSourceFailed)
        #expect(server.requests.map(\.text) == ["a", "b"])
        await session.invalidate()
    }

    /// Suspended between two exchanges, the next one waits.
    @Test func suspendedWhileDeciding() async throws {
        let server = try server()
        let session = URLSessionManager.direct(), decided = Gate()
        let task = try await deciding(session, server, until: decided)
        task.suspend()
        decided.open()
        #expect(try await session.send(.get, server.url("/other")).text == "GET /other ")
        #expect(task.state == .suspended)
        #expect(!server.requests.map(\.path).contains("/end"))
        #expect(try await task.result().text == "GET /end ")
        await session.invalidate()
    }

    /// Cancelled between two exchanges, it still knows what the first one measured.
    @Test func metricsOfWhatEndedBeforeTheDecision() async throws {
        let server = try server()
        let measured = Gate(), decided = Gate()
        var handlers = TaskHandlers()
        handlers.redirect = { _, _, next in
            try await decided.opened()
            return next
        }
        handlers.event = { _, event in if case .measured = event { measured.open() } }
        let session = URLSessionManager.direct()
        let task = session.dataTask(
            with: HTTPRequest(url: try HTTPURL(server.url("/start")), options: session.configuration.options),
            handlers: handlers)
        task.resume()
        try await measured.opened()
        #expect(task.metrics.transactions.map(\.status) == [302])
        task.cancel()
        let error = await #expect(throws: LupineError.self) { try await task.result() }
        #expect(error?.code == .cancelled)
        #expect(task.metrics.transactions.map(\.status) == [302])
        decided.open()
        await session.invalidate()
    }

    // MARK: Bodies that are sent again

    @Test(arguments: [true, false], [true, false])
    func aBodyThatCanBeReadOnce(gives: Bool, hasHandler: Bool) async throws {
        let server = try server("/end", 307)
        var handlers = TaskHandlers()
        if hasHandler { handlers.newBody = { _ in gives ? .oneShotStream(reader: PiecesReader(["ab", "c"])) : nil } }
        let session = URLSessionManager.direct()
        let request = HTTPRequest(
            method: .post, url: try HTTPURL(server.url("/start")), body: .oneShotStream(reader: PiecesReader(["abc"])),
            options: session.configuration.options)
        let task = session.uploadTask(withStreamedRequest: request, handlers: handlers, completion: nil)
        if gives, hasHandler {
            #expect(try await task.result().text == "POST /end abc")
        } else {
            let error = await #expect(throws: LupineError.self) { try await task.result() }
            #expect(error?.code == .uploadSourceFailed)
            #expect(server.requestCount == 1)
        }
        await session.invalidate()
    }
}
