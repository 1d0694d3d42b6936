public import LupineCore
public import LupineTransport

/// A session: makes requests as they are given, over connections that it keeps.
///
/// ``HTTPSessionManager`` puts base URL, parameters and serializers on top.
public final class URLSessionManager: Sendable {
    public let configuration: SessionConfiguration
    let transport: any HTTPTransport

    /// - Parameters:
    ///   - configuration: copied; later changes to it change no session.
    ///   - transport: what performs exchanges. libcurl by default; a stub in tests.
    public init(
        configuration: SessionConfiguration = SessionConfiguration(), transport: (any HTTPTransport)? = nil
    ) {
        self.configuration = configuration
        self.transport =
            transport ?? CurlTransport(configuration: configuration.transport, eventLoop: configuration.eventLoop)
    }

    /// Where this session's transfers run. Tasks that mostly wait for them run cheapest there:
    /// `withTaskExecutorPreference(session.eventLoop) { … }`.
    public var eventLoop: EventLoop { configuration.eventLoop }

    /// Ends every request under way with `cancelled` and closes the connections; returns when that is done.
    /// A request made afterwards ends with `cancelled` at once.
    public func invalidate() async { await transport.shutdown() }
}
