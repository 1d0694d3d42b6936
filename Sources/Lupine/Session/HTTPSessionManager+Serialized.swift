public import LupineCore
public import LupineSerialization

// Each verb with a serializer for its answer. All are `request` with the method filled in, and throw as it does; with closures
// there is `dataTask`.
extension HTTPSessionManager {
    /// GET. Parameters become a query.
    public func get<Serializer: ResponseSerializer>(
        _ url: String, parameters: Parameters? = nil, headers: HTTPHeaders = [:], options: TransferOptions? = nil,
        serializer: (any RequestSerializer)? = nil, responseSerializer: Serializer
    ) async throws(LupineError) -> Serializer.Value {
        try await request(
            .get, url, parameters: parameters, headers: headers, options: options, serializer: serializer,
            responseSerializer: responseSerializer)
    }

    /// POST. Parameters become a body.
    public func post<Serializer: ResponseSerializer>(
        _ url: String, parameters: Parameters? = nil, headers: HTTPHeaders = [:], options: TransferOptions? = nil,
        serializer: (any RequestSerializer)? = nil, responseSerializer: Serializer
    ) async throws(LupineError) -> Serializer.Value {
        try await request(
            .post, url, parameters: parameters, headers: headers, options: options, serializer: serializer,
            responseSerializer: responseSerializer)
    }

    /// PUT. Parameters become a body.
    public func put<Serializer: ResponseSerializer>(
        _ url: String, parameters: Parameters? = nil, headers: HTTPHeaders = [:], options: TransferOptions? = nil,
        serializer: (any RequestSerializer)? = nil, responseSerializer: Serializer
    ) async throws(LupineError) -> Serializer.Value {
        try await request(
            .put, url, parameters: parameters, headers: headers, options: options, serializer: serializer,
            responseSerializer: responseSerializer)
    }

    /// PATCH. Parameters become a body.
    public func patch<Serializer: ResponseSerializer>(
        _ url: String, parameters: Parameters? = nil, headers: HTTPHeaders = [:], options: TransferOptions? = nil,
        serializer: (any RequestSerializer)? = nil, responseSerializer: Serializer
    ) async throws(LupineError) -> Serializer.Value {
        try await request(
            .patch, url, parameters: parameters, headers: headers, options: options, serializer: serializer,
            responseSerializer: responseSerializer)
    }

    /// DELETE. Parameters become a query.
    public func delete<Serializer: ResponseSerializer>(
        _ url: String, parameters: Parameters? = nil, headers: HTTPHeaders = [:], options: TransferOptions? = nil,
        serializer: (any RequestSerializer)? = nil, responseSerializer: Serializer
    ) async throws(LupineError) -> Serializer.Value {
        try await request(
            .delete, url, parameters: parameters, headers: headers, options: options, serializer: serializer,
            responseSerializer: responseSerializer)
    }
}
