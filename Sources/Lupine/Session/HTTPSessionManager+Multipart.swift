public import FoundationEssentials
public import LupineCore
public import LupineSerialization

// Forms of parts: what is under the verbs and `upload`.
extension HTTPSessionManager {
    /// Fills a form.
    public typealias FormMaker = (inout MultipartFormData) throws -> Void

    // Not inlined: what it needs for a moment would be part of each waiting task.
    /// A request with a form, not sent yet: first the parameters, a field for each value, named as in a query of the
    /// serializer's, then the parts that `multipart` adds. Without either it is a request without parameters.
    ///
    /// - Parameters:
    ///   - headers: a `Content-Type` among them gives way to the form's.
    ///   - serializer: makes what is sent without any part; the session's ``requestSerializer`` by default.
    ///   - multipart: called once, before this returns.
    /// - Throws: ``LupineError`` with `invalid-url`; `invalid-request`: GET and HEAD carry no form; `upload-source-failed` or
    ///   `request-serialization-failed`: a part could not be added, or `multipart` threw something else, which is its
    ///   `underlying`.
    @inline(never)
    public func makeRequest(
        _ method: HTTPMethod, _ url: String, parameters: Parameters? = nil, headers: HTTPHeaders = [:],
        options: TransferOptions? = nil, serializer: (any RequestSerializer)? = nil, multipart: FormMaker
    ) throws(LupineError) -> HTTPRequest {
        let serializer = serializer ?? requestSerializer
        let request = try makeRequest(method, url, headers: headers, options: options, serializer: serializer)
        var form = MultipartFormData()
        if let parameters {
            let rules =
                serializer as? HTTPRequestSerializer ?? (serializer as? JSONRequestSerializer)?.uriSerializer
                ?? (serializer as? PropertyListRequestSerializer)?.uriSerializer ?? HTTPRequestSerializer()
            try form.append(parameters: parameters, encoding: rules.queryEncoding, encoder: rules.encoder())
        }
        do {
            try multipart(&form)
        } catch let error as LupineError {
            throw error
        } catch {
            throw LupineError(
                .requestSerializationFailed, "the form could not be filled: \("\(error)".onOneLine)", underlying: error)
        }
        return try form.serialize(request)
    }

    /// Sends a form and gives the answer, if the status is acceptable.
    ///
    /// - Parameters:
    ///   - parameters: fields before the other parts.
    ///   - multipart: fills the form; called once, before anything is sent.
    ///   - progress: told how many bytes of the body have left, of how many; on a queue of its own.
    /// - Throws: ``LupineError`` as ``request(_:_:body:headers:options:progress:)`` and
    ///   ``makeRequest(_:_:parameters:headers:options:serializer:multipart:)``.
    @discardableResult
    public func request(
        _ method: HTTPMethod, _ url: String, parameters: Parameters? = nil, headers: HTTPHeaders = [:],
        options: TransferOptions? = nil, multipart: FormMaker, progress: Progress? = nil
    ) async throws(LupineError) -> DataResponse {
        let check = responseSerializer
        return try await session.collect(
            makeRequest(method, url, parameters: parameters, headers: headers, options: options, multipart: multipart),
            uploadProgress: progress
        ).checked(by: check)
    }

    /// Sends a form and decodes the JSON answer.
    ///
    /// - Parameter decoder: a new one for each answer; the session's ``decoder`` by default.
    /// - Throws: ``LupineError``: as the other form, or `unacceptable-content-type` or `response-serialization-failed`, which
    ///   carry the whole answer.
    public func request<Value: Decodable & Sendable>(
        _ method: HTTPMethod, _ url: String, parameters: Parameters? = nil, headers: HTTPHeaders = [:],
        options: TransferOptions? = nil, as type: Value.Type,
        decoder: @autoclosure @escaping @Sendable () -> JSONDecoder? = nil, multipart: FormMaker,
        progress: Progress? = nil
    ) async throws(LupineError) -> Value {
        let serializer = decoding(type, decoder)
        return try await session.collect(
            makeRequest(method, url, parameters: parameters, headers: headers, options: options, multipart: multipart),
            uploadProgress: progress
        ).value(by: serializer)
    }

    /// A task for a form, not begun.
    ///
    /// - Parameters:
    ///   - multipart: fills the form; called once, before this returns.
    ///   - failure: with what ``makeRequest(_:_:parameters:headers:options:serializer:multipart:)`` throws, without a task, once
    ///     the call has returned; or as
    ///     ``dataTask(_:_:parameters:headers:options:serializer:uploadProgress:downloadProgress:success:failure:)``.
    /// - Returns: `nil` when the request could not be made.
    public func uploadTask(
        _ method: HTTPMethod, _ url: String, parameters: Parameters? = nil, headers: HTTPHeaders = [:],
        options: TransferOptions? = nil, multipart: FormMaker, progress: Progress? = nil,
        success: @escaping Success<DataResponse>, failure: Failure? = nil
    ) -> SessionTask? {
        made(failure) { () throws(LupineError) in
            try makeRequest(
                method, url, parameters: parameters, headers: headers, options: options, multipart: multipart)
        } task: { request in
            let check = responseSerializer
            return session.task(
                .upload, with: request, uploadProgress: progress, downloadProgress: nil,
                check: { answer throws(LupineError) in _ = try answer.checked(by: check) }
            ) { task, result in Self.tell(task, result, success, failure) }
        }
    }

    /// The same, its JSON answer decoded beside the callback queue.
    public func uploadTask<Value: Decodable & Sendable>(
        _ method: HTTPMethod, _ url: String, parameters: Parameters? = nil, headers: HTTPHeaders = [:],
        options: TransferOptions? = nil, as type: Value.Type, multipart: FormMaker, progress: Progress? = nil,
        success: @escaping Success<Value>, failure: Failure? = nil
    ) -> SessionTask? {
        made(failure) { () throws(LupineError) in
            try makeRequest(
                method, url, parameters: parameters, headers: headers, options: options, multipart: multipart)
        } task: { request in
            session.task(
                .upload, with: request,
                serializer: decoding(type) { nil },
                uploadProgress: progress, downloadProgress: nil, handlers: nil
            ) { task, result in Self.tell(task, result, success, failure) }
        }
    }
}
