public import FoundationEssentials
public import LupineCore
public import LupineSerialization

// Forms of parts by verb, and by `upload`: raw, decoded, and with a serializer for the answer. All are `request` with the method
// filled in, and throw as it does; DELETE and others have that alone.
extension HTTPSessionManager {
    /// Sends a form, by POST unless told otherwise: the parameters as fields, then what `multipart` adds.
    @discardableResult
    public func upload(
        _ url: String, method: HTTPMethod = .post, parameters: Parameters? = nil, headers: HTTPHeaders = [:],
        options: TransferOptions? = nil, serializer: (any RequestSerializer)? = nil, multipart: FormMaker,
        progress: Progress? = nil
    ) async throws(LupineError) -> DataResponse {
        try await request(
            method, url, parameters: parameters, headers: headers, options: options, serializer: serializer,
            multipart: multipart, progress: progress)
    }

    /// Sends a form, by POST unless told otherwise: the parameters as fields, then what `multipart` adds; the JSON answer decoded.
    public func upload<Value: Decodable & Sendable>(
        _ url: String, method: HTTPMethod = .post, parameters: Parameters? = nil, headers: HTTPHeaders = [:],
        options: TransferOptions? = nil, serializer: (any RequestSerializer)? = nil, as type: Value.Type,
        decoder: @autoclosure @escaping @Sendable () -> JSONDecoder? = nil, multipart: FormMaker,
        progress: Progress? = nil
    ) async throws(LupineError) -> Value {
        try await request(
            method, url, parameters: parameters, headers: headers, options: options, serializer: serializer, as: type,
            decoder: decoder(), multipart: multipart, progress: progress)
    }

    /// Sends a form, by POST unless told otherwise: the parameters as fields, then what `multipart` adds; with a serializer for the answer.
    public func upload<Serializer: ResponseSerializer>(
        _ url: String, method: HTTPMethod = .post, parameters: Parameters? = nil, headers: HTTPHeaders = [:],
        options: TransferOptions? = nil, serializer: (any RequestSerializer)? = nil,
        responseSerializer: Serializer, multipart: FormMaker, progress: Progress? = nil
    ) async throws(LupineError) -> Serializer.Value {
        try await request(
            method, url, parameters: parameters, headers: headers, options: options, serializer: serializer,
            responseSerializer: responseSerializer, multipart: multipart, progress: progress)
    }

    /// POST with a form: the parameters as fields, then what `multipart` adds.
    @discardableResult
    public func post(
        _ url: String, parameters: Parameters? = nil, headers: HTTPHeaders = [:],
        options: TransferOptions? = nil, serializer: (any RequestSerializer)? = nil, multipart: FormMaker,
        progress: Progress? = nil
    ) async throws(LupineError) -> DataResponse {
        try await request(
            .post, url, parameters: parameters, headers: headers, options: options, serializer: serializer,
            multipart: multipart, progress: progress)
    }

    /// POST with a form: the parameters as fields, then what `multipart` adds; the JSON answer decoded.
    public func post<Value: Decodable & Sendable>(
        _ url: String, parameters: Parameters? = nil, headers: HTTPHeaders = [:],
        options: TransferOptions? = nil, serializer: (any RequestSerializer)? = nil, as type: Value.Type,
        decoder: @autoclosure @escaping @Sendable () -> JSONDecoder? = nil, multipart: FormMaker,
        progress: Progress? = nil
    ) async throws(LupineError) -> Value {
        try await request(
            .post, url, parameters: parameters, headers: headers, options: options, serializer: serializer, as: type,
            decoder: decoder(), multipart: multipart, progress: progress)
    }

    /// POST with a form: the parameters as fields, then what `multipart` adds; with a serializer for the answer.
    public func post<Serializer: ResponseSerializer>(
        _ url: String, parameters: Parameters? = nil, headers: HTTPHeaders = [:],
        options: TransferOptions? = nil, serializer: (any RequestSerializer)? = nil,
        responseSerializer: Serializer, multipart: FormMaker, progress: Progress? = nil
    ) async throws(LupineError) -> Serializer.Value {
        try await request(
            .post, url, parameters: parameters, headers: headers, options: options, serializer: serializer,
            responseSerializer: responseSerializer, multipart: multipart, progress: progress)
    }

    /// PUT with a form: the parameters as fields, then what `multipart` adds.
    @discardableResult
    public func put(
        _ url: String, parameters: Parameters? = nil, headers: HTTPHeaders = [:],
        options: TransferOptions? = nil, serializer: (any RequestSerializer)? = nil, multipart: FormMaker,
        progress: Progress? = nil
    ) async throws(LupineError) -> DataResponse {
        try await request(
            .put, url, parameters: parameters, headers: headers, options: options, serializer: serializer,
            multipart: multipart, progress: progress)
    }

    /// PUT with a form: the parameters as fields, then what `multipart` adds; the JSON answer decoded.
    public func put<Value: Decodable & Sendable>(
        _ url: String, parameters: Parameters? = nil, headers: HTTPHeaders = [:],
        options: TransferOptions? = nil, serializer: (any RequestSerializer)? = nil, as type: Value.Type,
        decoder: @autoclosure @escaping @Sendable () -> JSONDecoder? = nil, multipart: FormMaker,
        progress: Progress? = nil
    ) async throws(LupineError) -> Value {
        try await request(
            .put, url, parameters: parameters, headers: headers, options: options, serializer: serializer, as: type,
            decoder: decoder(), multipart: multipart, progress: progress)
    }

    /// PUT with a form: the parameters as fields, then what `multipart` adds; with a serializer for the answer.
    public func put<Serializer: ResponseSerializer>(
        _ url: String, parameters: Parameters? = nil, headers: HTTPHeaders = [:],
        options: TransferOptions? = nil, serializer: (any RequestSerializer)? = nil,
        responseSerializer: Serializer, multipart: FormMaker, progress: Progress? = nil
    ) async throws(LupineError) -> Serializer.Value {
        try await request(
            .put, url, parameters: parameters, headers: headers, options: options, serializer: serializer,
            responseSerializer: responseSerializer, multipart: multipart, progress: progress)
    }

    /// PATCH with a form: the parameters as fields, then what `multipart` adds.
    @discardableResult
    public func patch(
        _ url: String, parameters: Parameters? = nil, headers: HTTPHeaders = [:],
        options: TransferOptions? = nil, serializer: (any RequestSerializer)? = nil, multipart: FormMaker,
        progress: Progress? = nil
    ) async throws(LupineError) -> DataResponse {
        try await request(
            .patch, url, parameters: parameters, headers: headers, options: options, serializer: serializer,
            multipart: multipart, progress: progress)
    }

    /// PATCH with a form: the parameters as fields, then what `multipart` adds; the JSON answer decoded.
    public func patch<Value: Decodable & Sendable>(
        _ url: String, parameters: Parameters? = nil, headers: HTTPHeaders = [:],
        options: TransferOptions? = nil, serializer: (any RequestSerializer)? = nil, as type: Value.Type,
        decoder: @autoclosure @escaping @Sendable () -> JSONDecoder? = nil, multipart: FormMaker,
        progress: Progress? = nil
    ) async throws(LupineError) -> Value {
        try await request(
            .patch, url, parameters: parameters, headers: headers, options: options, serializer: serializer, as: type,
            decoder: decoder(), multipart: multipart, progress: progress)
    }

    /// PATCH with a form: the parameters as fields, then what `multipart` adds; with a serializer for the answer.
    public func patch<Serializer: ResponseSerializer>(
        _ url: String, parameters: Parameters? = nil, headers: HTTPHeaders = [:],
        options: TransferOptions? = nil, serializer: (any RequestSerializer)? = nil,
        responseSerializer: Serializer, multipart: FormMaker, progress: Progress? = nil
    ) async throws(LupineError) -> Serializer.Value {
        try await request(
            .patch, url, parameters: parameters, headers: headers, options: options, serializer: serializer,
            responseSerializer: responseSerializer, multipart: multipart, progress: progress)
    }

    /// Sends a form of these parts, after the parameters as fields.
    @discardableResult
    public func upload(
        _ url: String, method: HTTPMethod = .post, parts: [UploadPart], parameters: Parameters? = nil,
        headers: HTTPHeaders = [:],
        options: TransferOptions? = nil, serializer: (any RequestSerializer)? = nil,
        progress: Progress? = nil
    ) async throws(LupineError) -> DataResponse {
        try await request(
            method, url, parameters: parameters, headers: headers, options: options, serializer: serializer,
            multipart: { form in for part in parts { try form.append(part) } }, progress: progress)
    }

    /// Sends a form of these parts, after the parameters as fields; the JSON answer decoded.
    public func upload<Value: Decodable & Sendable>(
        _ url: String, method: HTTPMethod = .post, parts: [UploadPart], parameters: Parameters? = nil,
        headers: HTTPHeaders = [:],
        options: TransferOptions? = nil, serializer: (any RequestSerializer)? = nil, as type: Value.Type,
        decoder: @autoclosure @escaping @Sendable () -> JSONDecoder? = nil, progress: Progress? = nil
    ) async throws(LupineError) -> Value {
        try await request(
            method, url, parameters: parameters, headers: headers, options: options, serializer: serializer, as: type,
            decoder: decoder(), multipart: { form in for part in parts { try form.append(part) } }, progress: progress)
    }

    /// Sends a form of these parts, after the parameters as fields; with a serializer for the answer.
    public func upload<Serializer: ResponseSerializer>(
        _ url: String, method: HTTPMethod = .post, parts: [UploadPart], parameters: Parameters? = nil,
        headers: HTTPHeaders = [:],
        options: TransferOptions? = nil, serializer: (any RequestSerializer)? = nil,
        responseSerializer: Serializer, progress: Progress? = nil
    ) async throws(LupineError) -> Serializer.Value {
        try await request(
            method, url, parameters: parameters, headers: headers, options: options, serializer: serializer,
            responseSerializer: responseSerializer, multipart: { form in for part in parts { try form.append(part) } },
            progress: progress)
    }
}
