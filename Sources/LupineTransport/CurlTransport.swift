public import LupineCore

/// The transport over libcurl: connections kept and shared by all its exchanges, on an event loop.
///
/// Its last reference, or ``shutdown()``, ends what runs and closes the connections.
public final class CurlTransport: HTTPTransport {
    /// Where its exchanges run.
    public let eventLoop: EventLoop
    private let core: CurlCore

    /// - Parameters:
    ///   - configuration: what all requests have in common; copied.
    ///   - eventLoop: the process's own by default.
    public init(configuration: TransportConfiguration = TransportConfiguration(), eventLoop: EventLoop = .shared) {
        self.eventLoop = eventLoop
        core = CurlCore(configuration: configuration, loop: eventLoop.core)
    }

    deinit {
        let core = core
        eventLoop.execute { core.shutDown() }
    }

    @discardableResult
    public func start(_ request: HTTPRequest, receiver: any ExchangeReceiver) -> any ExchangeControl {
        let transfer = Transfer(request, receiver: receiver, core: core)
        transfer.start()
        return transfer
    }

    public func shutdown() async {
        await withCheckedContinuation { continuation in
            eventLoop.execute { [core] in
                core.shutDown()
                continuation.resume()
            }
        }
    }
}
