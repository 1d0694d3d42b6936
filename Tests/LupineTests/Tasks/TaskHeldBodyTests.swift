import Dispatch
import FoundationEssentials
import Lupine
import LupineCore
import Testing

/// Bytes that come while the user decides about their answer.
@Suite(.timeLimit(.minutes(1)))
struct TaskHeldBodyTests {
    /// Goes on telling, paused or not, as a transport may that has read already.
    private struct Pushing: HTTPTransport {
        static let pieces = 3000

        final class Control: ExchangeControl {
            func pause() {}
            func resume() {}
            func cancel() {}
        }

        func start(_ request: HTTPRequest, receiver: any ExchangeReceiver) -> any ExchangeControl {
            DispatchQueue(label: "pushing").async {
                receiver.didReceive(head: HTTPResponse(status: 200))
                for index in 0..<Self.pieces {
                    let piece = [UInt8(truncatingIfNeeded: index &* 31)]
                    piece.withUnsafeBytes { _ = receiver.didReceive(body: $0) }
                }
                receiver.didFinish(ExchangeCompletion())
            }
            return Control()
        }

        func shutdown() async {}
    }

    /// Whenever the decision falls, no byte is lost, doubled or moved.
    @Test func everyByteInItsPlace() async throws {
        let expected = Data((0..<Pushing.pieces).map { UInt8(truncatingIfNeeded: $0 &* 31) })
        var configuration = SessionConfiguration()
        var handlers = TaskHandlers()
        handlers.response = { task, _ in
            for _ in 0..<task.identifier % 50 { await Task.yield() }
            return .allow
        }
        configuration.handlers = handlers
        let session = URLSessionManager(configuration: configuration, transport: Pushing())
        let request = HTTPRequest(url: try HTTPURL("http://h.test/"))
        for _ in 0..<300 { #expect(try await session.data(for: request).data == expected) }
        for _ in 0..<300 {
            var body = Data()
            for try await piece in try await session.stream(for: request).body { body += piece }
            #expect(body == expected)
        }
        await session.invalidate()
    }
}
