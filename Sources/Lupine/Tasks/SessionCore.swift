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
    private let headers: HTTPHeaders
    private let maximumBodySize: Int64
    let cookies: CookieStorage
    let hsts: HSTSStorage

    private struct WeakTask {
        weak var task: SessionTask?
    }

    private struct Registry {
        var nextIdentifier = 1
        /// Held until their ends, whoever else lets go of them.
        var begun: [Int: SessionTask] = [:]
        /// Not begun: nobody's but their makers'.
        var idle: [Int: WeakTask] = [:]
        var isInvalid = false
        var waiters: [UnsafeContinuation<Void, Never>] = []
    }

    private let registry = Lock(Registry())

    init(_ configuration: SessionConfiguration, transport: any HTTPTransport) {
        self.configuration = configuration
        self.transport = transport
        handlers = configuration.handlers
        observer = configuration.observer
        redirects = configuration.redirects
        resending = configuration.resending
        headers = configuration.headers
        maximumBodySize = configuration.maximumInMemoryBodySize
        cookies = configuration.cookieStorage ?? CookieStorage()
        hsts = configuration.hstsStorage ?? HSTSStorage()
    }

    // MARK: What is known of hosts

    /// The request with what every request of the session has.
    func completed(_ request: consuming HTTPRequest, isCollected: Bool) -> HTTPRequest {
        request.completed(headers: headers, maximumBodySize: isCollected ? maximumBodySize : nil)
    }

    /// Adds to a request what is added for each exchange.
    func dress(_ request: inout HTTPRequest) {
        guard request.options.handlesCookies, let cookies = cookies.cookieHeader(for: request.url),
            !request.headers.contains("Cookie")
        else { return }
        request.headers.add(name: "Cookie", value: cookies)
    }

    /// Takes in what an answer says beside its content.
    func learn(from response: HTTPResponse, to request: HTTPRequest) {
        hsts.store(response.headers, for: request.url)
        if request.options.handlesCookies { cookies.store(response.headers, for: request.url) }
    }

    // MARK: Tasks

    var isInvalid: Bool { registry.withLock { $0.isInvalid } }

    func nextIdentifier() -> Int {
        registry.withLock { registry in
            defer { registry.nextIdentifier += 1 }
            return registry.nextIdentifier
        }
    }

    /// A task that its maker will begin, or not.
    func add(idle task: SessionTask) {
        registry.withLock { registry in
            registry.idle[task.identifier] = WeakTask(task: task)
        }
    }

    func remove(idle identifier: Int) {
        registry.withLock { registry in
            _ = registry.idle.removeValue(forKey: identifier)
        }
    }

    /// - Returns: false when the session takes no more.
    func begin(_ task: SessionTask) -> Bool {
        registry.withLock { registry in
            if !registry.idle.isEmpty { registry.idle[task.identifier] = nil }
            guard !registry.isInvalid else { return false }
            registry.begun[task.identifier] = task
            return true
        }
    }

    func end(_ task: SessionTask) {
        let waiters = registry.withLock { registry -> [UnsafeContinuation<Void, Never>] in
            registry.begun[task.identifier] = nil
            if !registry.idle.isEmpty { registry.idle[task.identifier] = nil }
            guard registry.begun.isEmpty, !registry.waiters.isEmpty else { return [] }
            defer { registry.waiters = [] }
            return registry.waiters
        }
        for waiter in waiters { waiter.resume() }
    }

    /// A snapshot, in the order of their making.
    var tasks: [SessionTask] {
        let tasks = registry.withLock { registry in
            Array(registry.begun.values) + registry.idle.values.compactMap(\.task)
        }
        return tasks.sorted { $0.identifier < $1.identifier }
    }

    // MARK: The end

    /// - Returns: true for the first call.
    private func becomeInvalid() -> Bool {
        registry.withLock { registry in
            defer { registry.isInvalid = true }
            return !registry.isInvalid
        }
    }

    func invalidate(_ session: URLSessionManager, cancellingTasks: Bool) async {
        let isFirst = becomeInvalid()
        if cancellingTasks {
            // Ends the exchanges under way, then what waits between two of them, or for its beginning.
            await transport.shutdown()
            for task in tasks { task.cancel() }
        }
        await waitForTasks()
        await transport.shutdown()
        let handler = configuration.didBecomeInvalid, observer = configuration.observer
        guard isFirst, handler != nil || observer != nil else { return }
        configuration.eventQueue.async {
            handler?()
            observer?.invalidated(session)
        }
    }

    private func waitForTasks() async {
        await withUnsafeContinuation { continuation in
            let isDone = registry.withLock { registry in
                if registry.begun.isEmpty { return true }
                registry.waiters.append(continuation)
                return false
            }
            if isDone { continuation.resume() }
        }
    }
}
