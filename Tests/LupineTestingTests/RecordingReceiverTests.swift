import LupineCore
import LupineTesting
import Testing

/// The receiver that watches over a transport is watched over here: fed by hand, right and wrong.
@Suite(.timeLimit(.minutes(2)))
struct RecordingReceiverTests {
    private let head = HTTPResponse(status: 200)

    @discardableResult
    private func feed(_ receiver: RecordingReceiver, body text: String) -> ExchangeFlow {
        Array(text.utf8).withUnsafeBytes { receiver.didReceive(body: $0) }
    }

    @Test func keepsWhatItIsTold() async throws {
        let receiver = RecordingReceiver { $0 == 1 ? .pause : .proceed }
        receiver.didSend(1)
        receiver.didSend(2)
        receiver.didReceive(informational: HTTPResponse(status: 103))
        receiver.didReceive(head: head)
        #expect(feed(receiver, body: "a") == .proceed)
        #expect(feed(receiver, body: "b") == .pause)
        receiver.didReceive(trailers: ["T": "t"])
        #expect(receiver.completion == nil)
        receiver.didFinish(ExchangeCompletion())
        #expect(try await receiver.finish().error == nil)
        #expect(receiver.order == ["sent", "informational", "head", "body", "trailers", "finish"])
        #expect(receiver.events.count == 8)
        #expect(receiver.text == "ab")
        #expect(receiver.violations.isEmpty)
    }

    @Test func canForgetTheBody() {
        let receiver = RecordingReceiver(keepsBody: false)
        receiver.didReceive(head: head)
        feed(receiver, body: "abc")
        #expect(receiver.body.isEmpty)
        #expect(receiver.bodyPieceCount == 1)
    }

    @Test func waitsForTheEndWithABound() async {
        let receiver = RecordingReceiver()
        await #expect(throws: WaitTimeoutError.self) { try await receiver.finish(within: .milliseconds(5)) }
        await #expect(throws: WaitTimeoutError.self) { try await receiver.waitForHead(within: .milliseconds(5)) }
    }

    /// A wait for what can no longer come says so at once.
    @Test func waitsForPiecesNoLongerThanTheExchange() async throws {
        let receiver = RecordingReceiver()
        receiver.didReceive(head: head)
        feed(receiver, body: "abc")
        try await receiver.waitForBodyPieces(1)
        receiver.didFinish(ExchangeCompletion())
        try await receiver.waitForBodyPieces(1)
        await #expect(throws: WaitTimeoutError(subject: "2 body pieces, before the end,", limit: .testLimit)) {
            try await receiver.waitForBodyPieces(2)
        }
    }

    @Test func notesEveryViolation() {
        func violations(_ script: (RecordingReceiver) -> Void) -> [String] {
            let receiver = RecordingReceiver()
            script(receiver)
            return receiver.violations
        }
        let end = ExchangeCompletion(error: LupineError(.cancelled, ""))
        #expect(violations { feed($0, body: "x") } == ["body before the head"])
        #expect(violations { $0.didReceive(trailers: [:]) } == ["trailers before the head"])
        #expect(violations { for _ in 0..<2 { $0.didReceive(head: head) } } == ["two heads"])
        #expect(
            violations {
                $0.didReceive(head: head)
                $0.didReceive(informational: HTTPResponse(status: 103))
            } == ["informational head after the final one"])
        #expect(violations { $0.didReceive(informational: head) } == ["informational head with 200"])
        #expect(violations { $0.didReceive(head: HTTPResponse(status: 103)) } == ["final head with 103"])
        #expect(
            violations {
                $0.didReceive(head: head)
                $0.didReceive(trailers: [:])
                feed($0, body: "x")
                $0.didReceive(trailers: [:])
            } == ["body after the trailers", "two trailers"])
        #expect(
            violations {
                $0.didReceive(head: head)
                feed($0, body: "")
            } == ["an empty body piece"])
        #expect(violations { for _ in 0..<2 { $0.didFinish(end) } } == ["finish after the end"])
        #expect(
            violations {
                $0.didFinish(end)
                $0.didSend(1)
                $0.didReceive(head: head)
            } == ["sent after the end", "head after the end"])
        #expect(
            violations {
                $0.didSend(2)
                $0.didSend(1)
            } == ["sent went back from 2 to 1"])
        #expect(violations { $0.didFinish(ExchangeCompletion()) } == ["a good end without a head"])
    }

    @Test func theFirstEndCounts() async throws {
        let receiver = RecordingReceiver()
        receiver.didFinish(ExchangeCompletion(error: LupineError(.timedOut, "")))
        receiver.didFinish(ExchangeCompletion(error: LupineError(.cancelled, "")))
        #expect(try await receiver.finish().error?.code == .timedOut)
        #expect(receiver.violations.count == 1)
    }
}
