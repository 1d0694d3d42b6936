internal import FoundationEssentials
internal import LupineCore
internal import LupineSerialization

// Whether what came is an answer, and what is done when it is none. Validators are asked, and then retriers: of a whole answer at its
// end, of one that is handed on as it comes when its head has come.
extension TaskExchange {
    private var retries: Bool { !(task.handlers?.retriers.isEmpty ?? true) }

    /// Whether an answer's body is left out of progress: that of a try that may not be the last. One that is handed on is the last.
    func isUncounted(_ response: HTTPResponse) -> Bool { response.status.isError && retries && !task.handsOn }

    /// Whether what came whole needs no weighing.
    var isAcceptable: Bool {
        guard let handlers = task.handlers, handlers.judges, !isHandedOn else { return true }
        guard handlers.validators.isEmpty, let response, !response.status.isError else { return false }
        return task.check?.passes(response, isEmpty: body.count == 0) ?? true
    }

    /// Whether the end can be told at once.
    func isFinal(_ result: Result<DataResponse, LupineError>) -> Bool {
        if isRuled { return true }
        if case .failure(let error) = result, mayWaitForConnectivity(after: error) { return false }
        guard let handlers = task.handlers, handlers.judges else { return true }
        switch result {
        case .failure(let error): return error.code == .cancelled || !retries || isHandedOn
        case .success: return isHandedOn
        }
    }

    private var isHandedOn: Bool {
        guard case .answer = verdict else { return false }
        return task.handsOn
    }

    /// Weighs how a try ended, and ends the task or has it tried again. While a decision is awaited.
    func weigh() async {
        switch await weighed() {
        case .end(let result):
            if task.status.withLock({ $0.machine.decided(.end) }) == .complete { task.complete(result) }
        case .again(let path): task.goOn(path, telling: nil, after: transaction) { $0.decided($1) }
        case .retry(let failure, let delay): await task.tryAgain(after: failure, in: delay, self)
        case .abandoned: break
        }
    }

    private enum Weighed {
        case end(Result<DataResponse, LupineError>)
        /// The same request, of which nothing has left.
        case again(TaskPath)
        case retry(LupineError, after: Duration)
        /// The task has ended.
        case abandoned
    }

    private func weighed() async -> Weighed {
        guard let result = ended.take() else { return .abandoned }
        var (told, failure) = weighed(result)
        if let error = failure, mayWaitForConnectivity(after: error) {
            switch await connectivity(after: error) {
            case .present: break
            case .returned(let path): return .again(path)
            case .absent(let error):
                told = .failure(error)
                failure = error
            case .abandoned: return .abandoned
            }
        }
        guard let failure else { return .end(told) }
        return switch await task.ruling(on: failure, of: path, delivery: completion?.delivery ?? .answered) {
        case .none: .end(told)
        case .fail(let error): .end(.failure(error))
        case .retry(let delay): .retry(failure.withoutBody, after: delay)
        }
    }

    /// What is told if it is not tried again; and what speaks for trying: also an error's status that nobody minds.
    private func weighed(
        _ result: Result<DataResponse, LupineError>
    ) -> (Result<DataResponse, LupineError>, LupineError?) {
        switch result {
        case .failure(let error): return (result, error)
        case .success(let answer):
            do {
                try validate(answer.response, answer.data)
                try task.check?.check(answer)
            } catch {
                let error = refusal(error).with(
                    response: answer.response, data: answer.data, metrics: answer.metrics, redirects: path.left)
                return (.failure(error), error)
            }
            return (result, answer.status.isError ? .status(of: answer) : nil)
        }
    }

    private func refusal(_ error: any Error) -> LupineError {
        if let error = error as? LupineError { return error.at(request.url.host) }
        let host = request.url.host
        return LupineError(
            .responseSerializationFailed, "a validator refused the answer of \(host): \(error.onOneLine)", host: host,
            underlying: error)
    }

    private func validate(_ response: HTTPResponse, _ data: Data?) throws {
        for validator in task.handlers?.validators ?? [] {
            try validator.validate(data, response: response, request: request)
        }
    }

    // MARK: By the head

    /// Whether an answer that is handed on as it comes is to be weighed by its head.
    func mustWeigh(_ response: HTTPResponse) -> Bool {
        guard task.handsOn, let handlers = task.handlers else { return false }
        return !handlers.validators.isEmpty || (response.status.isError && retries)
    }

    /// - Returns: `nil`: it may be the answer.
    func weigh(head response: HTTPResponse) async -> Verdict? {
        var fault: LupineError?
        do { try validate(response, nil) } catch {
            fault = refusal(error)
        }
        guard var failure = fault ?? (response.status.isError ? .status(of: response, to: request) : nil) else {
            return nil
        }
        failure = failure.with(response: response, data: nil, metrics: nil, redirects: path.left)
        switch await task.ruling(on: failure, of: path, delivery: .answered) {
        case .none: return fault.map { .fault($0) }
        case .fail(let error): return .fault(error)
        case .retry(let delay): return .retry(failure.withoutBody, after: delay)
        }
    }
}

extension HTTPStatus {
    /// Whether it says that the request failed (RFC 9110 sections 15.5, 15.6).
    fileprivate var isError: Bool { rawValue >= 400 }
}

extension LupineError {
    /// What the status of an answer says that was not checked.
    fileprivate static func status(of response: HTTPResponse, to request: HTTPRequest, data: Data = Data())
        -> LupineError
    {
        do {
            try HTTPResponseSerializer().validate(data, response: response, request: request)
        } catch {
            return error
        }
        return LupineError(
            .unacceptableStatus, "\(request.url.host) answered \(response.status)", host: request.url.host)
    }

    fileprivate static func status(of answer: DataResponse) -> LupineError {
        status(of: answer.response, to: answer.request, data: answer.data)
            .with(response: nil, data: nil, metrics: answer.metrics, redirects: answer.redirects)
    }
}
