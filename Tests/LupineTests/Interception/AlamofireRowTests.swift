import FoundationEssentials
import Lupine
import LupineCore
import LupineTesting
import Testing

/// Troubles of Alamofire's users that concern tries; the others of docs/alamofire.md are where that says.
@Suite(.timeLimit(.minutes(2)))
struct AlamofireRowTests {
    /// Refuses the first request with 503, once it has been read, and answers the next with its body's size and sum.
    private func server() throws -> LoopbackServer {
        let count = Lock(0)
        return try LoopbackServer(
            handler: LoopbackServer.serving { request in
                let isFirst = count.withLock { count in
                    count += 1
                    return count == 1
                }
                return isFirst ? .text("busy", status: 503) : .text(Self.told(of: request.body))
            })
    }

    private static func told(of body: some Sequence<UInt8>) -> String {
        let (count, sum) = body.reduce((0, 0)) { ($0.0 + 1, ($0.1 &* 31 &+ Int($1)) & 0xFFFF_FFFF) }
        return "\(count) bytes, \(sum)"
    }

    enum Source: CaseIterable { case bytes, file, stream }

    /// #3784, #3373: a body that had to be sent again ended the process.
    @Test(arguments: Source.allCases) func bodiesAreSentAgainWhole(_ source: Source) async throws {
        let server = try server(), folder = try TemporaryDirectory()
        let bytes = [UInt8]((0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ $0 >> 8) })
        let body: HTTPBody =
            switch source {
            case .bytes: .bytes(Data(bytes))
            case .file: try .file(try folder.write(bytes, to: "body"))
            case .stream: .stream { PatternReader(count: 300_000) }
            }
        let session = URLSessionManager.direct { $0.handlers.retriers = [always] }
        let answer = try await session.send(.put, server.url("/"), body: body)
        if source == .stream {
            #expect(answer.text?.hasPrefix("300000 bytes") == true)
        } else {
            #expect(answer.text == Self.told(of: bytes))
        }
        #expect(server.requests.map(\.body.count) == [300_000, 300_000])
        #expect(server.requests[0].body == server.requests[1].body)
        await session.invalidate()
    }

    /// The same for a form.
    @Test func aFormIsSentAgainWhole() async throws {
        let server = try server(), folder = try TemporaryDirectory()
        let file = try folder.write([UInt8](repeating: 9, count: 100_000), to: "picture")
        var configuration = SessionConfiguration()
        configuration.options.route.proxy = .none
        configuration.handlers.retriers = [always]
        let api = HTTPSessionManager(baseURL: server.url("/"), configuration: configuration)
        _ = try await api.upload(
            "x", parameters: ["title": "T"], multipart: { form in try form.append(file: file, name: "picture") })
        #expect(server.requestCount == 2)
        for request in server.requests {
            #expect(try request.formParts().map(\.body.count) == [1, 100_000])
        }
        await api.invalidate()
    }

    /// The same where a serializer compresses it while it is sent.
    @Test func aCompressedBodyIsSentAgainWhole() async throws {
        let server = try server()
        var configuration = SessionConfiguration()
        configuration.options.route.proxy = .none
        configuration.handlers.retriers = [always]
        let api = HTTPSessionManager(baseURL: server.url("/"), configuration: configuration)
        let text = String(repeating: "lupine ", count: 20_000)
        try await api.post("x", parameters: ["text": .string(text)], serializer: GzipRequestSerializer())
        #expect(server.requests.map { $0.headers["Content-Encoding"] } == ["gzip", "gzip"])
        #expect(server.requests[0].body == server.requests[1].body)
        #expect((100..<10_000).contains(server.requests[0].body.count))
        await api.invalidate()
    }

    /// A file that is another by the second try is not sent.
    @Test func aFileThatHasChangedIsNotSentAgain() async throws {
        let server = try server(), folder = try TemporaryDirectory()
        let body = try HTTPBody.file(try folder.write([UInt8](repeating: 1, count: 1000), to: "body"))
        let changing = Retrier { _, _ in
            do { try folder.write([UInt8](repeating: 2, count: 1001), to: "body") } catch {
                return .doNotRetryWithError(error)
            }
            return .retry
        }
        let session = URLSessionManager.direct { $0.handlers.retriers = [changing] }
        let error = await #expect(throws: LupineError.self) {
            try await session.send(.put, server.url("/"), body: body)
        }
        #expect(error?.code == .uploadSourceFailed)
        #expect(!server.requests.dropFirst().contains { $0.body.count >= 1000 })
        await session.invalidate()
    }

    /// PR #4030: a second `resume()` made a second task.
    @Test func resumedTwiceItIsSentOnce() async throws {
        let gate = Gate(), transport = StubTransport([.response(body: "done")])
        let waiting = Adapter { request, _ in
            try await gate.opened()
            return request
        }
        let task = stubbed(transport, TaskHandlers(adapters: [waiting])).dataTask(with: try .to())
        task.resume()
        task.resume()
        task.suspend()
        task.resume()
        gate.open()
        #expect(try await task.result().text == "done")
        #expect(transport.requests.count == 1)
    }

    /// PR #4030: what was cancelled in a pause was sent again.
    @Test func whatWasCancelledIsNotSentAgain() async throws {
        let clock = ManualClock()
        let transport = StubTransport { _ in .response(status: 503) }
        let session = stubbed(
            transport, clock: clock, TaskHandlers(retriers: [Retrier { _, _ in .retryWithDelay(.seconds(1)) }]))
        let task = session.dataTask(with: try .to())
        task.resume()
        try await clock.waitForSleepers(count: 1)
        task.cancel()
        clock.advance(by: .seconds(10))
        await session.invalidate()
        #expect(transport.requests.count == 1 && task.state == .completed)
    }

    /// A session that is let go of in a pause ends once its task has.
    @Test func theSessionMayGoInAPause() async throws {
        let clock = ManualClock()
        let transport = StubTransport([.response(status: 503), .response(body: "done")])
        weak var left: URLSessionManager?
        let task: SessionTask
        do {
            let session = stubbed(
                transport, clock: clock, TaskHandlers(retriers: [Retrier { _, _ in .retryWithDelay(.seconds(1)) }]))
            left = session
            task = session.dataTask(with: try .to())
            task.resume()
        }
        try await clock.waitForSleepers(count: 1)
        #expect(left == nil)
        clock.advance(by: .seconds(1))
        #expect(try await task.result().text == "done")
    }

    /// #3213: for a while there was no task.
    @Test func theTaskIsThereBeforeItsRequestIs() async throws {
        let entered = Gate(), gate = Gate()
        let waiting = Adapter { request, _ in
            entered.open()
            try await gate.opened()
            return request
        }
        let session = stubbed(StubTransport([.response()]), TaskHandlers(adapters: [waiting]))
        let task = session.dataTask(with: try .to("/a"))
        task.resume()
        try await entered.opened()
        #expect(task.state == .running && task.currentRequest.url.path == "/a" && session.tasks == [task])
        gate.open()
        _ = try await task.result()
    }

    /// #3088, #2466: an empty answer was an error.
    @Test func anEmptyAnswerIsNoFailure() async throws {
        let asked = Notes<Int>()
        let retrier = Retrier { _, _ in
            asked.add(1)
            return .doNotRetry
        }
        let session = stubbed(
            StubTransport([.response(body: "")]), TaskHandlers(retriers: [retrier], validators: [.acceptable]))
        #expect(try await session.data(for: .to()).data.isEmpty)
        #expect(asked.count == 0)
    }
}
