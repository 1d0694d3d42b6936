import FoundationEssentials
import LupineCore
import LupineTesting
import Testing

@Suite(.timeLimit(.minutes(2)))
struct StubTransportTests {
    private func request(_ method: HTTPMethod = .get, body: HTTPBody = .empty) throws -> HTTPRequest {
        HTTPRequest(method: method, url: try HTTPURL("http://example.com/a"), body: body)
    }

    /// One exchange from start to end, without a violation.
    private func run(_ transport: StubTransport, _ request: HTTPRequest) async throws -> RecordingReceiver {
        let receiver = RecordingReceiver()
        transport.start(request, receiver: receiver)
        try await receiver.finish()
        #expect(receiver.violations.isEmpty)
        return receiver
    }

    @Test func playsAWholeScriptInOrder() async throws {
        var metrics = TransferMetrics()
        metrics.isReusedConnection = true
        let script = StubExchange(
            [
                .sent(3), .informational(HTTPResponse(status: 103)),
                .head(HTTPResponse(status: 200, headers: ["A": "b"])),
                .body("one"), .body(""), .sent(5), .body("two"), .trailers(["Digest": "x"]),
            ], metrics: metrics)
        let transport = StubTransport { _ in script }
        let receiver = try await run(transport, request())
        #expect(receiver.order == ["sent", "informational", "head", "body", "sent", "body", "trailers", "finish"])
        #expect(receiver.text == "onetwo")
        #expect(receiver.bodyPieceCount == 2)
        #expect(receiver.head?.headers["A"] == "b")
        #expect(receiver.head?.url == (try HTTPURL("http://example.com/a")))
        #expect(receiver.informational.map(\.status) == [103])
        #expect(receiver.trailers?["digest"] == "x")
        #expect(receiver.sent == 5)
        let completion = try #require(receiver.completion)
        #expect(completion.error == nil)
        #expect(completion.delivery == .answered)
        #expect(completion.metrics.isReusedConnection)
        #expect(completion.metrics.receivedBytes == 6)
        #expect(completion.metrics.sentBytes == 5)
        #expect(transport.runningCount == 0)
    }

    @Test func answersFromAClosureAndRecords() async throws {
        let transport = StubTransport { recorded in
            .json("{\"index\": \(recorded.index)}", status: recorded.request.method == .get ? 200 : 201)
        }
        let first = try await run(transport, request())
        let second = try await run(transport, request(.post, body: .text("unread")))
        #expect(first.text == #"{"index": 0}"#)
        #expect(first.head?.headers["Content-Type"] == "application/json")
        #expect(second.head?.status == 201)
        #expect(transport.requests.map(\.request.method) == [.get, .post])
        #expect(transport.requests.map(\.body) == [nil, nil])
        try await transport.waitForRequests(2)
        await #expect(throws: WaitTimeoutError.self) {
            try await transport.waitForRequests(3, within: .milliseconds(5))
        }
    }

    @Test func answersFromAQueueUntilItIsEmpty() async throws {
        let transport = StubTransport([
            .response(body: "1"), .response(status: 404, pieces: [[50]], trailers: ["T": "t"]),
        ])
        #expect(try await run(transport, request()).text == "1")
        let second = try await run(transport, request())
        #expect(second.text == "2")
        #expect(second.trailers?["T"] == "t")
        let third = try await run(transport, request())
        #expect(third.completion?.error?.code == .couldNotConnect)
        #expect(third.order == ["finish"])
    }

    @Test func failsAsTold() async throws {
        struct Complaint: Error {}
        let transport = StubTransport { recorded in
            switch recorded.index {
            case 0: .failure(LupineError(.timedOut, "late"))
            case 1: .failure(LupineError(.couldNotConnect, "no"), delivery: .unsent)
            case 2:
                StubExchange([
                    .head(HTTPResponse(status: 200)), .body("x"),
                    .failure(LupineError(.incompleteBody, "cut"), delivery: nil),
                ])
            case 3: throw LupineError(.tlsFailed, "tls")
            default: throw Complaint()
            }
        }
        var ends: [ExchangeCompletion] = []
        for _ in 0..<5 { ends.append(try #require(try await run(transport, request()).completion)) }
        #expect(
            ends.map { $0.error?.code } == [.timedOut, .couldNotConnect, .incompleteBody, .tlsFailed, .badResponse])
        #expect(ends.map(\.delivery) == [.unanswered, .unsent, .answered, .unanswered, .unanswered])
        #expect(ends[4].error?.underlying is Complaint)
    }

    @Test func refusesWhatCannotBeSent() async throws {
        let transport = StubTransport { _ in .response() }
        var bad = try request()
        bad.headers.add(name: "X", value: "a\r\nb")
        let receiver = try await run(transport, bad)
        #expect(receiver.completion?.error?.code == .invalidRequest)
        #expect(receiver.completion?.delivery == .unsent)
        #expect(receiver.order == ["finish"])
        #expect(transport.requests.isEmpty)
    }

    @Test(arguments: [
        [StubExchange.Step.body("early"), .head(HTTPResponse(status: 200))], [],
        [.head(HTTPResponse(status: 200)), .head(HTTPResponse(status: 200))],
        [.head(HTTPResponse(status: 200)), .informational(HTTPResponse(status: 103))],
        [.head(HTTPResponse(status: 200)), .trailers([:]), .body("late")],
        [.head(HTTPResponse(status: 200)), .trailers([:]), .trailers([:])], [.trailers([:])],
    ])
    func aScriptThatBreaksTheContractEnds(_ steps: [StubExchange.Step]) async throws {
        let receiver = try await run(StubTransport { _ in StubExchange(steps) }, request())
        #expect(receiver.completion?.error?.code == .badResponse)
        #expect(receiver.completion?.error?.message.contains("script") == true)
    }

    @Test func heedsTheLargestBody() async throws {
        var limited = try request()
        limited.options.maximumBodySize = 4
        let transport = StubTransport { _ in .response(pieces: [Array("1234".utf8), Array("5".utf8)]) }
        let receiver = try await run(transport, limited)
        #expect(receiver.completion?.error?.code == .responseTooLarge)
        #expect(receiver.text == "1234")
    }

    // Bodies.

    private struct Broken: BodyReader {
        let closed = Gate()
        func read(upTo count: Int) async throws -> Data? { throw CancellationError() }
        func close() { closed.open() }
    }

    private final class Hanging: BodyReader {
        let reading = Gate()
        let closed = Gate()
        func read(upTo count: Int) async throws -> Data? {
            reading.open()
            try await Gate().opened()
            return nil
        }
        func close() { closed.open() }
    }

    @Test func readsBodiesWhenAsked() async throws {
        let transport = StubTransport(readsBodies: true) { .response(body: $0.text ?? "none") }
        let bytes = try await run(transport, request(.post, body: .text("bytes")))
        #expect(bytes.text == "bytes")
        #expect(bytes.sent == 5)
        #expect(bytes.order == ["sent", "head", "body", "finish"])
        let pieces = AsyncStream<Data> { stream in
            for piece in ["a", "", "bc"] { stream.yield(Data(piece.utf8)) }
            stream.finish()
        }
        let streamed = try await run(transport, request(.post, body: .oneShotStream(pieces)))
        #expect(streamed.text == "abc")
        #expect(streamed.sent == 3)
        #expect(streamed.completion?.metrics.sentBytes == 3)
        let empty = try await run(transport, request())
        #expect(empty.sent == 0)
        #expect(empty.order == ["head", "finish"])
        #expect(transport.requests.map(\.text) == ["bytes", "abc", ""])
    }

    @Test func aBodyThatFailsEndsTheExchange() async throws {
        let transport = StubTransport(readsBodies: true) { _ in .response() }
        let reader = Broken()
        let broken = try await run(transport, request(.post, body: .oneShotStream(reader: reader)))
        #expect(broken.completion?.error?.code == .uploadSourceFailed)
        #expect(reader.closed.isOpen)
        let pieces = AsyncStream<Data> { $0.finish() }
        let short = try await run(transport, request(.post, body: .oneShotStream(length: 4, pieces)))
        #expect(short.completion?.error?.code == .uploadSourceFailed)
        #expect(transport.requests.isEmpty)
    }

    @Test func cancellingEndsTheReadingOfABody() async throws {
        let transport = StubTransport(readsBodies: true) { _ in .response() }
        let reader = Hanging()
        let receiver = RecordingReceiver()
        let control = transport.start(try request(.post, body: .oneShotStream(reader: reader)), receiver: receiver)
        try await reader.reading.opened()
        control.cancel()
        #expect(try await receiver.finish().error?.code == .cancelled)
        try await reader.closed.opened()
        #expect(receiver.order == ["finish"])
        #expect(transport.requests.isEmpty)
    }
}
