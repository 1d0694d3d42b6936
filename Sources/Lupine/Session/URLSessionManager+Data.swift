internal import FoundationEssentials
public import LupineCore
internal import LupineSerialization

extension URLSessionManager {
    /// Sends a request and collects its answer in memory, whatever the status.
    ///
    /// Cancelling the Swift task cancels the transfer. Fields of the session's configuration are added where the request
    /// has none of their name.
    ///
    /// - Parameters:
    ///   - uploadProgress: told how many bytes of the body have left; on a queue of its own.
    ///   - downloadProgress: told how many bytes of the body have come; on a queue of its own.
    ///   - handlers: decisions for this request, interceptors and validators among them, and who is told of what happens to it.
    /// - Throws: ``LupineError`` with the code of what failed: before sending (`invalid-request`,
    ///   `upload-source-failed`), on the way (`could-not-resolve`, `could-not-connect`, `tls-failed`, `trust-rejected`,
    ///   `connection-lost`, `timed-out`, `cancelled`), or in the answer (`bad-response`, `incomplete-body`,
    ///   `content-decoding-failed`, `response-too-large`, or what a validator throws). It carries what had come.
    public func data(
        for request: HTTPRequest, uploadProgress: (@Sendable (TransferProgress) -> Void)? = nil,
        downloadProgress: (@Sendable (TransferProgress) -> Void)? = nil, handlers: TaskHandlers? = nil
    ) async throws(LupineError) -> DataResponse {
        if request.isCoalescable, uploadProgress == nil, downloadProgress == nil, handlers == nil {
            return try await core.coalescer.answer(to: request, core: core)
        }
        return try await makeTask(request, uploadProgress, downloadProgress, handlers, nil).value()
    }

    /// ``data(for:uploadProgress:downloadProgress:handlers:)`` for a request that nobody keeps, the answer checked.
    func collect(
        _ request: consuming HTTPRequest, check: HTTPResponseSerializer,
        uploadProgress: (@Sendable (TransferProgress) -> Void)? = nil, handlers: TaskHandlers?
    ) async throws(LupineError) -> DataResponse {
        if request.isCoalescable, uploadProgress == nil, handlers == nil {
            return try await core.coalescer.answer(to: request, check: check, core: core).checked(by: check)
        }
        let answer = try await makeTask(request, uploadProgress, nil, handlers, .head(check)).value()
        // Once more where the task has done so: it costs less than to remember.
        return try answer.checked(by: check)
    }

    /// ``data(for:uploadProgress:downloadProgress:handlers:)`` for a request that nobody keeps, and what a serializer makes of
    /// the answer.
    func value<Serializer: ResponseSerializer>(
        of request: consuming HTTPRequest, by serializer: Serializer,
        uploadProgress: (@Sendable (TransferProgress) -> Void)? = nil, handlers: TaskHandlers?,
        isolation: isolated (any Actor)? = #isolation
    ) async throws(LupineError) -> Serializer.Value {
        if request.isCoalescable, uploadProgress == nil, handlers == nil {
            return try await core.coalescer.answer(to: request, core: core).value(by: serializer)
        }
        guard judges(handlers) else {
            return try await makeTask(request, uploadProgress, nil, handlers, nil).value().value(by: serializer)
        }
        return try await judgedValue(of: request, by: serializer, uploadProgress, handlers)
    }

    // Apart: what it needs would be part of each task that waits.
    /// The same where the value is part of what is judged.
    @inline(never)
    private func judgedValue<Serializer: ResponseSerializer>(
        of request: consuming HTTPRequest, by serializer: Serializer,
        _ uploadProgress: (@Sendable (TransferProgress) -> Void)?, _ handlers: TaskHandlers?
    ) async throws(LupineError) -> Serializer.Value {
        let made = MadeValue(serializer)
        return try made.value(of: try await makeTask(request, uploadProgress, nil, handlers, made.check).value())
    }

    /// Whether tasks with these handlers weigh an answer before they end.
    func judges(_ handlers: TaskHandlers?) -> Bool {
        (handlers?.judges ?? false) || (core.handlers?.judges ?? false)
    }

    // Not inlined: what it needs for a moment would be part of each waiting task.
    @inline(never)
    private func makeTask(
        _ request: consuming HTTPRequest, _ uploadProgress: (@Sendable (TransferProgress) -> Void)?,
        _ downloadProgress: (@Sendable (TransferProgress) -> Void)?, _ handlers: TaskHandlers?, _ check: AnswerCheck?
    ) -> SessionTask {
        SessionTask(
            request, isHandedOver: true, core: core, handlers: handlers, check: check,
            uploadProgress: uploadProgress.map { ProgressRelay($0) },
            downloadProgress: downloadProgress.map { ProgressRelay($0) })
    }
}
