import Dispatch
import FoundationEssentials
import Lupine
import LupineCore
import LupineTesting
import Testing

/// Redirects as a session follows them: hop by hop, over real connections.
@Suite(.timeLimit(.minutes(2)))
struct TaskRedirectTests {
    private func server(
        _ location: String = "/end", _ status: Int = 302, body: LoopbackResponse = LoopbackResponse()
    ) throws -> LoopbackServer {
        try .redirecting(to: location, status, body: body)
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
}
