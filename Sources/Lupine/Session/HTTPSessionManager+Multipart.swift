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
        let request = try makeRequest(method, url, headers: headers, options: options, serializer: serializer)
        var form = MultipartFormData()
        if let parameters {
            let rules = (serializer ?? requestSerializer).formSerializer
            try form.append(parameters: parameters, encoding: rules.queryEncoding, encoder: rules.encoder())
        }
        do {
            try multipart(&form)
        } catch let error as LupineError {
            throw error
        } catch is CancellationError {
            throw LupineError(.cancelled, "the form was given up while it was filled", host: request.url.host)
        } catch {
            throw LupineError(
                .requestSerializationFailed, "the form could not be filled: \(error.onOneLine)", underlying: error)
        }
        return try form.serialize(request)
    }

    /// Sends a form and gives the answer, if the status is acceptable.
    ///
    /// - Parameters:
    ///   - parameters: fields before the other parts.
    ///   - serializer: instead of the session's ``requestSerializer``: its fields, and its rules for the parameters.
    ///   - multipart: fills the form; called once, before anything is sent.
    ///   - progress: told how many bytes of the body have left, of how many; on a queue of its own.
    /// - Throws: ``LupineError`` as ``request(_:_:body:headers:options:progress:)`` and
    ///   ``makeRequest(_:_:parameters:headers:options:serializer:multipart:)``.
    @discardableResult
    public func request(
        _ method: HTTPMethod, _ url: String, parameters: Parameters? = nil, headers: HTTPHeaders = [:],
        options: TransferOptions? = nil, serializer: (any RequestSerializer)? = nil, handlers: TaskHandlers? = nil,
        multipart: FormMaker, progress: Progress? = nil
    ) async throws(LupineError) -> DataResponse {
        let check = responseSerializer
        return try await session.collect(
            makeRequest(
                method, url, parameters: parameters, headers: headers, options: options, serializer: serializer,
                multipart: multipart),
            check: check, uploadProgress: progress, handlers: handlers)
    }

    /// Sends a form and has a serializer make a value of the answer, as
    /// ``request(_:_:parameters:headers:options:serializer:responseSerializer:)``.
    public func request<Serializer: ResponseSerializer>(
        _ method: HTTPMethod, _ url: String, parameters: Parameters? = nil, headers: HTTPHeaders = [:],
        options: TransferOptions? = nil, serializer: (any RequestSerializer)? = nil, responseSerializer: Serializer,
        handlers: TaskHandlers? = nil, multipart: FormMaker, progress: Progress? = nil
    ) async throws(LupineError) -> Serializer.Value {
        try await session.value(
            of: makeRequest(
                method, url, parameters: parameters, headers: headers, options: options, serializer: serializer,
                multipart: multipart),
            by: responseSerializer, uploadProgress: progress, handlers: handlers)
    }

    /// Sends a form and decodes the JSON answer.
    ///
    /// - Parameter decoder: a new one for each answer; the session's ``decoder`` by default.
    /// - Throws: ``LupineError``: as the other forms, or `unacceptable-content-type` or `response-serialization-failed`, which
    ///   carry the whole answer.
    public func request<Value: Decodable & Sendable>(
        _ method: HTTPMethod, _ url: String, parameters: Parameters? = nil, headers: HTTPHeaders = [:],
        options: TransferOptions? = nil, serializer: (any RequestSerializer)? = nil, as type: Value.Type,
        decoder: @autoclosure @escaping @Sendable () -> JSONDecoder? = nil,
        handlers: TaskHandlers? = nil, multipart: FormMaker, progress: Progress? = nil
    ) async throws(LupineError) -> Value {
        try await request(
            method, url, parameters: parameters, headers: headers, options: options, serializer: serializer,
            responseSerializer: decoding(type, decoder), handlers: handlers, multipart: multipart, progress: progress)
    }
}
