internal import LupineCore

/// Where a task is on its way: the request of its present exchange, and how it came to it.
struct TaskPath {
    /// With the session's fields, and without what is added for each exchange.
    private(set) var request: HTTPRequest
    private(set) var sendings: Sendings
    /// Redirects followed.
    private(set) var followed = 0
    /// The URLs that redirects led away from.
    private(set) var left: [HTTPURL] = []

    init(_ request: HTTPRequest, core: SessionCore, isCollected: Bool) {
        self.request = core.configuration.completed(request, isCollected: isCollected)
        sendings = Sendings(of: request, policy: core.configuration.resending)
    }

    /// Whether the same request goes out again after that end; it is then ready to.
    mutating func repeats(after completion: ExchangeCompletion) -> Bool {
        sendings.repeats(&request, after: completion)
    }

    mutating func follow(_ next: HTTPRequest) {
        left.append(request.url)
        followed += 1
        request = next
        sendings.restart(&request)
    }

    mutating func give(_ body: HTTPBody) { request.body = body }
}
