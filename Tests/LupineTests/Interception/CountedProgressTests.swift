import Dispatch
import FoundationEssentials
import LupineCore
import LupineTesting
import Testing

@testable import Lupine

/// Whether the body of an error's answer counts as progress: that of the task's answer does, that of a try that is followed by another
/// does not.
@Suite(.timeLimit(.minutes(2)))
struct CountedProgressTests {
    /// Sends head, body and end at once, whether or not somebody has enough.
    private final class Hasty: HTTPTransport {
        final class Control: ExchangeControl {
            func pause() {}
            func resume() {}
            func cancel() {}
        }

        let ended: Gate
        private let count = Lock(0)

        init(ended: Gate) { self.ended = ended }

        func start(_ request: HTTPRequest, receiver: any ExchangeReceiver) -> any ExchangeControl {
            let index = count.withLock { count in
                count += 1
                return count - 1
            }
            DispatchQueue(label: "hasty").async { [ended] in
                receiver.didReceive(head: HTTPResponse(status: index == 0 ? 503 : 200))
                _ = Array("body".utf8).withUnsafeBytes { receiver.didReceive(body: $0) }
                receiver.didFinish(ExchangeCompletion())
                ended.open()
            }
            return Control()
        }

        func shutdown() async {}
    }

    /// Handed on as it comes, it is the answer once its head has been accepted.
    @Test(arguments: [false, true]) func anAcceptedErrorCounts(isStream: Bool) async throws {
        let transport = StubTransport([
            .response(status: 503, headers: ["Content-Length": "4"], pieces: [Array("no".utf8), Array("pe".utf8)])
        ])
        let tasks = Notes<SessionTask>()
        var handlers = TaskHandlers(retriers: [
            Retrier { task, _ in
                tasks.add(task)
                return .doNotRetry
            }
        ])
        if !isStream { handlers.data = { _, _ in } }
        let session = stubbed(transport, handlers)
        if isStream {
            for try await _ in try await session.stream(for: .to()).body {}
        } else {
            _ = try await session.data(for: .to())
        }
        #expect(tasks.all.map(\.downloadProgress) == [TransferProgress(completed: 4, total: 4)])
    }

    /// What came while somebody was asked about it counts no more than the rest of it.
    @Test func whatWasHeldOfATryDoesNotCount() async throws {
        let ended = Gate(), received = Notes<Int64>()
        var handlers = TaskHandlers(retriers: [
            Retrier { task, _ in
                received.add(task.downloadProgress.completed)
                return .retry
            }
        ])
        handlers.response = { _, _ in
            try await ended.opened()
            return .allow
        }
        var configuration = SessionConfiguration()
        configuration.callbackQueue = .global()
        let session = URLSessionManager(configuration: configuration, transport: Hasty(ended: ended))
        #expect(try await session.data(for: .to(), handlers: handlers).text == "body")
        #expect(received.all == [0])
        await session.invalidate()
    }
}
