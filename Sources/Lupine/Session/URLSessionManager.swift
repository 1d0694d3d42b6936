public import LupineCore
public import LupineTransport

/// A session: makes requests as they are given, over connections that it keeps.
///
/// ``HTTPSessionManager`` puts base URL, parameters and serializers on top. A session that is let go of ends once its tasks
/// have.
public final class URLSessionManager: Sendable {
    let core: SessionCore

    /// - Parameters:
    ///   - configuration: copied; later changes to it change no session.
    ///   - transport: what performs exchanges. libcurl by default; a stub in tests.
    public convenience init(
        configuration: SessionConfiguration = SessionConfiguration(), transport: (any HTTPTransport)? = nil
    ) {
        self.init(configuration: configuration, transport: transport, origin: nil)
    }

    /// - Parameter origin: whom the configuration's secret fields are for; `nil`: anyone.
    init(configuration: SessionConfiguration, transport: (any HTTPTransport)?, origin: String?) {
        core = SessionCore(
            configuration,
            transport: transport
                ?? CurlTransport(configuration: configuration.transport, eventLoop: configuration.eventLoop),
            origin: origin)
    }

    public var configuration: SessionConfiguration { core.configuration }

    /// Where this session's transfers run. Tasks that mostly wait for them run cheapest there:
    /// `withTaskExecutorPreference(session.eventLoop) { … }`.
    public var eventLoop: EventLoop { configuration.eventLoop }

    /// The session's cookies.
    public var cookieStorage: CookieStorage { core.cookies }
    /// The hosts that the session reaches over https only.
    public var hstsStorage: HSTSStorage { core.hsts }

    /// Another session whose configuration differs. Connections are not shared.
    public func copy(_ change: (inout SessionConfiguration) -> Void = { _ in }) -> URLSessionManager {
        var configuration = configuration
        change(&configuration)
        return URLSessionManager(configuration: configuration, transport: nil, origin: core.origin)
    }

    /// Takes no more tasks: a request made afterwards ends with `cancelled` at once. Returns when all have ended and the
    /// connections are closed; ``SessionConfiguration/didBecomeInvalid`` is then called. Calling it again is harmless.
    ///
    /// - Parameter cancellingTasks: end every task with `cancelled`, begun or not. Otherwise those that have begun are waited
    ///   for, also while they are suspended.
    public func invalidate(cancellingTasks: Bool = true) async {
        await core.invalidate(self, cancellingTasks: cancellingTasks)
    }

    // MARK: Tasks

    /// The tasks that have not ended: a snapshot, in the order of their making.
    public var tasks: [SessionTask] { core.registry.tasks }
    /// Those made as data tasks.
    public var dataTasks: [SessionTask] { tasks.filter { $0.kind == .data } }
    /// Those made as upload tasks.
    public var uploadTasks: [SessionTask] { tasks.filter { $0.kind == .upload } }
}

extension URLSessionManager: CustomStringConvertible {
    public var description: String { "URLSessionManager with \(tasks.count) tasks" }
}
