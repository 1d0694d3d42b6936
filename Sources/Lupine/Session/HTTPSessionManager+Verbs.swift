public import FoundationEssentials
public import LupineCore
public import LupineSerialization

// Each verb in three forms at most: raw, decoded, and, where a body belongs, with a body of one's own. All are
// `request` with the method filled in, and throw as it does.
extension HTTPSessionManager {
    /// GET. Parameters become a query.
    @discardableResult
    public func get(
        _ url: String, parameters: Parameters? = nil, headers: HTTPHeaders = [:], options: TransferOptions? = nil,
        serializer: (any RequestSerializer)? = nil
    ) async throws(LupineError) -> DataResponse {
        try await request(.get, url, parameters: parameters, headers: headers, options: options, serializer: serializer)
    }

    /// GET, the JSON answer decoded.
    public func get<Value: Decodable & Sendable>(
        _ url: String, parameters: Parameters? = nil, headers: HTTPHeaders = [:], options: TransferOptions? = nil,
        serializer: (any RequestSerializer)? = nil, as type: Value.Type,
        decoder: @autoclosure @escaping @Sendable () -> JSONDecoder? = nil
    ) async throws(LupineError) -> Value {
        try await request(
            .get, url, parameters: parameters, headers: headers, options: options, serializer: serializer, as: type,
            decoder: decoder())
    }

    /// HEAD. Parameters become a query.
    @discardableResult
    public func head(
        _ url: String, parameters: Parameters? = nil, headers: HTTPHeaders = [:], options: TransferOptions? = nil,
        serializer: (any RequestSerializer)? = nil
    ) async throws(LupineError) -> DataResponse {
        try await request(
            .head, url, parameters: parameters, headers: headers, options: options, serializer: serializer)
    }

    /// POST. Parameters become a body.
    @discardableResult
    public func post(
        _ url: String, parameters: Parameters? = nil, headers: HTTPHeaders = [:], options: TransferOptions? = nil,
        serializer: (any RequestSerializer)? = nil
    ) async throws(LupineError) -> DataResponse {
        try await request(
            .post, url, parameters: parameters, headers: headers, options: options, serializer: serializer)
    }

    /// POST, the JSON answer decoded.
    public func post<Value: Decodable & Sendable>(
        _ url: String, parameters: Parameters? = nil, headers: HTTPHeaders = [:], options: TransferOptions? = nil,
        serializer: (any RequestSerializer)? = nil, as type: Value.Type,
        decoder: @autoclosure @escaping @Sendable () -> JSONDecoder? = nil
    ) async throws(LupineError) -> Value {
        try await request(
            .post, url, parameters: parameters, headers: headers, options: options, serializer: serializer, as: type,
            decoder: decoder())
    }

    /// POST with a body of one's own.
    @discardableResult
    public func post(
        _ url: String, body: HTTPBody, headers: HTTPHeaders = [:], options: TransferOptions? = nil,
        progress: (@Sendable (TransferProgress) -> Void)? = nil
    ) async throws(LupineError) -> DataResponse {
        try await request(.post, url, body: body, headers: headers, options: options, progress: progress)
    }

    /// PUT. Parameters become a body.
    @discardableResult
    public func put(
        _ url: String, parameters: Parameters? = nil, headers: HTTPHeaders = [:], options: TransferOptions? = nil,
        serializer: (any RequestSerializer)? = nil
    ) async throws(LupineError) -> DataResponse {
        try await request(.put, url, parameters: parameters, headers: headers, options: options, serializer: serializer)
    }

    /// PUT, the JSON answer decoded.
    public func put<Value: Decodable & Sendable>(
        _ url: String, parameters: Parameters? = nil, headers: HTTPHeaders = [:], options: TransferOptions? = nil,
        serializer: (any RequestSerializer)? = nil, as type: Value.Type,
        decoder: @autoclosure @escaping @Sendable () -> JSONDecoder? = nil
    ) async throws(LupineError) -> Value {
        try await request(
            .put, url, parameters: parameters, headers: headers, options: options, serializer: serializer, as: type,
            decoder: decoder())
    }

    /// PUT with a body of one's own.
    @discardableResult
    public func put(
        _ url: String, body: HTTPBody, headers: HTTPHeaders = [:], options: TransferOptions? = nil,
        progress: (@Sendable (TransferProgress) -> Void)? = nil
    ) async throws(LupineError) -> DataResponse {
        try await request(.put, url, body: body, headers: headers, options: options, progress: progress)
    }

    /// PATCH. Parameters become a body.
    @discardableResult
    public func patch(
        _ url: String, parameters: Parameters? = nil, headers: HTTPHeaders = [:], options: TransferOptions? = nil,
        serializer: (any RequestSerializer)? = nil
    ) async throws(LupineError) -> DataResponse {
        try await request(
            .patch, url, parameters: parameters, headers: headers, options: options, serializer: serializer)
    }

    /// PATCH, the JSON answer decoded.
    public func patch<Value: Decodable & Sendable>(
        _ url: String, parameters: Parameters? = nil, headers: HTTPHeaders = [:], options: TransferOptions? = nil,
        serializer: (any RequestSerializer)? = nil, as type: Value.Type,
        decoder: @autoclosure @escaping @Sendable () -> JSONDecoder? = nil
    ) async throws(LupineError) -> Value {
        try await request(
            .patch, url, parameters: parameters, headers: headers, options: options, serializer: serializer, as: type,
            decoder: decoder())
    }

    /// PATCH with a body of one's own.
    @discardableResult
    public func patch(
        _ url: String, body: HTTPBody, headers: HTTPHeaders = [:], options: TransferOptions? = nil,
        progress: (@Sendable (TransferProgress) -> Void)? = nil
    ) async throws(LupineError) -> DataResponse {
        try await request(.patch, url, body: body, headers: headers, options: options, progress: progress)
    }

    /// DELETE. Parameters become a query.
    @discardableResult
    public func delete(
        _ url: String, parameters: Parameters? = nil, headers: HTTPHeaders = [:], options: TransferOptions? = nil,
        serializer: (any RequestSerializer)? = nil
    ) async throws(LupineError) -> DataResponse {
        try await request(
            .delete, url, parameters: parameters, headers: headers, options: options, serializer: serializer)
    }

    /// DELETE, the JSON answer decoded.
    public func delete<Value: Decodable & Sendable>(
        _ url: String, parameters: Parameters? = nil, headers: HTTPHeaders = [:], options: TransferOptions? = nil,
        serializer: (any RequestSerializer)? = nil, as type: Value.Type,
        decoder: @autoclosure @escaping @Sendable () -> JSONDecoder? = nil
    ) async throws(LupineError) -> Value {
        try await request(
            .delete, url, parameters: parameters, headers: headers, options: options, serializer: serializer, as: type,
            decoder: decoder())
    }
}
