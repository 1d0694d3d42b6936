internal import Dispatch
internal import LupineCore

/// What a session's tasks share. It lives as long as the session or any of its tasks under way.
final class SessionCore: Sendable {
    let configuration: SessionConfiguration
    let transport: any HTTPTransport
    // Apart: a configuration is large, and its parts are asked for with each request.
    let handlers: TaskHandlers?
    let observer: SessionObserver?
    let redirects: RedirectPolicy
    let resending: ResendPolicy
    let headers: HTTPHeaders
    /// Whom the secrets among them are for; `nil`: anyone.
    let origin: String?
    /// Those for anyone, where the others have secrets.
    private let openHeaders: HTTPHeaders?
    let maximumBodySize: Int64
    let cookies: CookieStorage
    let hsts: HSTSStorage
    let clock: SessionClock
    let hosts: HostLimits
    /// Whether a host that fails is not asked any more.
    let breaksCircuits: Bool

    let registry = TaskRegistry()
    let coalescer = RequestCoalescer()

    init(_ configuration: SessionConfiguration, transport: any HTTPTransport, origin: String?) {
        self.configuration = configuration
        self.transport = transport
        handlers = configuration.handlers.isEmpty ? nil : configuration.handlers
        observer = configuration.observer
        redirects = configuration.redirects
        resending = configuration.resending
        headers = configuration.headers
        openHeaders =
            origin == nil || !headers.contains(where: \.isForOneOrigin)
            ? nil : HTTPHeaders(headers.filter { !$0.isForOneOrigin })
        self.origin = origin
        maximumBodySize = configuration.maximumInMemoryBodySize
        cookies = configuration.cookieStorage ?? CookieStorage()
        hsts = configuration.hstsStorage ?? HSTSStorage()
        clock = SessionClock(configuration.clock)
        hosts = HostLimits(budget: configuration.retryBudget, breaker: configuration.circuitBreaker)
        breaksCircuits = configuration.circuitBreaker != nil
    }

    // MARK: What is known of hosts

    /// The request with what every request of the session has.
    func completed(_ request: consuming HTTPRequest, isCollected: Bool) -> HTTPRequest {
        var fields = headers
        if let openHeaders, let origin, !request.url.hasOrigin(origin) { fields = openHeaders }
        return request.completed(headers: fields, maximumBodySize: isCollected ? maximumBodySize : nil)
    }

    /// Adds to a request what is added for each exchange.
    func dress(_ request: inout HTTPRequest) {
        guard request.options.handlesCookies, let cookies = cookies.cookieText(for: request.url),
            !request.headers.contains("Cookie")
        else { return }
        request.headers.add(HTTPHeader(name: "Cookie", value: cookies))
    }

    /// Takes in what an answer says beside its content.
    func learn(from response: HTTPResponse, to request: HTTPRequest) {
        hsts.store(response.headers, for: request.url)
        if request.options.handlesCookies { cookies.store(response.headers, for: request.url) }
    }

    // MARK: The end

    func invalidate(_ session: URLSessionManager, cancellingTasks: Bool) async {
        let isFirst = registry.close()
        if cancellingTasks {
            // Ends the exchanges under way, then what waits between two of them, or for its beginning.
            await transport.shutdown()
            for task in registry.tasks { task.cancel() }
        }
        await registry.waitForTasks()
        await transport.shutdown()
        let handler = configuration.didBecomeInvalid, observer = configuration.observer
        guard isFirst, handler != nil || observer != nil else { return }
        configuration.eventQueue.async {
            handler?()
            observer?.invalidated(session)
        }
    }
}
