internal import LupineCore

// The end of an exchange: the task's, or the way to the next.
extension TaskExchange {
    private enum Conclusion {
        case result(Result<DataResponse, LupineError>)
        case retry(LupineError, after: Duration)
        case next(TaskPath, TaskEvent)
    }

    /// Ends the task, or goes on. `transition`: how the machine is told.
    func conclude(_ transition: (inout TaskMachine, TaskMachine.Outcome) -> TaskMachine.Action) {
        if isAnswered, isAcceptable { return end(result, transition) }
        switch conclusion {
        case .result(let result):
            if isFinal(result) { return end(result, transition) }
            ended = result
            wait(transition) { await self.weigh() }
        case .retry(let error, let delay):
            wait(transition) { await self.task.tryAgain(after: error, in: delay, self) }
        case .next(let path, let event):
            if let provide = task.handlers?.newBody, self.path.hasSpent(path.request.body) {
                return wait(transition) { await self.provideBody(provide, path, event) }
            }
            task.goOn(path, telling: event, after: transaction, transition)
        }
    }

    private func end(
        _ result: Result<DataResponse, LupineError>,
        _ transition: (inout TaskMachine, TaskMachine.Outcome) -> TaskMachine.Action
    ) {
        let (action, isCancelled) = task.status.withLock { status in
            (transition(&status.machine, .end), status.machine.isCancelled)
        }
        guard action == .complete else { return task.do(action) }
        // What was cancelled just as it ended well has ended well.
        if isCancelled, case .failure(let error) = result, error.code != .cancelled { return task.do(action) }
        task.complete(result)
    }

    /// Has the task wait for a decision, until the limit in all is over.
    private func wait(
        _ transition: (inout TaskMachine, TaskMachine.Outcome) -> TaskMachine.Action,
        for decision: @escaping @Sendable () async -> Void
    ) {
        let action = task.status.withLock { status in
            // Either the exchange has just ended, or another decision came after its end.
            let action = status.machine.phase == .deciding ? .none : transition(&status.machine, .decision)
            if status.machine.phase == .deciding { status.alarm = path.alarm { [weak self] in self?.fail($0) } }
            return action
        }
        guard action == .none else { return task.do(action) }
        task.decide(decision)
    }

    /// The body can be read only once: the user is asked for another.
    private func provideBody(
        _ provide: @Sendable (SessionTask) async throws -> HTTPBody?, _ path: TaskPath, _ event: TaskEvent
    ) async {
        do {
            guard let body = try await provide(task) else { return fail(request.noNewBody) }
            var path = path
            path.give(body)
            task.goOn(path, telling: event, after: transaction) { $0.decided($1) }
        } catch {
            fail(task.fault(from: error))
        }
    }

    private func fail(_ error: LupineError) {
        let action = task.status.withLock { $0.machine.decided(.end) }
        if action == .complete { task.complete(.failure(filled(error))) }
    }

    /// As most are.
    private var isAnswered: Bool {
        guard case .answer = verdict, let completion, completion.error == nil else { return false }
        return true
    }

    private var conclusion: Conclusion {
        let completion = completion ?? ExchangeCompletion()
        switch verdict {
        case .fault(let error): return .result(.failure(filled(error)))
        case .retry(let error, let delay): return .retry(error, after: delay)
        case .follow(let next):
            var path = path
            path.follow(next, core: core)
            return .next(path, .redirected(response ?? HTTPResponse(status: 302), next))
        case .open, .deciding, .answer:
            guard let error = completion.error else { return .result(result) }
            var path = path
            guard path.repeats(after: completion, renewsBody: renewsBody) else {
                return .result(.failure(filled(error)))
            }
            return .next(path, .sentAgain(error))
        }
    }

    private var result: Result<DataResponse, LupineError> {
        guard let response else { return .failure(.noHead(of: request)) }
        return .success(
            DataResponse(
                request: request, response: response, data: body.take(), trailers: trailers,
                metrics: completion?.metrics ?? TransferMetrics(), sendings: path.sendingCount, redirects: path.left))
    }

    func filled(_ error: LupineError) -> LupineError {
        error.telling(response?.status).with(
            response: response, data: task.reader == nil ? body.take() : nil, metrics: completion?.metrics,
            redirects: path.left)
    }
}
