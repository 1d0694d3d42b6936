internal import Dispatch
public import FoundationEssentials
public import LupineCore
public import LupineSerialization

// Tasks as AFNetworking makes them: suspended, until their `resume()`.
extension URLSessionManager {
    /// A task for a request, not begun.
    ///
    /// - Parameters:
    ///   - uploadProgress: told how many bytes of the body have left, on the session's callback queue.
    ///   - downloadProgress: told how many bytes of the answer have come, there too.
    ///   - handlers: decisions for this task, which go before the session's, and who is told of what happens to it.
    ///   - completion: called exactly once, on the session's ``SessionConfiguration/callbackQueue``: with an answer that came
    ///     whole, whatever its status, or with a ``LupineError`` as ``data(for:uploadProgress:downloadProgress:)`` throws it.
    ///     Not for a task that everybody let go of before it began.
    public func dataTask(
        with request: HTTPRequest, uploadProgress: (@Sendable (TransferProgress) -> Void)? = nil,
        downloadProgress: (@Sendable (TransferProgress) -> Void)? = nil, handlers: TaskHandlers? = nil,
        completion: @escaping @Sendable (SessionTask, Result<DataResponse, LupineError>) -> Void
    ) -> SessionTask {
        let task = makeTask(.data, request, uploadProgress, downloadProgress, handlers, nil)
        task.whenCompleted(on: configuration, completion)
        return task
    }

    /// The same, for an answer that is checked once it is whole: what is wrong with it, the handler is given.
    func task(
        _ kind: SessionTask.Kind, with request: HTTPRequest, uploadProgress: (@Sendable (TransferProgress) -> Void)?,
        downloadProgress: (@Sendable (TransferProgress) -> Void)?, handlers: TaskHandlers?,
        check: HTTPResponseSerializer,
        completion: @escaping @Sendable (SessionTask, Result<DataResponse, LupineError>) -> Void
    ) -> SessionTask {
        let task = makeTask(kind, request, uploadProgress, downloadProgress, handlers, .head(check))
        task.whenCompleted(on: configuration, check: check, completion)
        return task
    }

    /// The same, to be waited for by ``SessionTask/result()``, or watched by its events.
    public func dataTask(with request: HTTPRequest, handlers: TaskHandlers? = nil) -> SessionTask {
        makeTask(.data, request, nil, nil, handlers, nil)
    }

    /// The same, with an answer that a serializer makes a value of, beside the event loop and the callback queue.
    public func dataTask<Serializer: ResponseSerializer>(
        with request: HTTPRequest, serializer: Serializer,
        uploadProgress: (@Sendable (TransferProgress) -> Void)? = nil,
        downloadProgress: (@Sendable (TransferProgress) -> Void)? = nil, handlers: TaskHandlers? = nil,
        completion: @escaping @Sendable (SessionTask, Result<Serializer.Value, LupineError>) -> Void
    ) -> SessionTask {
        task(
            .data, with: request, serializer: serializer, uploadProgress: uploadProgress,
            downloadProgress: downloadProgress, handlers: handlers, completion: completion)
    }

    func task<Serializer: ResponseSerializer>(
        _ kind: SessionTask.Kind, with request: HTTPRequest, serializer: Serializer,
        uploadProgress: (@Sendable (TransferProgress) -> Void)?,
        downloadProgress: (@Sendable (TransferProgress) -> Void)?, handlers: TaskHandlers?,
        completion: @escaping @Sendable (SessionTask, Result<Serializer.Value, LupineError>) -> Void
    ) -> SessionTask {
        let made = MadeValue(serializer)
        let check = judges(handlers) ? made.check : nil
        let task = makeTask(kind, request, uploadProgress, downloadProgress, handlers, check)
        task.whenSerialized(made, on: configuration, completion)
        return task
    }

    /// A task that sends bytes in memory, otherwise as ``dataTask(with:uploadProgress:downloadProgress:handlers:completion:)``.
    public func uploadTask(
        with request: HTTPRequest, from data: Data, progress: (@Sendable (TransferProgress) -> Void)? = nil,
        handlers: TaskHandlers? = nil,
        completion: (@Sendable (SessionTask, Result<DataResponse, LupineError>) -> Void)?
    ) -> SessionTask {
        uploadTask(with: request, body: .bytes(data), progress: progress, handlers: handlers, completion: completion)
    }

    /// A task that sends a file, read while it is sent.
    ///
    /// - Throws: ``LupineError`` with `upload-source-failed`: there is no such file, or it cannot be read.
    public func uploadTask(
        with request: HTTPRequest, fromFile path: String, progress: (@Sendable (TransferProgress) -> Void)? = nil,
        handlers: TaskHandlers? = nil,
        completion: (@Sendable (SessionTask, Result<DataResponse, LupineError>) -> Void)?
    ) throws(LupineError) -> SessionTask {
        let body = try HTTPBody.file(path)
        return uploadTask(with: request, body: body, progress: progress, handlers: handlers, completion: completion)
    }

    /// A task that sends the request's own body, a stream as a rule.
    public func uploadTask(
        withStreamedRequest request: HTTPRequest, progress: (@Sendable (TransferProgress) -> Void)? = nil,
        handlers: TaskHandlers? = nil,
        completion: (@Sendable (SessionTask, Result<DataResponse, LupineError>) -> Void)?
    ) -> SessionTask {
        uploadTask(with: request, body: request.body, progress: progress, handlers: handlers, completion: completion)
    }

    private func uploadTask(
        with request: HTTPRequest, body: HTTPBody, progress: (@Sendable (TransferProgress) -> Void)?,
        handlers: TaskHandlers?, completion: (@Sendable (SessionTask, Result<DataResponse, LupineError>) -> Void)?
    ) -> SessionTask {
        var request = request
        request.body = body
        let task = makeTask(.upload, request, progress, nil, handlers, nil)
        if let completion { task.whenCompleted(on: configuration, completion) }
        return task
    }

    private func makeTask(
        _ kind: SessionTask.Kind, _ request: HTTPRequest, _ uploadProgress: (@Sendable (TransferProgress) -> Void)?,
        _ downloadProgress: (@Sendable (TransferProgress) -> Void)?, _ handlers: TaskHandlers?, _ check: AnswerCheck?
    ) -> SessionTask {
        // One for all closures of the task: also on a queue that runs several at once they are told one at a time, in order.
        let queue =
            uploadProgress == nil && downloadProgress == nil
            ? nil : DispatchQueue(label: "lupine.callbacks", target: configuration.callbackQueue)
        let task = SessionTask(
            request, kind: kind, core: core, handlers: handlers, check: check,
            uploadProgress: uploadProgress.map { ProgressRelay(queue: queue, $0) },
            downloadProgress: downloadProgress.map { ProgressRelay(queue: queue, $0) })
        core.registry.add(idle: task)
        return task
    }
}

/// Where answers with completion handlers are serialized: threads of its own, so that a serializer that waits holds up no task of
/// Swift's pool. (What a task weighs before it ends it serializes there.)
private let serialization = DispatchQueue(label: "lupine.serialization", attributes: .concurrent)

extension SessionTask {
    /// Begins, if that has not been done, and waits for the end. Cancelling the waiting Swift task cancels nothing here.
    ///
    /// - Throws: ``LupineError`` as ``URLSessionManager/data(for:uploadProgress:downloadProgress:)``.
    public func result() async throws(LupineError) -> DataResponse {
        resume()
        await withUnsafeContinuation { continuation in whenCompleted { _ in continuation.resume() } }
        return try outcome.get()
    }

    fileprivate func whenCompleted(
        on configuration: SessionConfiguration,
        check: HTTPResponseSerializer? = nil,
        _ completion: @escaping @Sendable (SessionTask, Result<DataResponse, LupineError>) -> Void
    ) {
        let queue = callbackQueue, group = configuration.callbackGroup
        whenCompleted(isHandler: true) { task in
            group?.enter()
            queue.async {
                let result = task.outcome.flatMap { answer in
                    Result { () throws(LupineError) in
                        guard let check else { return answer }
                        return try answer.checked(by: check)
                    }
                }
                completion(task, result)
                task.tellObserver(result, isSerialized: false)
                group?.leave()
            }
        }
    }

    /// After the completion handler; unless the task had ended before it was given one, and the observer been told.
    private func tellObserver<Value: Sendable>(_ result: Result<Value, LupineError>, isSerialized: Bool) {
        guard let observer = core.observer, status.withLock(\.hasHandler) else { return }
        switch result {
        case .success(let value): observer.finished(self, .init(value: isSerialized ? value : nil))
        case .failure(let error): observer.finished(self, .init(error: error))
        }
    }

    fileprivate func whenSerialized<Serializer: ResponseSerializer>(
        _ made: MadeValue<Serializer>, on configuration: SessionConfiguration,
        _ completion: @escaping @Sendable (SessionTask, Result<Serializer.Value, LupineError>) -> Void
    ) {
        let queue = callbackQueue, group = configuration.callbackGroup
        whenCompleted(isHandler: true) { task in
            group?.enter()
            serialization.async {
                let result = task.outcome.flatMap { answer in
                    Result { () throws(LupineError) in try made.value(of: answer) }
                }
                queue.async {
                    completion(task, result)
                    task.tellObserver(result, isSerialized: true)
                    group?.leave()
                }
            }
        }
    }
}
