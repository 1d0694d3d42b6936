internal import LupineCore

/// Where a task is on its way: the request of its present exchange, and how it came to it.
struct TaskPath {
    /// With the session's fields, and without what is added for each exchange.
    private(set) var request: HTTPRequest
    /// The first of this try.
    private(set) var beginning: HTTPRequest
    private(set) var sendings: Sendings
    /// Redirects followed.
    private(set) var followed = 0
    /// The URLs that redirects led away from.
    private(set) var left: [HTTPURL] = []
    /// How earlier tries failed, and how often they sent their last request.
    private(set) var failures: [LupineError] = []
    private var earlierSendings = 0
    /// What is left of the time to wait for a network, once some has been spent so; with an end, that is over.
    var connectivityWait: Duration?
    /// Whether a server has acted on this try, by a redirect, whose request was not idempotent.
    private var hasActed = false

    init(_ request: HTTPRequest, core: SessionCore) {
        self.request = request
        beginning = request
        if let url = core.hsts.upgraded(request.url) { self.request.url = url }
        sendings = Sendings(of: request, policy: core.resending)
    }

    /// Whether the same request goes out again after that end; it is then ready to.
    ///
    /// - Parameter renewsBody: another body takes the place of one that can be read only once.
    mutating func repeats(after completion: ExchangeCompletion, renewsBody: Bool) -> Bool {
        let body = request.body
        if renewsBody { request.body = body.asRewindable }
        defer { request.body = body }
        return sendings.repeats(&request, after: completion)
    }

    /// Where this try began, as it was sent.
    var firstURL: HTTPURL { left.first ?? request.url }

    /// How often the answer's request was sent, over all tries.
    var sendingCount: Int { earlierSendings + sendings.count }

    mutating func follow(_ next: HTTPRequest, core: SessionCore) {
        if !request.method.isIdempotent { hasActed = true }
        left.append(request.url)
        followed += 1
        request = next
        if let url = core.hsts.upgraded(next.url) { request.url = url }
        sendings.restart(&request)
    }

    /// What an answer means for the request.
    ///
    /// - Parameter mayGetBody: a body that can be read only once does not keep the request from being sent on: the user is
    ///   asked, and may give another.
    func step(after response: HTTPResponse, core: SessionCore, mayGetBody: Bool) -> RedirectStep {
        let policy = core.redirects
        guard mayGetBody, !request.body.isRewindable else {
            return policy.step(after: response, to: request, followed: followed, hsts: core.hsts)
        }
        var request = request
        request.body = request.body.asRewindable
        let step = policy.step(after: response, to: request, followed: followed, hsts: core.hsts)
        guard case .follow(var next) = step, !next.body.isEmpty else { return step }
        next.body = self.request.body
        return .follow(next)
    }

    /// Whether a body that goes out after the present exchange has been read, and cannot be again.
    func hasSpent(_ body: HTTPBody) -> Bool {
        guard let ticket = body.ticket, !body.isEmpty else { return false }
        // The present exchange may be about to read its own.
        return ticket === request.body.ticket || ticket.isUsed
    }

    /// Whether there is a limit in all.
    var isLimited: Bool { sendings.total != nil }

    /// Rings when the limit in all is over, with the error that says so. `nil`: there is none. For where no exchange runs that
    /// ends by itself then.
    func alarm(_ ring: @escaping @Sendable (LupineError) -> Void) -> Alarm? {
        guard let total = sendings.total, let remaining = sendings.remaining else { return nil }
        let host = request.url.host, left = left
        return Alarm(after: remaining) {
            let error = LupineError(
                .timedOut, "the request to \(host) was not done within \(total.shortText) in all", host: host)
            ring(error.with(response: nil, data: nil, metrics: nil, redirects: left))
        }
    }

    mutating func give(_ body: HTTPBody) { request.body = body }

    // MARK: Tries

    /// The same request again, of which nothing has left.
    mutating func repeatUnsent() { sendings.restart(&request) }

    /// The request from its beginning, as adapters made it. The limit in all goes on.
    mutating func begin(with adapted: HTTPRequest, core: SessionCore) {
        request = adapted
        beginning = adapted
        if let url = core.hsts.upgraded(adapted.url) { request.url = url }
        followed = 0
        left = []
        hasActed = false
        sendings.begin(&request)
    }

    /// Another try comes after this one, which failed.
    mutating func leave(after error: LupineError) {
        failures.append(error)
        earlierSendings += sendings.count
    }

    /// Whether a server may have acted on this try, which ended so.
    func mayHaveActed(after delivery: RequestDelivery) -> Bool {
        hasActed || (delivery != .unsent && !request.method.isIdempotent)
    }
}

extension HTTPBody {
    /// The same for a decision, taken when another will be there in time. Not to be sent.
    fileprivate var asRewindable: HTTPBody {
        HTTPBody(source: source, length: length)
    }
}
