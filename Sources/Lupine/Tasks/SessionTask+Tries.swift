internal import LupineCore

// The tries of a task: each begins with its request as given, adapted anew, and ends with an answer or with a failure that retriers
// are asked about.
extension SessionTask {
    /// Whether bytes of the answer are handed on as they come, and cannot be taken back.
    var handsOn: Bool { reader != nil || (relay?.takesData ?? false) }

    /// Runs `work`, whose outcome is awaited. It is cancelled when the task ends.
    ///
    /// - Parameter here: on this thread until it first waits, which it need not do.
    func decide(here: Bool = false, _ work: @escaping @Sendable () async -> Void) {
        let number = status.withLock { status in
            status.decisionCount += 1
            return status.decisionCount
        }
        let decision = here ? Task.immediate { await work() } : Task { await work() }
        let isOver = status.withLock { status in
            guard status.outcome == nil else { return true }
            // It may be over by now, and another have taken its place.
            if status.decisionCount == number { status.decision = decision }
            return false
        }
        if isOver { decision.cancel() }
    }

    /// What was awaited has ended the task.
    func failDecision(_ error: LupineError) {
        if status.withLock({ $0.machine.decided(.end) }) == .complete { complete(.failure(error)) }
    }

    // MARK: Adapters

    /// The request as given, with the session's fields.
    private var completedRequest: HTTPRequest { isCompleted ? originalRequest : completed(originalRequest) }

    /// `nil`: adapters have ended the task, or take their time and go on with it later.
    func firstExchange(_ priority: Float?) -> TaskExchange? {
        let request = completedRequest
        guard let handlers, !handlers.adapters.isEmpty else {
            return counted(TaskPath(request, core: core), priority)
        }
        // What is cancelled already asks nobody.
        let action = status.withLock { status -> TaskMachine.Action in
            status.started = .now()
            status.current = request
            return status.machine.isCancelled ? status.machine.exchangeEnded(.end) : .none
        }
        guard action == .none else {
            self.do(action)
            return nil
        }
        do {
            // The time of adapters counts to the limit in all.
            var limited = request.options.timeouts.total.map { _ in TaskPath(request, core: core) }
            let (adapted, rest) = try adaptedWithoutWaiting(request, handlers.adapters[...])
            if rest.isEmpty {
                limited?.begin(with: adapted, core: core)
                return counted(limited ?? TaskPath(adapted, core: core), priority)
            }
            prepare(limited ?? TaskPath(request, core: core), adapted, rest)
        } catch {
            let error = fault(from: error)
            if status.withLock({ $0.machine.exchangeEnded(.end) }) == .complete { complete(.failure(error)) }
        }
        return nil
    }

    private func counted(_ path: TaskPath, _ priority: Float?) -> TaskExchange {
        count(path)
        return TaskExchange(self, path, priority: priority)
    }

    /// For the budget of the host that is asked, which is what retries are paid from.
    private func count(_ path: TaskPath) {
        if handlers?.retriers.isEmpty == false { core.hosts.willBegin(path.firstURL) }
    }

    /// Has the rest of the adapters make the first request, and begins with that.
    private func prepare(_ path: TaskPath, _ adapted: HTTPRequest, _ rest: ArraySlice<any RequestAdapter>) {
        let action = status.withLock { status in
            let action = status.machine.exchangeEnded(.decision)
            guard action == .none else { return action }
            // Not asked without need: what refers to a task weakly makes all that refers to it dearer.
            if path.isLimited { status.alarm = path.alarm { [weak self] in self?.failDecision($0) } }
            return action
        }
        guard action == .none else { return self.do(action) }
        decide(here: true) { [self] in
            do {
                var path = path
                path.begin(with: try await self.adapted(adapted, rest), core: core)
                count(path)
                goOn(path, telling: nil) { $0.decided($1) }
            } catch {
                failDecision(fault(from: error))
            }
        }
    }

    private func adapted(
        _ request: HTTPRequest, _ adapters: ArraySlice<any RequestAdapter>
    ) async throws -> HTTPRequest {
        var (adapted, rest) = try adaptedWithoutWaiting(request, adapters)
        while let adapter = rest.popFirst() {
            adapted = try await adapter.adapt(adapted, for: self).kept(insteadOf: adapted)
            (adapted, rest) = try adaptedWithoutWaiting(adapted, rest)
        }
        return adapted
    }

    /// The request up to the first adapter that has to wait, and what is left of them.
    private func adaptedWithoutWaiting(
        _ request: HTTPRequest, _ adapters: ArraySlice<any RequestAdapter>
    ) throws -> (HTTPRequest, rest: ArraySlice<any RequestAdapter>) {
        var adapted = request
        for (index, adapter) in zip(adapters.indices, adapters) {
            guard let next = try adapter.adaptWithoutWaiting(adapted, for: self) else {
                return (adapted, adapters[index...])
            }
            adapted = next.kept(insteadOf: adapted)
        }
        return (adapted, [])
    }

    // MARK: After a failure

    /// What comes of a failed try.
    enum Ruling {
        /// Nobody wants it tried again.
        case none
        case retry(after: Duration)
        /// The task ends with another error.
        case fail(LupineError)
    }

    /// What the retriers say.
    func ruling(on error: LupineError, of path: TaskPath, delivery: RequestDelivery) async -> Ruling {
        guard let handlers, !handlers.retriers.isEmpty, error.code != .cancelled,
            path.failures.count < core.configuration.maximumRetries
        else { return .none }
        let attempt = FailedAttempt(
            request: path.beginning, error: error, previous: path.failures,
            mayHaveArrived: path.mayHaveActed(after: delivery),
            isRepeatable: handlers.newBody != nil || !path.hasSpent(path.beginning.body),
            remaining: path.sendings.remaining)
        for retrier in handlers.retriers {
            switch await retrier.retry(self, after: attempt) {
            case .doNotRetry: continue
            case .doNotRetryWithError(let error): return .fail(fault(from: error))
            case .retry: return allowed(.zero, attempt, at: path.firstURL)
            case .retryWithDelay(let delay): return allowed(max(delay, .zero), attempt, at: path.firstURL)
            }
        }
        return .none
    }

    private func allowed(_ delay: Duration, _ attempt: FailedAttempt, at url: HTTPURL) -> Ruling {
        guard attempt.isRepeatable else {
            return .fail(attempt.request.spentBodyRefusal.with(underlying: attempt.error))
        }
        let health = HostHealth(after: attempt.error, response: attempt.response)
        if health == .fails, !core.hosts.mayRetry(url, at: core.clock.elapsed()) { return .none }
        return .retry(after: delay)
    }

    /// Waits, and begins again. Returns when the next exchange has begun, or the task has ended.
    ///
    /// - Parameter error: without the body that came, which would be held over all tries.
    func tryAgain(after error: LupineError, in delay: Duration, _ exchange: TaskExchange) async {
        tell(.retrying(error, after: delay))
        do {
            if delay > .zero { try await core.clock.sleep(delay) }
            var path = exchange.path
            let given = completedRequest
            let request = try await adapted(given, (handlers?.adapters ?? [])[...])
            path.leave(after: error)
            path.begin(with: request, core: core)
            if exchange.path.hasSpent(request.body) { path.give(try await newBody(for: request)) }
            goOn(path, telling: nil, after: exchange.transaction) { $0.decided($1) }
        } catch {
            failDecision(fault(from: error))
        }
    }

    /// In place of one that can be read only once, and has been.
    private func newBody(for request: HTTPRequest) async throws -> HTTPBody {
        guard let body = try await handlers?.newBody?(self) else { throw request.noNewBody }
        return body
    }
}

extension HTTPRequest {
    /// What an adapter made of `request`. What that had is for where it went, also where an earlier adapter attached it; and one that
    /// was made from nothing has the limit for a body in memory.
    fileprivate func kept(insteadOf request: HTTPRequest) -> HTTPRequest {
        var kept = url == request.url ? self : keepingSecrets(of: request)
        if kept.options.maximumBodySize == nil { kept.options.maximumBodySize = request.options.maximumBodySize }
        return kept
    }

    var noNewBody: LupineError {
        LupineError(
            .uploadSourceFailed, "the request to \(url.host) had to be sent again, and no new body was given",
            host: url.host)
    }
}
