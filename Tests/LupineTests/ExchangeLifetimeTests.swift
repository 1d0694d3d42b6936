import Lupine
import LupineCore
import Testing

/// An exchange and its control, which may know each other, are gone once the caller has its answer.
@Suite struct ExchangeLifetimeTests {
    /// A transport that ends each exchange before it hands out the control, as a refusal may.
    private final class HastyTransport: HTTPTransport {
        final class Control: ExchangeControl {
            let receiver: any ExchangeReceiver
            init(_ receiver: any ExchangeReceiver) { self.receiver = receiver }
            func pause() {}
            func resume() {}
            func cancel() {}
        }

        private let error: LupineError?
        let receivers = Lock<[WeakReceiver]>([])

        init(_ error: LupineError?) { self.error = error }

        func start(_ request: HTTPRequest, receiver: any ExchangeReceiver) -> any ExchangeControl {
            receivers.withLock { $0.append(WeakReceiver(receiver)) }
            if error == nil { receiver.didReceive(head: HTTPResponse(status: 204)) }
            receiver.didFinish(ExchangeCompletion(error: error))
            return Control(receiver)
        }

        func shutdown() async {}
    }

    // Only read after the exchange.
    private struct WeakReceiver: @unchecked Sendable {
        weak var receiver: (any ExchangeReceiver)?
        init(_ receiver: any ExchangeReceiver) { self.receiver = receiver }
    }

    @Test(arguments: [nil, LupineError(.invalidRequest, "refused")])
    func anExchangeThatEndedAtOnceIsGone(_ error: LupineError?) async throws {
        let transport = HastyTransport(error)
        let session = URLSessionManager(transport: transport)
        let request = HTTPRequest(url: try HTTPURL("http://a.test/"))
        #expect(await result { _ = try await session.data(for: request) } == error?.code)
        #expect(await result { for try await _ in try await session.stream(for: request).body {} } == error?.code)
        let isLeft = transport.receivers.withLock { $0.map { $0.receiver != nil } }
        #expect(isLeft == [false, false])
    }

    private func result(_ work: () async throws -> Void) async -> LupineError.Code? {
        do {
            try await work()
            return nil
        } catch {
            return (error as? LupineError)?.code ?? .unsupported
        }
    }
}
