internal import LupineCore

// The tries of a task: each begins with its request as given, adapted anew, and ends with an answer or with a failure that retriers
// are asked about.
extension SessionTask {
    /// Whether bytes of the answer are handed on as they come, and cannot be taken back.
    var handsOn: Bool { reader != nil || (relay?.takesData ?? false) }

    /// Runs `work` while no exchange does. It is cancelled when the task ends.
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

    // MARK: The first try

    /// Has the adapters make the first request, and begins with that.
    func prepare() {
        guard let place = core.registry.begin(self) else { return failDecision(invalidatedError) }
        let path = firstPath
        let isOver = status.withLock { status in
            status.hasBegun = true
            guard status.outcome == nil else { return true }
            status.place = place
            status.started = path.sendings.started
            status.current = path.request
            // Not asked without need: what refers to a task weakly makes all that refers to it dearer.
            if path.isLimited { status.alarm = path.alarm { [weak self] in self?.failDecision($0) } }
            return false
        }
        // Cancelled before it had a place to give up.
        if isOver { return core.registry.end(self, at: place) }
        decide(here: true) { [self] in
            do {
                var path = path
                path.begin(with: try await adapted(path.request), core: core)
                goOn(path, telling: nil) { $0.decided($1) }
            } catch {
                failDecision(fault(from: error))
            }
        }
    }

    private func adapted(_ request: HTTPRequest) async throws -> HTTPRequest {
        var adapted = request
        for adapter in handlers?.adapters ?? [] { adapted = try await adapter.adapt(adapted, for: self) }
        return adapted.url == request.url ? adapted : adapted.keepingSecrets(of: request)
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
            case .retry: return allowed(.zero, attempt)
            case .retryWithDelay(let delay): return allowed(max(delay, .zero), attempt)
            }
        }
        return .none
    }

    private func allowed(_ delay: Duration, _ attempt: FailedAttempt) -> Ruling {
        let health = HostHealth(after: attempt.error, response: attempt.response)
        if health == .fails, !core.hosts.mayRetry(attempt.request.url, at: core.clock.elapsed()) { return .none }
        guard attempt.isRepeatable else {
            return .fail(attempt.request.spentBodyRefusal.with(underlying: attempt.error))
        }
        return .retry(after: delay)
    }

    /// Waits, and begins again. Returns when the next exchange has begun, or the task has ended.
    func tryAgain(after error: LupineError, in delay: Duration, _ exchange: TaskExchange) async {
        tell(.retrying(error, after: delay))
        do {
            if delay > .zero { try await core.clock.sleep(delay) }
            var path = exchange.path
            let request = try await adapted(isCompleted ? originalRequest : completed(originalRequest))
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
    var noNewBody: LupineError {
        LupineError(
            .uploadSourceFailed, "the request to \(url.host) had to be sent again, and no new body was given",
            host: url.host)
    }
}
