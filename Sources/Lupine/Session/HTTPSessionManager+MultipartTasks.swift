public import FoundationEssentials
public import LupineCore
public import LupineSerialization

// Tasks for forms of parts, in AFNetworking's form.
extension HTTPSessionManager {
    /// A task for a form, not begun.
    ///
    /// - Parameters:
    ///   - serializer: instead of the session's ``requestSerializer``: its fields, and its rules for the parameters.
    ///   - multipart: fills the form; called once, before this returns.
    ///   - failure: with what ``makeRequest(_:_:parameters:headers:options:serializer:multipart:)`` throws, without a task, once
    ///     the call has returned; or as
    ///     ``dataTask(_:_:parameters:headers:options:serializer:uploadProgress:downloadProgress:success:failure:)``.
    /// - Returns: `nil` when the request could not be made.
    public func uploadTask(
        _ method: HTTPMethod, _ url: String, parameters: Parameters? = nil, headers: HTTPHeaders = [:],
        options: TransferOptions? = nil, serializer: (any RequestSerializer)? = nil, handlers: TaskHandlers? = nil,
        multipart: FormMaker, progress: Progress? = nil, success: @escaping Success<DataResponse>,
        failure: Failure? = nil
    ) -> SessionTask? {
        made(failure) { () throws(LupineError) in
            try makeRequest(
                method, url, parameters: parameters, headers: headers, options: options, serializer: serializer,
                multipart: multipart)
        } task: { request in
            let check = responseSerializer
            return session.task(
                .upload, with: request, uploadProgress: progress, downloadProgress: nil, handlers: handlers,
                check: check
            ) { task, result in Self.tell(task, result, success, failure) }
        }
    }

    /// The same, with a serializer that checks the answer and makes a value of it, beside the callback queue and the event loop.
    public func uploadTask<Serializer: ResponseSerializer>(
        _ method: HTTPMethod, _ url: String, parameters: Parameters? = nil, headers: HTTPHeaders = [:],
        options: TransferOptions? = nil, serializer: (any RequestSerializer)? = nil, responseSerializer: Serializer,
        handlers: TaskHandlers? = nil, multipart: FormMaker, progress: Progress? = nil,
        success: @escaping Success<Serializer.Value>, failure: Failure? = nil
    ) -> SessionTask? {
        made(failure) { () throws(LupineError) in
            try makeRequest(
                method, url, parameters: parameters, headers: headers, options: options, serializer: serializer,
                multipart: multipart)
        } task: { request in
            session.task(
                .upload, with: request, serializer: responseSerializer, uploadProgress: progress, downloadProgress: nil,
                handlers: handlers
            ) { task, result in Self.tell(task, result, success, failure) }
        }
    }

    /// The same, its JSON answer decoded.
    ///
    /// - Parameter decoder: a new one for each answer; the session's ``decoder`` by default.
    public func uploadTask<Value: Decodable & Sendable>(
        _ method: HTTPMethod, _ url: String, parameters: Parameters? = nil, headers: HTTPHeaders = [:],
        options: TransferOptions? = nil, serializer: (any RequestSerializer)? = nil, as type: Value.Type,
        decoder: @autoclosure @escaping @Sendable () -> JSONDecoder? = nil,
        handlers: TaskHandlers? = nil, multipart: FormMaker, progress: Progress? = nil,
        success: @escaping Success<Value>, failure: Failure? = nil
    ) -> SessionTask? {
        uploadTask(
            method, url, parameters: parameters, headers: headers, options: options, serializer: serializer,
            responseSerializer: decoding(type, decoder), handlers: handlers, multipart: multipart, progress: progress,
            success: success,
            failure: failure)
    }
}
