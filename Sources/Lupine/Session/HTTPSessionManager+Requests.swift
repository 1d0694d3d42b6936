public import FoundationEssentials
public import LupineCore
public import LupineSerialization

extension HTTPSessionManager {
    /// Sends a request and gives its answer, if the status is acceptable.
    ///
    /// - Parameters:
    ///   - url: absolute, or relative to the base URL.
    ///   - parameters: by the request serializer: a query for GET, HEAD and DELETE, else a body.
    ///   - headers: go before the session's fields of the same name.
    ///   - options: how the request is carried; the configuration's by default.
    ///   - serializer: instead of the session's ``requestSerializer``.
    ///   - handlers: decisions for this request, interceptors and validators among them.
    /// - Throws: ``LupineError``: as ``URLSessionManager/data(for:uploadProgress:downloadProgress:)``, or `invalid-url`,
    ///   `request-serialization-failed`, `unacceptable-status`; the last carries the whole answer.
    @discardableResult
    public func request(
        _ method: HTTPMethod, _ url: String, parameters: Parameters? = nil, headers: HTTPHeaders = [:],
        options: TransferOptions? = nil, serializer: (any RequestSerializer)? = nil, handlers: TaskHandlers? = nil
    ) async throws(LupineError) -> DataResponse {
        let check = responseSerializer
        return try await session.collect(
            makeRequest(
                method, url, parameters: parameters, headers: headers, options: options, serializer: serializer),
            check: check, handlers: handlers)
    }

    /// Sends a request with a body of one's own.
    ///
    /// - Parameter progress: told how many bytes of the body have left; on a queue of its own.
    @discardableResult
    public func request(
        _ method: HTTPMethod, _ url: String, body: HTTPBody, headers: HTTPHeaders = [:],
        options: TransferOptions? = nil, handlers: TaskHandlers? = nil,
        progress: (@Sendable (TransferProgress) -> Void)? = nil
    ) async throws(LupineError) -> DataResponse {
        let check = responseSerializer
        return try await session.collect(
            makeRequest(method, url, body: body, headers: headers, options: options), check: check,
            uploadProgress: progress, handlers: handlers)
    }

    /// Sends a request and decodes its JSON answer.
    ///
    /// The types are ``responseSerializer``'s, or JSON's. The answer is decoded beside whoever asks, as in the form with a
    /// response serializer.
    ///
    /// - Parameter decoder: a new one for each answer; the session's ``decoder`` by default.
    /// - Throws: ``LupineError``: as the other forms, or `unacceptable-content-type` or `response-serialization-failed`,
    ///   which carry the whole answer.
    public func request<Value: Decodable & Sendable>(
        _ method: HTTPMethod, _ url: String, parameters: Parameters? = nil, headers: HTTPHeaders = [:],
        options: TransferOptions? = nil, serializer: (any RequestSerializer)? = nil, as type: Value.Type,
        decoder: @autoclosure @escaping @Sendable () -> JSONDecoder? = nil, handlers: TaskHandlers? = nil
    ) async throws(LupineError) -> Value {
        try await request(
            method, url, parameters: parameters, headers: headers, options: options, serializer: serializer,
            responseSerializer: decoding(type, decoder), handlers: handlers)
    }

    /// Sends a request and has a serializer make a value of its answer.
    ///
    /// The serializer runs on Swift's global executor: neither on an actor that asks, the main one among them, nor on an event
    /// loop that a task prefers as its executor.
    ///
    /// - Parameter responseSerializer: checks the answer too: nothing of the session's ``responseSerializer`` counts.
    /// - Throws: ``LupineError``: as the other forms, or as the serializer, with the whole answer.
    public func request<Serializer: ResponseSerializer>(
        _ method: HTTPMethod, _ url: String, parameters: Parameters? = nil, headers: HTTPHeaders = [:],
        options: TransferOptions? = nil, serializer: (any RequestSerializer)? = nil, responseSerializer: Serializer,
        handlers: TaskHandlers? = nil
    ) async throws(LupineError) -> Serializer.Value {
        try await session.value(
            of: makeRequest(
                method, url, parameters: parameters, headers: headers, options: options, serializer: serializer),
            by: responseSerializer, handlers: handlers)
    }

    /// The same with a body of one's own.
    ///
    /// - Parameter progress: told how many bytes of the body have left; on a queue of its own.
    public func request<Serializer: ResponseSerializer>(
        _ method: HTTPMethod, _ url: String, body: HTTPBody, headers: HTTPHeaders = [:],
        options: TransferOptions? = nil, responseSerializer: Serializer, handlers: TaskHandlers? = nil,
        progress: (@Sendable (TransferProgress) -> Void)? = nil
    ) async throws(LupineError) -> Serializer.Value {
        try await session.value(
            of: makeRequest(method, url, body: body, headers: headers, options: options), by: responseSerializer,
            uploadProgress: progress, handlers: handlers)
    }
}
