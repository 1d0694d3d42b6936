import LupineCore
import LupineTesting
import Testing

/// Holding, pausing, cancelling and shutting down.
@Suite(.timeLimit(.minutes(2)))
struct StubTransportControlTests {
    private let request: HTTPRequest

    init() throws { request = HTTPRequest(url: try HTTPURL("http://example.com/")) }

    @Test func holdsUntilTheGateOpens() async throws {
        let gate = Gate()
        let transport = StubTransport { _ in
            StubExchange([.head(HTTPResponse(status: 200)), .body("a"), .hold(gate), .body("b"), .hold(gate)])
        }
        let receiver = RecordingReceiver()
        transport.start(request, receiver: receiver)
        try await receiver.waitForBodyPieces(1)
        #expect(try await receiver.waitForHead().status == 200)
        #expect(receiver.completion == nil)
        #expect(transport.runningCount == 1)
        gate.open()
        #expect(try await receiver.finish().error == nil)
        #expect(receiver.text == "ab")
        #expect(receiver.violations.isEmpty)
    }

    @Test func holdsAWholeAnswer() async throws {
        let gate = Gate()
        let transport = StubTransport { _ in .response(body: "x").held(until: gate) }
        let receiver = RecordingReceiver()
        transport.start(request, receiver: receiver)
        try await transport.waitForRequests(1)
        #expect(receiver.head == nil)
        gate.open()
        try await receiver.finish()
        #expect(receiver.text == "x")
    }

    @Test func piecesWaitWhilePaused() async throws {
        let transport = StubTransport { _ in .response(pieces: [[1], [2], [3]]) }
        // Pauses at every piece.
        let receiver = RecordingReceiver { _ in .pause }
        let control = transport.start(request, receiver: receiver)
        for count in 1...3 {
            try await receiver.waitForBodyPieces(count)
            // A second exchange goes through the same thread: after it, what could have come has come.
            let marker = RecordingReceiver()
            transport.start(request, receiver: marker)
            try await marker.finish()
            #expect(receiver.bodyPieceCount == count)
            #expect(receiver.completion == nil)
            control.resume()
        }
        #expect(try await receiver.finish().error == nil)
        #expect(receiver.body == [1, 2, 3])
        #expect(receiver.violations.isEmpty)
    }

    @Test func pausingFromOutsideStopsWhatIsRead() async throws {
        let gate = Gate()
        let transport = StubTransport { _ in
            StubExchange([.head(HTTPResponse(status: 200)), .hold(gate), .body("late"), .trailers([:])])
        }
        let receiver = RecordingReceiver()
        let control = transport.start(request, receiver: receiver)
        try await receiver.waitForHead()
        control.pause()
        gate.open()
        let marker = RecordingReceiver()
        transport.start(request, receiver: marker)
        try await marker.finish()
        #expect(receiver.order == ["head"])
        control.resume()
        control.resume()
        try await receiver.finish()
        #expect(receiver.order == ["head", "body", "trailers", "finish"])
    }

    /// As when another thread resumes while the receiver is being told.
    @Test func aResumptionDuringTheCallIsNotLost() async throws {
        let control = ControlBox()
        let gate = Gate()
        let transport = StubTransport { _ in .response(pieces: [[1], [2], [3]]).held(until: gate) }
        let receiver = RecordingReceiver { _ in
            control.resume()
            return .pause
        }
        control.set(transport.start(request, receiver: receiver))
        gate.open()
        #expect(try await receiver.finish().error == nil)
        #expect(receiver.body == [1, 2, 3])
    }

    @Test func cancellingEndsWithCancelled() async throws {
        let transport = StubTransport { recorded in
            recorded.index == 0
                ? .unanswered : StubExchange([.head(HTTPResponse(status: 200)), .body("x"), .hold(Gate()), .body("y")])
        }
        let first = RecordingReceiver()
        let firstControl = transport.start(request, receiver: first)
        try await transport.waitForRequests(1)
        let second = RecordingReceiver()
        let secondControl = transport.start(request, receiver: second)
        try await second.waitForBodyPieces(1)
        firstControl.cancel()
        secondControl.cancel()
        #expect(try await first.finish().error?.code == .cancelled)
        #expect(try await second.finish().error?.code == .cancelled)
        #expect(first.completion?.delivery == .unanswered)
        #expect(second.completion?.delivery == .answered)
        #expect(first.order == ["finish"])
        #expect(second.order == ["head", "body", "finish"])
        await #expect(throws: WaitTimeoutError.self) { try await first.waitForHead() }
    }

    @Test func everyCallIsHarmlessAfterTheEnd() async throws {
        let transport = StubTransport { _ in .response(body: "x") }
        let receiver = RecordingReceiver()
        let control = transport.start(request, receiver: receiver)
        try await receiver.finish()
        for _ in 0..<3 {
            control.cancel()
            control.pause()
            control.resume()
        }
        let marker = RecordingReceiver()
        transport.start(request, receiver: marker)
        try await marker.finish()
        #expect(receiver.completion?.error == nil)
        #expect(receiver.violations.isEmpty)
        #expect(receiver.events.count == 3)
    }

    @Test func aPausedExchangeCanBeCancelled() async throws {
        let transport = StubTransport { _ in .response(pieces: [[1], [2]]) }
        let receiver = RecordingReceiver { _ in .pause }
        let control = transport.start(request, receiver: receiver)
        try await receiver.waitForBodyPieces(1)
        control.cancel()
        #expect(try await receiver.finish().error?.code == .cancelled)
        #expect(receiver.body == [1])
    }

    @Test func cancellingFromManyThreadsEndsOnce() async throws {
        let transport = StubTransport { _ in .response(pieces: [[1], [2], [3]]) }
        for _ in 0..<200 {
            let receiver = RecordingReceiver()
            let control = transport.start(request, receiver: receiver)
            async let a: Void = control.cancel()
            async let b: Void = control.resume()
            async let c: Void = control.cancel()
            _ = await (a, b, c)
            let completion = try await receiver.finish()
            #expect(completion.error == nil || completion.error?.code == .cancelled)
            #expect(receiver.violations.isEmpty)
        }
        #expect(transport.runningCount == 0)
    }

    @Test func shutdownEndsAllAndRefusesLaterOnes() async throws {
        let transport = StubTransport { _ in .unanswered }
        let receivers = (0..<10).map { _ in RecordingReceiver() }
        for receiver in receivers { transport.start(request, receiver: receiver) }
        transport.shutdown()
        transport.shutdown()
        for receiver in receivers {
            #expect(try await receiver.finish().error?.code == .cancelled)
            #expect(receiver.violations.isEmpty)
        }
        #expect(transport.isShutDown)
        let late = RecordingReceiver()
        transport.start(request, receiver: late)
        #expect(try await late.finish().error?.code == .cancelled)
        #expect(late.completion?.delivery == .unsent)
        #expect(late.order == ["finish"])
        #expect(transport.requests.count == 10)
        #expect(transport.runningCount == 0)
    }

    /// The receiver may do anything, also start another exchange: no lock is held while it is told.
    @Test func aReceiverMayStartAndCancel() async throws {
        let transport = StubTransport { $0.index == 0 ? .response(body: "x") : .unanswered }
        let inner = RecordingReceiver()
        let request = request
        let receiver = RecordingReceiver { _ in
            transport.start(request, receiver: inner).cancel()
            transport.shutdown()
            return .proceed
        }
        transport.start(request, receiver: receiver)
        #expect(try await inner.finish().error?.code == .cancelled)
        #expect(try await receiver.finish().error?.code == .cancelled)
    }
}

private final class ControlBox: Sendable {
    private let control = Lock<(any ExchangeControl)?>(nil)

    func set(_ control: any ExchangeControl) {
        self.control.withLock { $0 = control }
    }

    func resume() { control.withLock { $0 }?.resume() }
}
