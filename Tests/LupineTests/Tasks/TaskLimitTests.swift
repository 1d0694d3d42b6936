import Dispatch
import FoundationEssentials
import Lupine
import LupineCore
import LupineTesting
import Testing

/// The limit in all, while the user is asked and between two exchanges, over a transport that knows no time: what ends a
/// task there is the task's own limit.
@Suite(.timeLimit(.minutes(2)))
struct TaskLimitTests {
    enum Question: CaseIterable { case redirect, response, newBody }

    private static func session(
        _ transport: some HTTPTransport, total: Duration?, _ handlers: TaskHandlers? = nil
    ) -> URLSessionManager {
        var configuration = SessionConfiguration()
        configuration.options.timeouts.total = total
        configuration.handlers = handlers ?? TaskHandlers()
        configuration.callbackQueue = DispatchQueue(label: "callbacks")
        return URLSessionManager(configuration: configuration, transport: transport)
    }

    /// Tells a head, and at once the end, paused or not; without the end where the exchange is to go on.
    private struct Heads: HTTPTransport {
        final class Control: ExchangeControl {
            private let receiver: Lock<(any ExchangeReceiver)?>

            init(_ receiver: (any ExchangeReceiver)?) { self.receiver = Lock(receiver) }

            func pause() {}
            func resume() {}
            func cancel() {
                let error = LupineError(.cancelled, "cancelled")
                receiver.withLock { $0.take() }?.didFinish(ExchangeCompletion(error: error))
            }
        }

        let status: HTTPStatus
        let isOver: Bool
        let count = Lock(0)

        func start(_ request: HTTPRequest, receiver: any ExchangeReceiver) -> any ExchangeControl {
            count.withLock { $0 += 1 }
            let head = HTTPResponse(status: status, headers: ["Location": "/end"])
            DispatchQueue(label: "heads").async {
                receiver.didReceive(head: head)
                if isOver { receiver.didFinish(ExchangeCompletion()) }
            }
            return Control(isOver ? nil : receiver)
        }

        func shutdown() async {}
    }

    private static func transport(_ question: Question, isOver: Bool) -> Heads {
        Heads(status: question == .response ? 200 : 307, isOver: isOver)
    }

    /// A handler that is asked that, and does not answer before it is told to.
    private static func handlers(_ question: Question, asked: Gate, answer: Gate, answered: Gate) -> TaskHandlers {
        let wait: @Sendable () async throws -> Void = {
            asked.open()
            defer { answered.open() }
            try await answer.opened()
        }
        var handlers = TaskHandlers()
        switch question {
        case .redirect:
            handlers.redirect = { _, _, next in
                try await wait()
                return next
            }
        case .response:
            handlers.response = { _, _ in
                try await wait()
                return .allow
            }
        case .newBody:
            handlers.newBody = { _ in
                try await wait()
                return .text("new")
            }
        }
        return handlers
    }

    @Test(arguments: Question.allCases, [true, false])
    func aDecisionIsNotAwaitedBeyondIt(_ question: Question, isOver: Bool) async throws {
        // A new body is asked for once the exchange is over.
        let isOver = isOver || question == .newBody
        let transport = Self.transport(question, isOver: isOver)
        let session = Self.session(transport, total: .milliseconds(50))
        let asked = Gate(), answer = Gate(), answered = Gate()
        let names = Lock<[String]>([]), completions = Lock(0)
        var handlers = Self.handlers(question, asked: asked, answer: answer, answered: answered)
        handlers.event = { _, event in names.withLock { $0.append(event.name) } }
        weak var left: SessionTask?
        do {
            let request = HTTPRequest(
                method: .post, url: try HTTPURL("http://h.test/start"),
                body: question == .newBody ? .oneShotStream(reader: PiecesReader(["abc"])) : .empty,
                options: session.configuration.options)
            let task = session.dataTask(with: request, handlers: handlers) { _, _ in
                completions.withLock { $0 += 1 }
            }
            let error = await #expect(throws: LupineError.self) { try await task.result() }
            #expect(error?.code == .timedOut)
            #expect(error?.message.contains("h.test") == true)
            #expect(error?.response?.status == (question == .response ? 200 : 307))
            #expect(task.state == .completed)
            left = task
        }
        // What is answered now is nobody's any more.
        try await asked.opened()
        answer.open()
        try await answered.opened()
        await until { left == nil }
        session.configuration.eventQueue.sync {}
        session.configuration.callbackQueue.sync {}
        #expect(completions.withLock { $0 } == 1)
        #expect(names.withLock { $0.filter { $0 == "completed" }.count } == 1)
        #expect(names.withLock { $0.last } == "completed")
        #expect(transport.count.withLock { $0 } == 1)
        await session.invalidate()
    }

    /// The decision and the limit at one time: one of them counts, and the task ends once.
    @Test(arguments: Question.allCases, [true, false])
    func whicheverIsFirst(_ question: Question, isOver: Bool) async throws {
        let isOver = isOver || question == .newBody
        let session = Self.session(Self.transport(question, isOver: isOver), total: nil)
        var handlers = TaskHandlers()
        if question == .redirect { handlers.redirect = { _, _, _ in nil } }
        handlers.response = { task, _ in
            for _ in 0..<task.identifier % 50 { await Task.yield() }
            return .cancel
        }
        handlers.newBody = { task in
            for _ in 0..<task.identifier % 50 { await Task.yield() }
            return nil
        }
        let completions = Lock<[LupineError.Code]>([]), count = 300
        for number in 0..<count {
            var request = HTTPRequest(
                method: .post, url: try HTTPURL("http://h.test/start"),
                body: question == .newBody ? .oneShotStream(reader: PiecesReader(["abc"])) : .empty)
            request.options.timeouts.total = .microseconds(number * 3)
            let task = session.dataTask(with: request, handlers: handlers) { _, result in
                guard case .failure(let error) = result else { return }
                completions.withLock { $0.append(error.code) }
            }
            _ = try? await task.result()
        }
        await session.invalidate()
        session.configuration.callbackQueue.sync {}
        let codes = completions.withLock { $0 }
        #expect(codes.count == count)
        #expect(Set(codes).subtracting([.timedOut, .cancelled, .uploadSourceFailed]).isEmpty)
    }

    /// Whoever reads an answer as it comes is told so too.
    @Test(arguments: [Question.redirect, .response])
    func aReaderIsTold(_ question: Question) async throws {
        let answer = Gate()
        let session = Self.session(
            Self.transport(question, isOver: false), total: .milliseconds(50),
            Self.handlers(question, asked: Gate(), answer: answer, answered: Gate()))
        let request = HTTPRequest(url: try HTTPURL("http://h.test/start"), options: session.configuration.options)
        let error = await #expect(throws: LupineError.self) { try await session.stream(for: request) }
        #expect(error?.code == .timedOut)
        answer.open()
        await session.invalidate()
    }

    /// Suspended between two exchanges: time goes on.
    @Test func theNextExchangeIsNotAwaitedBeyondIt() async throws {
        let transport = Self.transport(.redirect, isOver: true)
        let session = Self.session(transport, total: .milliseconds(200))
        var handlers = TaskHandlers()
        handlers.redirect = { task, _, next in
            task.suspend()
            return next
        }
        let task = session.dataTask(
            with: HTTPRequest(url: try HTTPURL("http://h.test/start"), options: session.configuration.options),
            handlers: handlers)
        let ended = Gate()
        var iterator = task.events.makeAsyncIterator()
        task.resume()
        while let event = await iterator.next() {
            if case .completed(let error) = event {
                #expect(error?.code == .timedOut)
                ended.open()
            }
        }
        #expect(ended.isOpen)
        task.resume()
        #expect(task.state == .completed && transport.count.withLock { $0 } == 1)
        await session.invalidate()
    }

    /// A decision in time is no matter of the limit, and a task without one waits for as long as it takes.
    @Test(arguments: [Duration.seconds(3600), .seconds(Int64.max), nil] as [Duration?])
    func aDecisionInTime(_ total: Duration?) async throws {
        let server = try LoopbackServer.redirecting(to: "/end", 307, body: LoopbackResponse())
        let session = URLSessionManager.direct()
        var handlers = TaskHandlers()
        handlers.redirect = { task, _, next in
            await until { !task.metrics.transactions.isEmpty }
            return next
        }
        var request = HTTPRequest(url: try HTTPURL(server.url("/start")), options: session.configuration.options)
        request.options.timeouts.total = total
        #expect(try await session.dataTask(with: request, handlers: handlers).result().text == "GET /end ")
        await session.invalidate()
    }

    /// The same over a real connection, where the transport has the same limit for what it still reads.
    @Test(arguments: [Question.redirect, .response], [0, 3_000_000])
    func overAConnection(_ question: Question, _ size: Int) async throws {
        let server = try LoopbackServer(
            handler: LoopbackServer.serving { _ in
                var answer = LoopbackResponse(body: [UInt8](repeating: 7, count: size))
                if question == .redirect { (answer.status, answer.headers["Location"]) = (307, "/end") }
                return answer
            })
        let answer = Gate()
        let session = URLSessionManager.direct {
            $0.options.timeouts.total = .milliseconds(300)
            $0.handlers = Self.handlers(question, asked: Gate(), answer: answer, answered: Gate())
        }
        let (error, _) = try await session.failure(.get, server.url("/start"))
        #expect(error.code == .timedOut)
        answer.open()
        await session.invalidate()
    }
}
