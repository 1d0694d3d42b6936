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
    /// - Throws: ``LupineError``: as ``URLSessionManager/data(for:uploadProgress:downloadProgress:)``, or `invalid-url`,
    ///   `request-serialization-failed`, `unacceptable-status`; the last carries the whole answer.
    @discardableResult
    public func request(
        _ method: HTTPMethod, _ url: String, parameters: Parameters? = nil, headers: HTTPHeaders = [:],
        options: TransferOptions? = nil, serializer: (any RequestSerializer)? = nil
    ) async throws(LupineError) -> DataResponse {
        try checked(
            await session.collect(
                makeRequest(
                    method, url, parameters: parameters, headers: headers, options: options, serializer: serializer)))
    }

    /// Sends a request with a body of one's own.
    ///
    /// - Parameter progress: told how many bytes of the body have left; on a queue of its own.
    @discardableResult
    public func request(
        _ method: HTTPMethod, _ url: String, body: HTTPBody, headers: HTTPHeaders = [:],
        options: TransferOptions? = nil, progress: (@Sendable (TransferProgress) -> Void)? = nil
    ) async throws(LupineError) -> DataResponse {
        try checked(
            await session.collect(
                makeRequest(method, url, body: body, headers: headers, options: options), uploadProgress: progress))
    }

    /// Sends a request and decodes its JSON answer.
    ///
    /// - Parameter decoder: a new one for each answer.
    /// - Throws: ``LupineError``: as the other forms, or `unacceptable-content-type` or `response-serialization-failed`,
    ///   which carry the whole answer.
    public func request<Value: Decodable & Sendable>(
        _ method: HTTPMethod, _ url: String, parameters: Parameters? = nil, headers: HTTPHeaders = [:],
        options: TransferOptions? = nil, serializer: (any RequestSerializer)? = nil, as type: Value.Type,
        decoder: @autoclosure @escaping @Sendable () -> JSONDecoder = JSONDecoder()
    ) async throws(LupineError) -> Value {
        let reply = try await session.collect(
            makeRequest(
                method, url, parameters: parameters, headers: headers, options: options, serializer: serializer))
        return try reply.serialized(
            by: DecodableResponseSerializer(Value.self, acceptableStatuses: acceptableStatuses, decoder: decoder()))
    }

    func checked(_ reply: DataResponse) throws(LupineError) -> DataResponse {
        _ = try reply.serialized(by: HTTPResponseSerializer(acceptableStatuses: acceptableStatuses))
        return reply
    }
}

extension DataResponse {
    /// The value that a serializer makes of the answer.
    ///
    /// - Throws: the serializer's ``LupineError``, with this answer's head, body and metrics.
    public func serialized<Serializer: ResponseSerializer>(
        by serializer: Serializer
    ) throws(LupineError) -> Serializer.Value {
        do {
            return try serializer.serialize(data, response: response, request: request)
        } catch {
            throw error.with(response: response, data: data, metrics: metrics)
        }
    }
}
