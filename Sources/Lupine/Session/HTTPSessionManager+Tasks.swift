internal import Dispatch
public import FoundationEssentials
public import LupineCore
public import LupineSerialization

// AFNetworking's form: a task, and closures that are called on the session's callback queue, one of them, once. All verbs are
// ``HTTPSessionManager/dataTask(_:_:parameters:headers:options:serializer:uploadProgress:downloadProgress:success:failure:)``
// with the method filled in, and begun.
extension HTTPSessionManager {
    /// Called with an answer whose status is acceptable.
    public typealias Success<Value> = @Sendable (SessionTask, Value) -> Void
    /// Called with what went wrong. There is no task where the request could not be made.
    public typealias Failure = @Sendable (SessionTask?, LupineError) -> Void
    /// Told how far a body is.
    public typealias Progress = @Sendable (TransferProgress) -> Void

    /// A task for a request, not begun.
    ///
    /// - Parameters:
    ///   - url: absolute, or relative to the base URL.
    ///   - parameters: by the request serializer: a query for GET, HEAD and DELETE, else a body.
    ///   - headers: go before the session's fields of the same name.
    ///   - handlers: decisions for this task, which go before the session's, and who is told of what happens to it.
    ///   - success: called with the answer, or:
    ///   - failure: with `invalid-url` or `request-serialization-failed`, without a task, once the call has returned; with
    ///     `unacceptable-status`, which carries the whole answer; or as
    ///     ``URLSessionManager/data(for:uploadProgress:downloadProgress:)`` throws.
    /// - Returns: `nil` when the request could not be made.
    public func dataTask(
        _ method: HTTPMethod, _ url: String, parameters: Parameters? = nil, headers: HTTPHeaders = [:],
        options: TransferOptions? = nil, serializer: (any RequestSerializer)? = nil,
        handlers: TaskHandlers? = nil, uploadProgress: Progress? = nil, downloadProgress: Progress? = nil,
        success: @escaping Success<DataResponse>, failure: Failure? = nil
    ) -> SessionTask? {
        let check = responseSerializer
        return make(method, url, parameters, headers, options, serializer, failure) { request in
            session.task(
                .data, with: request, uploadProgress: uploadProgress, downloadProgress: downloadProgress,
                handlers: handlers, check: check
            ) { task, result in Self.tell(task, result, success, failure) }
        }
    }

    /// The same, its JSON answer decoded beside the callback queue.
    ///
    /// - Parameter decoder: a new one for each answer; the session's ``decoder`` by default.
    public func dataTask<Value: Decodable & Sendable>(
        _ method: HTTPMethod, _ url: String, parameters: Parameters? = nil, headers: HTTPHeaders = [:],
        options: TransferOptions? = nil, serializer: (any RequestSerializer)? = nil, as type: Value.Type,
        decoder: @autoclosure @escaping @Sendable () -> JSONDecoder? = nil, handlers: TaskHandlers? = nil,
        uploadProgress: Progress? = nil, downloadProgress: Progress? = nil, success: @escaping Success<Value>,
        failure: Failure? = nil
    ) -> SessionTask? {
        dataTask(
            method, url, parameters: parameters, headers: headers, options: options, serializer: serializer,
            responseSerializer: decoding(type, decoder), handlers: handlers, uploadProgress: uploadProgress,
            downloadProgress: downloadProgress, success: success, failure: failure)
    }

    /// The same, with a serializer that checks the answer and makes a value of it, beside the callback queue and the event loop.
    public func dataTask<Serializer: ResponseSerializer>(
        _ method: HTTPMethod, _ url: String, parameters: Parameters? = nil, headers: HTTPHeaders = [:],
        options: TransferOptions? = nil, serializer: (any RequestSerializer)? = nil, responseSerializer: Serializer,
        handlers: TaskHandlers? = nil, uploadProgress: Progress? = nil, downloadProgress: Progress? = nil,
        success: @escaping Success<Serializer.Value>, failure: Failure? = nil
    ) -> SessionTask? {
        make(method, url, parameters, headers, options, serializer, failure) { request in
            session.dataTask(
                with: request, serializer: responseSerializer, uploadProgress: uploadProgress,
                downloadProgress: downloadProgress, handlers: handlers
            ) { task, result in Self.tell(task, result, success, failure) }
        }
    }

    private func make(
        _ method: HTTPMethod, _ url: String, _ parameters: Parameters?, _ headers: HTTPHeaders,
        _ options: TransferOptions?, _ serializer: (any RequestSerializer)?, _ failure: Failure?,
        _ task: (HTTPRequest) -> SessionTask
    ) -> SessionTask? {
        made(failure) { () throws(LupineError) in
            try makeRequest(
                method, url, parameters: parameters, headers: headers, options: options, serializer: serializer)
        } task: {
            task($0)
        }
    }

    /// The task for a request. Where that cannot be made, `failure` is told once this has returned.
    func made(
        _ failure: Failure?, request: () throws(LupineError) -> HTTPRequest, task: (HTTPRequest) -> SessionTask
    ) -> SessionTask? {
        do throws(LupineError) {
            return task(try request())
        } catch {
            if let failure { configuration.callbackQueue.async { failure(nil, error) } }
            return nil
        }
    }

    static func tell<Value>(
        _ task: SessionTask, _ result: Result<Value, LupineError>, _ success: Success<Value>, _ failure: Failure?
    ) {
        switch result {
        case .success(let value): success(task, value)
        case .failure(let error): failure?(task, error)
        }
    }
}
