internal import LupineCore

// The end of an exchange: the task's, or the way to the next.
extension TaskExchange {
    private enum Conclusion {
        case result(Result<DataResponse, LupineError>)
        case next(TaskPath, TaskEvent)
    }

    /// Ends the task, or goes on. `transition`: how the machine is told.
    func conclude(_ transition: (inout TaskMachine, TaskMachine.Outcome) -> TaskMachine.Action) {
        if isAnswered { return end(result, transition) }
        switch conclusion {
        case .result(let result): end(result, transition)
        case .next(let path, let event):
            if let provide = task.handlers?.newBody, self.path.hasSpent(path.request.body) {
                return provideBody(provide, path, event, transition)
            }
            goOn(path, event, transition)
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

    private func goOn(
        _ path: TaskPath, _ event: TaskEvent,
        _ transition: (inout TaskMachine, TaskMachine.Outcome) -> TaskMachine.Action
    ) {
        let next = TaskExchange(task, path, priority: task.status.withLock { $0.priority })
        // Before the next exchange can begin.
        task.reader?.reset()
        let (action, goesOn) = task.status.withLock { status in
            let action = transition(&status.machine, .again)
            // A task that has ended by now holds no exchange, which would hold it.
            guard status.machine.phase != .ended else { return (action, false) }
            let isReady = status.machine.phase == .ready
            status.alarm = isReady ? path.alarm { [weak task] in task?.expire($0) } : nil
            if let transaction { status.transactions.append(transaction) }
            status.exchange = next
            status.redirectCount = path.followed
            return (action, true)
        }
        if goesOn { task.tell(event) }
        task.do(action)
    }

    /// The body can be read only once: the user is asked for another.
    private func provideBody(
        _ provide: @escaping @Sendable (SessionTask) async throws -> HTTPBody?, _ path: TaskPath, _ event: TaskEvent,
        _ transition: (inout TaskMachine, TaskMachine.Outcome) -> TaskMachine.Action
    ) {
        let action = task.status.withLock { status in
            // Either the exchange has just ended, or another decision came after its end.
            let action = status.machine.phase == .deciding ? .none : transition(&status.machine, .decision)
            if status.machine.phase == .deciding { status.alarm = path.alarm { [weak self] in self?.fail($0) } }
            return action
        }
        guard action == .none else { return task.do(action) }
        Task {
            do {
                if let body = try await provide(task) {
                    var path = path
                    path.give(body)
                    return goOn(path, event) { $0.decided($1) }
                }
                fail(
                    LupineError(
                        .uploadSourceFailed,
                        "the request to \(request.url.host) had to be sent again, and no new body was given",
                        host: request.url.host))
            } catch {
                fail(task.fault(from: error))
            }
        }
    }

    private func fail(_ error: LupineError) {
        let action = task.status.withLock { $0.machine.decided(.end) }
        if action == .complete { task.complete(.failure(filled(error))) }
    }

    /// As most are: nothing needs to be weighed.
    private var isAnswered: Bool {
        guard case .answer = verdict, let completion, completion.error == nil else { return false }
        return true
    }

    private var conclusion: Conclusion {
        let completion = completion ?? ExchangeCompletion()
        switch verdict {
        case .fault(let error): return .result(.failure(filled(error)))
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
                metrics: completion?.metrics ?? TransferMetrics(), sendings: path.sendings.count, redirects: path.left))
    }

    func filled(_ error: LupineError) -> LupineError {
        error.telling(response?.status).with(
            response: response, data: task.reader == nil ? body.take() : nil, metrics: completion?.metrics,
            redirects: path.left)
    }
}
