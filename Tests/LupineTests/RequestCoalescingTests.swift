import Dispatch
import FoundationEssentials
import LupineCore
import LupineTesting
import Testing

@testable import Lupine

/// Identical requests under way, answered together.
@Suite(.timeLimit(.minutes(2)))
struct RequestCoalescingTests {
    private typealias Asking = Task<DataResponse, any Error>

    private let url = "https://example.com/list?page=1"

    private func session(_ transport: some HTTPTransport) -> URLSessionManager {
        var configuration = SessionConfiguration()
        configuration.options.coalescesIdenticalRequests = true
        return URLSessionManager(configuration: configuration, transport: transport)
    }

    /// Answers with its count of requests, each when the gate is open.
    private func transport(_ gate: Gate) -> StubTransport {
        StubTransport { .response(body: "answer \($0.index)").held(until: gate) }
    }

    private func ask(_ session: URLSessionManager, headers: HTTPHeaders = [:]) -> Asking {
        Task { [url] in try await session.send(.get, url, headers: headers) }
    }

    /// Waits until so many callers wait for answers that they may share.
    private func wait(for count: Int, in session: URLSessionManager) async {
        await until { session.core.coalescer.waitingCount == count }
    }

    private func expectCancelled(_ asking: Asking) async {
        let error = await #expect(throws: LupineError.self) { try await asking.value }
        #expect(error?.code == .cancelled && error?.host == "example.com")
    }

    @Test func aHundredAreOneAtTheServer() async throws {
        let gate = Gate()
        let server = try LoopbackServer { connection in
            while let request = try connection.readRequest() {
                try connection.wait(gate)
                try connection.send(.text("once"), to: request)
            }
        }
        let session = URLSessionManager.direct { $0.options.coalescesIdenticalRequests = true }
        let url = server.url("/list?page=1")
        let asked = (0..<100).map { _ in Task { try await session.send(.get, url) } }
        await wait(for: 100, in: session)
        gate.open()
        for asking in asked { #expect(try await asking.value.text == "once") }
        #expect(server.requestCount == 1)
        // No answer is kept.
        #expect(try await session.send(.get, url).text == "once")
        #expect(server.requestCount == 2)
        await session.invalidate()
    }

    @Test func byTheVerbsOfAnHTTPSession() async throws {
        let gate = Gate()
        let transport = StubTransport { _ in .json(#"{"id": 1}"#).held(until: gate) }
        var configuration = SessionConfiguration()
        configuration.options.coalescesIdenticalRequests = true
        let session = HTTPSessionManager(
            baseURL: "https://example.com/", configuration: configuration, transport: transport)
        async let one = session.get("list", parameters: ["page": 1], as: [String: Int].self)
        async let other = session.get("list", parameters: ["page": 1], as: [String: Int].self)
        await wait(for: 2, in: session.session)
        gate.open()
        #expect(try await [one, other] == [["id": 1], ["id": 1]])
        #expect(transport.requests.count == 1)
    }

    /// Whatever differs, the answers may.
    @Test func othersAreSentByThemselves() async throws {
        let gate = Gate(), transport = transport(gate), session = session(transport)
        let changes: [@Sendable (inout HTTPRequest) -> Void] = [
            { _ in },
            { $0.headers.add(name: "Authorization", value: "Bearer one") },
            { $0.headers.add(name: "Authorization", value: "Bearer two") },
            { $0.method = .head },
            { $0.options.timeouts.total = .seconds(60) },
            { $0.options.ignoresRequestLimits = true },
            { $0.url = try! HTTPURL("https://example.com/list?page=2") },
            { $0.url = try! HTTPURL("https://user:password@example.com/list?page=1") },
            // These join nothing, not even their like.
            { $0.method = .post },
            { $0.method = .delete },
            { $0.body = .text("x") },
            { $0.body = .stream(length: 0) { PatternReader(count: 0) } },
            { $0.options.coalescesIdenticalRequests = false },
            { $0.options.priority = .nan },
        ]
        let shared = 8
        let plain = HTTPRequest(url: try HTTPURL(url), options: session.configuration.options)
        let asked = (changes + changes).map { change in
            var request = plain
            change(&request)
            return Task { [request] in try await session.data(for: request) }
        }
        let watched = [
            Task { try await session.data(for: plain, downloadProgress: { _ in }) },
            Task { try await session.data(for: plain, uploadProgress: { _ in }) },
            Task { try await session.data(for: plain, handlers: TaskHandlers()) },
        ]
        let count = shared + 2 * (changes.count - shared) + watched.count
        try await transport.waitForRequests(count)
        await wait(for: 2 * shared, in: session)
        gate.open()
        let answers = try await asked.asyncMap { try await $0.value.text }
        for index in 0..<shared { #expect(answers[index] == answers[index + changes.count]) }
        for watching in watched { _ = try await watching.value }
        #expect(transport.requests.count == count)
    }

    @Test(arguments: 0..<3)
    func whoIsCancelledLeavesAlone(_ index: Int) async throws {
        let gate = Gate(), transport = transport(gate), session = session(transport)
        var asked: [Asking] = []
        for count in 1...3 {
            asked.append(ask(session))
            await wait(for: count, in: session)
        }
        let leaving = asked.remove(at: index)
        leaving.cancel()
        await expectCancelled(leaving)
        #expect(transport.runningCount == 1)
        gate.open()
        for asking in asked { #expect(try await asking.value.text == "answer 0") }
        #expect(transport.requests.count == 1)
    }

    @Test func theLastOneTakesTheExchangeAlong() async throws {
        let gate = Gate(), transport = transport(gate), session = session(transport)
        let asked = [ask(session), ask(session)]
        await wait(for: 2, in: session)
        try await transport.waitForRequests(1)
        for asking in asked { asking.cancel() }
        // What is about to end is not joined any more.
        for asking in asked { await expectCancelled(asking) }
        let next = ask(session)
        try await transport.waitForRequests(2)
        gate.open()
        #expect(try await next.value.text == "answer 1")
        await session.invalidate()
        #expect(transport.runningCount == 0)
    }

    @Test func aCancelledCallerSendsNothing() async throws {
        let transport = transport(Gate()), session = session(transport)
        let begun = Gate()
        let asking = Task { [url] in
            await until { Task.isCancelled }
            begun.open()
            return try await session.send(.get, url)
        }
        asking.cancel()
        await expectCancelled(asking)
        #expect(begun.isOpen && transport.requests.isEmpty && session.core.coalescer.waitingCount == 0)
    }

    @Test func allHaveTheError() async throws {
        let gate = Gate()
        let transport = StubTransport { _ in
            .failure(LupineError(.connectionLost, "gone", host: "example.com"), delivery: .answered).held(until: gate)
        }
        let session = session(transport)
        let asked = (0..<10).map { _ in ask(session) }
        await wait(for: 10, in: session)
        gate.open()
        for asking in asked {
            let error = await #expect(throws: LupineError.self) { try await asking.value }
            #expect(error?.code == .connectionLost)
        }
        #expect(transport.requests.count == 1 && session.core.coalescer.waitingCount == 0)
    }

    @Test func allEndWithTheSession() async throws {
        let transport = transport(Gate()), session = session(transport)
        let asked = (0..<10).map { _ in ask(session) }
        await wait(for: 10, in: session)
        await session.invalidate()
        for asking in asked { await expectCancelled(asking) }
        await expectCancelled(ask(session))
    }

    /// Retriers are asked once for all, and all have what comes of it.
    @Test func allAreTriedAgainTogether() async throws {
        let gate = Gate(), asked = Lock(0)
        let transport = StubTransport {
            .response(status: $0.index == 0 ? 503 : 200, body: "answer \($0.index)").held(until: gate)
        }
        var configuration = SessionConfiguration()
        configuration.options.coalescesIdenticalRequests = true
        var handlers = TaskHandlers()
        handlers.retriers = [
            Retrier { _, _ in
                asked.withLock { $0 += 1 }
                return .retry
            }
        ]
        configuration.handlers = handlers
        let session = HTTPSessionManager(configuration: configuration, transport: transport)
        let callers = [url, url].map { url in Task { try await session.get(url).text } }
        await wait(for: 2, in: session.session)
        gate.open()
        for caller in callers { #expect(try await caller.value == "answer 1") }
        #expect(transport.requests.count == 2 && asked.withLock { $0 } == 1)
    }

    /// What one minds, another may not: where that decides on further tries they wait for answers apart.
    @Test func checksAreTheirCallers() async throws {
        let gate = Gate()
        let transport = StubTransport { .response(status: 404, body: "answer \($0.index)").held(until: gate) }
        var configuration = SessionConfiguration()
        configuration.options.coalescesIdenticalRequests = true
        let session = HTTPSessionManager(configuration: configuration, transport: transport)
        let checked = [url, url].map { url in Task { try await session.get(url) } }
        let request = HTTPRequest(url: try HTTPURL(url), options: configuration.options)
        let plain = (0..<2).map { _ in Task { try await session.session.data(for: request) } }
        await wait(for: 4, in: session.session)
        gate.open()
        for caller in checked {
            let error = await #expect(throws: LupineError.self) { try await caller.value }
            #expect(error?.code == .unacceptableStatus)
        }
        for caller in plain { #expect(try await caller.value.status == 404) }
        #expect(transport.requests.count == 2)
    }

    /// What an interceptor asks on its way does not wait for the request that waits for it.
    @Test func anInterceptorsRequestIsAnother() throws {
        let request = HTTPRequest(url: try HTTPURL(url))
        let own = Bypass.$interceptor.withValue(ObjectIdentifier(Self.self)) { RequestIdentity(request) }
        #expect(own != RequestIdentity(request))
        #expect(RequestIdentity(request) == RequestIdentity(HTTPRequest(url: try HTTPURL(url))))
    }

    @Test func nothingIsLeftOfASession() async throws {
        weak var core: SessionCore?
        weak var task: SessionTask?
        do {
            let gate = Gate(), session = session(transport(gate))
            core = session.core
            let asking = ask(session), leaving = ask(session, headers: ["X-Other": "1"])
            await wait(for: 2, in: session)
            task = session.tasks.first
            leaving.cancel()
            await expectCancelled(leaving)
            gate.open()
            _ = try await asking.value
            await session.invalidate()
        }
        await until { core == nil && task == nil }
    }

    @Test func whatNobodyWantsIsCancelled() async throws {
        let transport = transport(Gate()), session = session(transport)
        let asked = [ask(session), ask(session)]
        await wait(for: 2, in: session)
        try await transport.waitForRequests(1)
        for asking in asked { asking.cancel() }
        for asking in asked { await expectCancelled(asking) }
        await until { transport.runningCount == 0 }
        #expect(session.tasks.isEmpty)
    }

    /// The end of what nobody wanted comes when another, identical, is under way: it is not that one's.
    @Test func aLateEndIsNotTheNextOnes() async throws {
        let gate = Gate(), blocked = Gate(), goOn = DispatchSemaphore(value: 0)
        let transport = StubTransport { recorded in
            if recorded.request.headers["X-Block"] != nil {
                blocked.open()
                goOn.wait()
            }
            return .response(body: "answer \(recorded.index)").held(until: gate)
        }
        let session = session(transport)
        let first = ask(session)
        try await transport.waitForRequests(1)
        // While this one is about to be answered, no exchange hears of its end.
        let blocking = ask(session, headers: ["X-Block": "1"])
        try await blocked.opened()
        first.cancel()
        await expectCancelled(first)
        let next = ask(session)
        try await transport.waitForRequests(3)
        goOn.signal()
        await until { transport.runningCount == 2 }
        gate.open()
        #expect(try await next.value.text == "answer 2")
        #expect(try await blocking.value.text == "answer 1")
    }

    /// What is the same once the session's fields are in it.
    @Test func theSessionsFieldsMakeThemAlike() async throws {
        let gate = Gate(), transport = transport(gate), session = session(transport)
        let asked = [ask(session), ask(session, headers: session.configuration.headers)]
        await wait(for: 2, in: session)
        gate.open()
        for asking in asked { #expect(try await asking.value.text == "answer 0") }
        #expect(transport.requests.count == 1)
    }

    /// What the callers mind is tried again, also where no status says that it failed.
    @Test func whatTheirCheckRefusesIsTriedAgain() async throws {
        let transport = StubTransport { .response(status: $0.index == 0 ? 300 : 200, body: "answer \($0.index)") }
        var configuration = SessionConfiguration()
        configuration.options.coalescesIdenticalRequests = true
        configuration.handlers = TaskHandlers(retriers: [always])
        let session = HTTPSessionManager(configuration: configuration, transport: transport)
        #expect(try await session.get(url).text == "answer 1")
    }

    /// Callers that leave at any moment, also just before they wait: none is forgotten, and nothing is sent for nobody.
    @Test func manyLeaveAsTheyCome() async throws {
        let transport = StubTransport { _ in .unanswered }, session = session(transport)
        // From a thread of its own, which is told when each has begun: they are on their way to the others meanwhile.
        let asked = await withCheckedContinuation { continuation in
            DispatchQueue(label: "callers").async { [url] in
                let begun = DispatchSemaphore(value: 0)
                let asked = (0..<(isNightly ? 12_000 : 1000)).map { index in
                    let asking = Task {
                        begun.signal()
                        _ = try? await session.send(.get, url)
                    }
                    begun.wait()
                    if !index.isMultiple(of: 8) { asking.cancel() }
                    return asking
                }
                for asking in asked { asking.cancel() }
                continuation.resume(returning: asked)
            }
        }
        for asking in asked { await asking.value }
        #expect(session.core.coalescer.waitingCount == 0)
        await until { transport.runningCount == 0 }
        #expect(session.tasks.isEmpty)
    }

    /// Callers that come and go at random: each is answered once, by an answer or by its own cancellation.
    @Test func manyComeAndGo() async throws {
        let transport = StubTransport { .response(body: "answer \($0.index)") }, session = session(transport)
        let answered = Lock(0), cancelled = Lock(0)
        await withTaskGroup(of: Void.self) { group in
            for index in 0..<1_000 {
                group.addTask { [url] in
                    let asking = Task { try await session.send(.get, url + "\(index % 3)") }
                    if index.isMultiple(of: 2) { asking.cancel() }
                    switch await asking.result {
                    case .success: answered.withLock { $0 += 1 }
                    case .failure(let error):
                        #expect(index.isMultiple(of: 2) && (error as? LupineError)?.code == .cancelled)
                        cancelled.withLock { $0 += 1 }
                    }
                }
            }
        }
        #expect(answered.withLock { $0 } >= 500 && answered.withLock { $0 } + cancelled.withLock { $0 } == 1_000)
        #expect(session.core.coalescer.waitingCount == 0)
        await session.invalidate()
        #expect(transport.runningCount == 0)
    }
}

extension Array {
    fileprivate func asyncMap<Value>(_ transform: (Element) async throws -> Value) async rethrows -> [Value] {
        var values: [Value] = []
        for element in self { values.append(try await transform(element)) }
        return values
    }
}
