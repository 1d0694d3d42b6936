import Dispatch
import FoundationEssentials
import Lupine
import LupineCore
import LupineTesting
import Testing

/// Redirects as a session follows them: hop by hop, over real connections.
@Suite(.timeLimit(.minutes(2)))
struct TaskRedirectTests {
    /// Answers paths that are statuses with that status and a `Location`, and all others with what it was asked.
    private func server(
        _ location: String = "/end", _ status: Int = 302, body: LoopbackResponse = LoopbackResponse()
    ) throws -> LoopbackServer {
        try LoopbackServer(
            handler: LoopbackServer.serving { request in
                guard request.path == "/start" else {
                    return .text("\(request.method) \(request.target) \(request.text)")
                }
                var answer = body
                answer.status = HTTPStatus(rawValue: status)
                answer.headers.add(name: "Location", value: location)
                return answer
            })
    }

    @Test(arguments: [301, 302, 303, 307, 308], [HTTPMethod.get, .post])
    func methodAndBody(_ status: Int, _ method: HTTPMethod) async throws {
        let server = try server("/end?q=1#there", status)
        let session = URLSessionManager.direct()
        let body = method == .post ? HTTPBody.text("abc") : .empty
        let reply = try await session.send(method, server.url("/start"), body: body)
        let keeps = method == .get || status >= 307
        #expect(reply.text == "\(keeps ? method : .get) /end?q=1 \(keeps && method == .post ? "abc" : "")")
        #expect(reply.response.url?.string == server.url("/end?q=1"))
        #expect(reply.request.url.fragment == "there")
        #expect(reply.redirects.map(\.string) == [server.url("/start")])
        #expect(reply.sendings == 1)
        #expect(server.requests.count == 2)
        #expect(server.connectionCount == 1, "the connection is kept")
        if method == .post, !keeps {
            let second = try #require(server.requests.last)
            #expect(second.headers["Content-Length"] == nil && second.headers["Content-Type"] == nil)
        }
        await session.invalidate()
    }

    /// B56: the body of a redirect is not read without end, whether it states its length or not, and is delivered to nobody.
    @Test(arguments: [0, 5, 100_000, 50_000_000], [true, false])
    func theBodyOfARedirectIsSkipped(_ size: Int, _ statesLength: Bool) async throws {
        let isSentWhole = Lock(false)
        let server = try LoopbackServer(recordsTraffic: false) { connection in
            while let request = try connection.readRequest() {
                guard request.path == "/start" else {
                    try connection.send(.text("end"), to: request)
                    continue
                }
                var left = size
                let length = statesLength ? "Content-Length: \(size)" : "Transfer-Encoding: chunked"
                try connection.send("HTTP/1.1 302 Found\r\nLocation: /end\r\n\(length)\r\n\r\n")
                while left > 0 {
                    let piece = [UInt8](repeating: 7, count: min(left, 1 << 16))
                    // A client that has seen enough hangs up.
                    do {
                        if statesLength { try connection.send(piece) } else { try connection.sendChunk(piece) }
                    } catch { return }
                    left -= piece.count
                }
                if !statesLength { try connection.endChunks() }
                isSentWhole.withLock { $0 = true }
            }
        }
        let session = URLSessionManager.direct()
        let reply = try await session.send(.get, server.url("/start"))
        #expect(reply.text == "end")
        #expect(reply.metrics.receivedBytes == 3)
        let streamed = try await session.stream(
            for: HTTPRequest(url: try HTTPURL(server.url("/start")), options: session.configuration.options))
        var text = Data()
        for try await piece in streamed.body { text += piece }
        #expect(text == Data("end".utf8))
        #expect(streamed.redirects.map(\.string) == [server.url("/start")])
        #expect(streamed.request.url.string == server.url("/end"))
        // What the buffers on the way do not hold is not asked for.
        try await server.waitForOpenConnections(atMost: 1)
        #expect(size < 10_000_000 || !isSentWhole.withLock { $0 })
        await session.invalidate()
    }

    /// A redirect whose own body breaks off, or never comes, is still followed.
    @Test(arguments: ["HTTP/1.1 302 Found\r\nLocation: /end\r\nContent-Length: 10\r\n\r\nhal"])
    func aRedirectCutWithinItsBody(_ bytes: String) async throws {
        let server = try LoopbackServer { connection in
            while let request = try connection.readRequest() {
                guard request.path == "/start" else {
                    try connection.send(.text("end"), to: request)
                    continue
                }
                return try connection.send(bytes)
            }
        }
        let session = URLSessionManager.direct()
        #expect(try await session.send(.get, server.url("/start")).text == "end")
        await session.invalidate()
    }

    @Test(arguments: [0, 1, 5, 20])
    func soManyAndNoMore(_ limit: Int) async throws {
        let server = try LoopbackServer(
            handler: LoopbackServer.serving { request in
                let number = Int(request.path.dropFirst()) ?? 0
                return LoopbackResponse(
                    status: 302, headers: ["Location": "/\(number + 1)"], body: Array("\(number)".utf8))
            })
        let session = URLSessionManager.direct { $0.redirects.maximumRedirects = limit }
        if limit == 0 {
            let reply = try await session.send(.get, server.url("/0"))
            #expect(reply.status == 302 && reply.text == "0")
        } else {
            let (error, _) = try await session.failure(.get, server.url("/0"))
            #expect(error.code == .tooManyRedirects)
            #expect(error.response?.status == 302)
        }
        #expect(server.requestCount == limit + 1)
        await session.invalidate()
    }

    /// URLSession's B9: what is for one origin goes to no other, and not back to the first from there.
    @Test func credentialsStayWithTheirOrigin() async throws {
        let second = Lock<LoopbackServer?>(nil)
        let first = try LoopbackServer(
            handler: LoopbackServer.serving { request in
                switch request.path {
                case "/same": LoopbackResponse(status: 302, headers: ["Location": "/away"])
                case "/away":
                    LoopbackResponse(
                        status: 302, headers: ["Location": second.withLock { $0?.url("/back") } ?? "none"])
                default: .text("end")
                }
            })
        let other = try LoopbackServer(
            handler: LoopbackServer.serving { _ in
                LoopbackResponse(status: 307, headers: ["Location": first.url("/end")])
            })
        second.withLock { $0 = other }
        defer { second.withLock { $0 = nil } }
        let session = URLSessionManager.direct { $0.headers["X-Api-Key"] = "k" }
        let reply = try await session.send(
            .get, first.url("/same").replacing("http://", with: "http://ada:pw@"),
            headers: ["Cookie": "a=b", "X-Note": "n"])
        #expect(reply.text == "end")
        #expect(first.requests.map { $0.headers["Authorization"] != nil } == [true, true, false])
        #expect(first.requests.map { $0.headers["Cookie"] } == ["a=b", "a=b", nil])
        #expect(first.requests.map { $0.headers["X-Api-Key"] } == ["k", "k", nil])
        #expect(other.requests.map { $0.headers["Authorization"] } == [nil])
        #expect(other.requests.map { $0.headers["Cookie"] } == [nil])
        #expect(other.requests.map { $0.headers["X-Api-Key"] } == [nil])
        #expect(other.requests.map { $0.headers["X-Note"] } == ["n"])
        #expect(!"\(reply.redirects)".contains("pw"))
        await session.invalidate()
    }

    /// A limit for the whole is one for all exchanges together.
    @Test func totalCoversAllHops() async throws {
        let server = try LoopbackServer { connection in
            while let request = try connection.readRequest() {
                try connection.delay(.milliseconds(40))
                try connection.send(LoopbackResponse(status: 302, headers: ["Location": "/again"]), to: request)
            }
        }
        let session = URLSessionManager.direct()
        let (error, _) = try await session.failure(.get, server.url("/")) { $0.timeouts.total = .milliseconds(300) }
        #expect(error.code == .timedOut)
        #expect(server.requestCount < 20)
        await session.invalidate()
    }

    @Test func metricsAndEventsTellEachHop() async throws {
        let server = try server()
        let session = URLSessionManager.direct()
        let task = session.dataTask(
            with: HTTPRequest(url: try HTTPURL(server.url("/start")), options: session.configuration.options))
        var iterator = task.events.makeAsyncIterator()
        _ = try await task.result()
        var names: [String] = []
        while let event = await iterator.next() {
            names.append(event.name)
            if case .redirected(let response, let next) = event {
                #expect(response.status == 302)
                #expect(next.url.string == server.url("/end"))
            }
        }
        #expect(names == ["resumed", "measured", "redirected", "response", "received", "measured", "completed"])
        #expect(task.metrics.redirectCount == 1)
        #expect(task.metrics.transactions.map(\.status) == [302, 200])
        #expect(task.metrics.transactions.map(\.transfer.isReusedConnection) == [false, true])
        #expect(task.originalRequest.url.string == server.url("/start"))
        #expect(task.currentRequest.url.string == server.url("/end"))
        await session.invalidate()
    }

    // MARK: Decisions

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
            while task.metrics.transactions.isEmpty { await Task.yield() }
            return next
        }
        let task = session.dataTask(
            with: HTTPRequest(url: try HTTPURL(server.url("/start")), options: session.configuration.options),
            handlers: handlers)
        #expect(try await task.result().data.count == 3_000_000)
        await session.invalidate()
    }

    /// While a decision is awaited the task can be cancelled, and the answer to it does nothing any more.
    @Test(arguments: [0, 3_000_000])
    func cancelledWhileDeciding(_ size: Int) async throws {
        let server = try server(body: LoopbackResponse(body: [UInt8](repeating: 7, count: size)))
        let deciding = Gate(), decided = Gate()
        var handlers = TaskHandlers()
        handlers.redirect = { _, _, next in
            deciding.open()
            try await decided.opened()
            return next
        }
        let session = URLSessionManager.direct()
        let task = session.dataTask(
            with: HTTPRequest(url: try HTTPURL(server.url("/start")), options: session.configuration.options),
            handlers: handlers)
        task.resume()
        try await deciding.opened()
        task.cancel()
        let error = await #expect(throws: LupineError.self) { try await task.result() }
        #expect(error?.code == .cancelled)
        decided.open()
        #expect(try await session.send(.get, server.url("/after")).text == "GET /after ")
        #expect(server.requests.map(\.path) == ["/start", "/after"])
        await session.invalidate()
    }

    /// A decision after the end holds nothing: neither the task nor its session stay.
    @Test func aLateDecisionLeavesNothing() async throws {
        let server = try server()
        let deciding = Gate(), decided = Gate()
        weak var task: SessionTask?
        do {
            var handlers = TaskHandlers()
            handlers.redirect = { _, _, next in
                deciding.open()
                try await decided.opened()
                return next
            }
            let session = URLSessionManager.direct()
            let made = session.dataTask(
                with: HTTPRequest(url: try HTTPURL(server.url("/start")), options: session.configuration.options),
                handlers: handlers)
            made.resume()
            try await deciding.opened()
            while made.metrics.transactions.isEmpty { await Task.yield() }
            made.cancel()
            task = made
        }
        decided.open()
        while task != nil { await Task.yield() }
        try await server.waitForOpenConnections()
        #expect(server.requestCount == 1)
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
            try await decided.opened()
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
            task.cancel()
            _ = try? await task.result()
            left = task
        }
        decided.open()
        try await returned.opened()
        while left != nil { await Task.yield() }
        session.configuration.eventQueue.sync {}
        #expect(names.withLock { $0.last } == "completed")
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

    /// Suspended between two exchanges, the next one waits.
    @Test func suspendedWhileDeciding() async throws {
        let server = try server()
        let deciding = Gate(), decided = Gate()
        var handlers = TaskHandlers()
        handlers.redirect = { _, _, next in
            deciding.open()
            try await decided.opened()
            return next
        }
        let session = URLSessionManager.direct()
        let task = session.dataTask(
            with: HTTPRequest(url: try HTTPURL(server.url("/start")), options: session.configuration.options),
            handlers: handlers)
        task.resume()
        try await deciding.opened()
        task.suspend()
        decided.open()
        #expect(try await session.send(.get, server.url("/other")).text == "GET /other ")
        #expect(task.state == .suspended)
        #expect(!server.requests.map(\.path).contains("/end"))
        #expect(try await task.result().text == "GET /end ")
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
