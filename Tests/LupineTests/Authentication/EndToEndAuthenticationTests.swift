import FoundationEssentials
import Lupine
import LupineCore
import LupineTesting
import Testing

/// Sessions whose requests have a credential, from the call to the bytes.
@Suite(.timeLimit(.minutes(2)))
struct EndToEndAuthenticationTests {
    /// A session whose tokens are got over that very session, by `POST token`.
    private struct Client: Sendable {
        let api: HTTPSessionManager
        let interceptor: AuthenticationInterceptor<BearerAuthenticator>

        init(
            _ baseURL: String, transport: (any HTTPTransport)? = nil, credential: Token = .old,
            retrier: (any RequestRetrier)? = nil
        ) {
            let holder = Lock<HTTPSessionManager?>(nil)
            let authenticator = BearerAuthenticator { _ in
                let api = try #require(holder.withLock { $0 })
                return Token(value: try #require(try await api.post("token").text))
            }
            interceptor = AuthenticationInterceptor(authenticator: authenticator, credential: credential)
            var handlers = TaskHandlers()
            if let retrier { handlers.retriers.append(retrier) }
            handlers.intercept(with: interceptor)
            var configuration = SessionConfiguration()
            configuration.options.route.proxy = .none
            configuration.handlers = handlers
            api = HTTPSessionManager(baseURL: baseURL, configuration: configuration, transport: transport)
            let api = api
            holder.withLock { $0 = api }
        }

        /// What so many requests at once come to.
        func things(_ count: Int) async -> [Result<DataResponse, LupineError>] {
            await withTaskGroup(of: Result<DataResponse, LupineError>.self) { group in
                for index in 0..<count {
                    group.addTask {
                        do throws(LupineError) {
                            return .success(try await api.get("things/\(index)"))
                        } catch {
                            return .failure(error)
                        }
                    }
                }
                return await group.reduce(into: []) { $0.append($1) }
            }
        }
    }

    /// What a server has seen, and whether the first of its requests have all come.
    private final class Account: Sendable {
        let paths = Lock<[String]>([])
        let all = Gate()
        let expected: Int
        init(expecting expected: Int) { self.expected = expected }

        func note(_ path: String) {
            let count = paths.withLock { paths in
                paths.append(path)
                return paths.count
            }
            if count == expected { all.open() }
        }

        func count(_ path: String) -> Int { paths.withLock { $0.count { $0 == path } } }
    }

    /// Refuses old tokens once all first requests have come. `/token` gives what it is told to.
    private func stub(_ account: Account, token: StubExchange) -> StubTransport {
        StubTransport { recorded in
            let path = recorded.request.url.path, field = recorded.request.headers["Authorization"]
            account.note(path)
            if path == "/token" {
                #expect(field == nil)
                return token
            }
            if field == "Bearer new" { return .response(body: path) }
            return .response(status: 401).held(until: account.all)
        }
    }

    @Test func aHundredRefusals() async throws {
        let account = Account(expecting: 100)
        let transport = stub(account, token: .response(body: "new"))
        let client = Client("https://api.example/", transport: transport)
        for result in await client.things(100) { #expect(try result.get().status == 200) }
        #expect(account.count("/token") == 1)
        #expect(transport.requests.count == 201)
        #expect(client.interceptor.credential == .new)
    }

    @Test func aHundredExpired() async throws {
        let account = Account(expecting: 101)
        let transport = stub(account, token: .response(body: "new"))
        let client = Client("https://api.example/", transport: transport, credential: .expired)
        for result in await client.things(100) { #expect(try result.get().status == 200) }
        #expect(account.count("/token") == 1)
        #expect(transport.requests.count == 101)
    }

    @Test func aHundredFailures() async throws {
        let account = Account(expecting: 100)
        let transport = stub(account, token: .response(status: 400, body: "invalid_grant"))
        let client = Client("https://api.example/", transport: transport)
        for result in await client.things(100) {
            let error = #expect(throws: LupineError.self) { try result.get() }
            // The token server's answer.
            #expect(error?.code == .unacceptableStatus)
            #expect(error?.response?.status == 400)
        }
        #expect(account.count("/token") == 1)
        #expect(transport.requests.count == 101)
    }

    /// A token server that refuses with 401 is not asked for a token for that.
    @Test func theTokenServerRefuses() async throws {
        let account = Account(expecting: 10)
        let transport = stub(account, token: .response(status: 401))
        let client = Client("https://api.example/", transport: transport)
        for result in await client.things(10) {
            let error = #expect(throws: LupineError.self) { try result.get() }
            #expect(error?.response?.url?.path == "/token")
        }
        #expect(account.count("/token") == 1)
    }

    @Test(arguments: [true, false])
    func alwaysRefusedItsRefusalIsTold(_ isWhole: Bool) async throws {
        let tokens = Lock(0)
        let transport = StubTransport { recorded in
            guard recorded.request.url.path == "/token" else { return .response(status: 401, body: "no") }
            return .response(
                body: tokens.withLock { tokens in
                    tokens += 1
                    return "\(tokens)"
                })
        }
        let client = Client("https://api.example/", transport: transport)
        if isWhole {
            let error = await #expect(throws: LupineError.self) { try await client.api.get("things") }
            #expect(error?.code == .unacceptableStatus)
            #expect(error?.response?.status == 401)
        } else {
            let request = HTTPRequest(url: try client.api.url("things"))
            #expect(try await client.api.session.stream(for: request).status == 401)
        }
        #expect(transport.requests.map(\.request.url.path) == ["/things", "/token", "/things", "/token", "/things"])
    }

    /// One retrier for what is busy, one for what is refused, in both orders of events.
    @Test(arguments: [[503, 401, 200], [401, 503, 503, 200], [503, 503, 401, 503, 200]])
    func besideAnotherRetrier(_ statuses: [Int]) async throws {
        let left = Lock(statuses[...])
        let transport = StubTransport { recorded in
            if recorded.request.url.path == "/token" { return .response(body: "new") }
            let status = left.withLock { $0.popFirst() ?? 500 }
            return .response(status: HTTPStatus(rawValue: status))
        }
        let retrier = Retrier { _, attempt in
            attempt.response?.status == 503 && attempt.retryCount < 4 ? .retry : .doNotRetry
        }
        let client = Client("https://api.example/", transport: transport, retrier: retrier)
        #expect(try await client.api.get("things").status == 200)
        let refused = try #require(statuses.firstIndex(of: 401))
        let fields = transport.requests.filter { $0.request.url.path == "/things" }
            .map { $0.request.headers["Authorization"] }
        #expect(fields == statuses.indices.map { $0 <= refused ? "Bearer old" : "Bearer new" })
    }

    @Test func oneIsCancelledWhileAllWait() async throws {
        let asked = Gate(), gate = Gate()
        let transport = StubTransport { recorded in
            guard recorded.request.url.path == "/token" else { return .response() }
            asked.open()
            return .response(body: "new").held(until: gate)
        }
        let client = Client("https://api.example/", transport: transport, credential: .expired)
        let first = Task { try await client.api.get("first") }
        try await asked.opened()
        let second = Task { try await client.api.get("second") }
        first.cancel()
        #expect(await #expect(throws: LupineError.self) { try await first.value }?.code == .cancelled)
        gate.open()
        #expect(try await second.value.status == 200)
        #expect(transport.requests.map(\.request.url.path) == ["/token", "/second"])
    }

    /// Of a stream the head is judged, before a byte is handed on.
    @Test func aStreamIsSentAgain() async throws {
        let account = Account(expecting: 1)
        let client = Client("https://api.example/", transport: stub(account, token: .response(body: "new")))
        let answer = try await client.api.session.stream(
            for: HTTPRequest(url: try HTTPURL("https://api.example/things")))
        #expect(answer.response.status == 200)
        var body = Data()
        for try await piece in answer.body { body += piece }
        #expect(String(decoding: body, as: UTF8.self) == "/things")
        #expect(account.paths.withLock(\.self) == ["/things", "/token", "/things"])
    }

    // MARK: Over sockets

    private func server(_ account: Account, token: LoopbackResponse) throws -> LoopbackServer {
        try LoopbackServer(
            handler: { connection in
                while let request = try connection.readRequest() {
                    account.note(request.path)
                    if request.path == "/token" {
                        #expect(request.headers["Authorization"] == nil)
                        try connection.send(token, to: request)
                    } else if request.headers["Authorization"] == "Bearer new" {
                        try connection.send(.text(request.path), to: request)
                    } else {
                        try connection.wait(account.all)
                        try connection.send(.empty(401, headers: ["WWW-Authenticate": "Bearer"]), to: request)
                    }
                }
            })
    }

    @Test func aHundredRefusalsOverSockets() async throws {
        // As many at once as there are connections to a host.
        let account = Account(expecting: 6)
        let server = try server(account, token: .text("new"))
        let client = Client(server.url("/"))
        for result in await client.things(100) { #expect(try result.get().status == 200) }
        #expect(account.count("/token") == 1)
        #expect(client.interceptor.authenticator.refreshCount == 1)
        await client.api.invalidate()
    }

    @Test func failuresOverSockets() async throws {
        let account = Account(expecting: 6)
        let server = try server(account, token: .empty(503))
        let client = Client(server.url("/"))
        for result in await client.things(6) {
            let error = #expect(throws: LupineError.self) { try result.get() }
            #expect(error?.response?.status == 503)
        }
        #expect(account.count("/token") == 1)
        #expect(server.requestCount == 7)
        await client.api.invalidate()
    }

    /// The body of a refused POST goes out again, and a plain session has answers of any status checked by its retriers too.
    @Test func aBodyIsSentAgain() async throws {
        let account = Account(expecting: 1)
        let server = try server(account, token: .text("new"))
        let client = Client(server.url("/"))
        let request = HTTPRequest(
            method: .post, url: try HTTPURL(server.url("/things")), body: .bytes(Data("body".utf8)),
            options: client.api.configuration.options)
        let answer = try await client.api.session.data(for: request)
        #expect(answer.status == 200)
        let bodies = server.requests.filter { $0.path == "/things" }.map { String(decoding: $0.body, as: UTF8.self) }
        #expect(bodies == ["body", "body"])
        await client.api.invalidate()
    }

    /// Another origin's refusal, after a redirect, is not about the credential, which did not get there.
    @Test(arguments: [true, false])
    func refusedElsewhere(_ isWhole: Bool) async throws {
        let other = try LoopbackServer(handler: LoopbackServer.serving { _ in .empty(401) })
        let account = Account(expecting: 1)
        let server = try LoopbackServer(
            handler: LoopbackServer.serving { request in
                account.note(request.path)
                return .redirect(to: other.url("/"))
            })
        let client = Client(server.url("/"))
        if isWhole {
            let error = await #expect(throws: LupineError.self) { try await client.api.get("things") }
            #expect(error?.response?.status == 401)
        } else {
            let request = try client.api.makeRequest(.get, "things")
            #expect(try await client.api.session.stream(for: request).status == 401)
        }
        #expect(account.paths.withLock(\.self) == ["/things"])
        #expect(other.requests.map { $0.headers["Authorization"] } == [nil])
        await client.api.invalidate()
    }
}
