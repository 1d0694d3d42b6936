public import FoundationEssentials
public import LupineCore
public import LupineSerialization

// Forms of parts in AFNetworking's form: raw, decoded, and with a serializer for the answer. All are `uploadTask` with the method
// filled in, and begun; `progress` is told of the body.
extension HTTPSessionManager {
    /// A form, by POST unless told otherwise, begun.
    @discardableResult
    public func upload(
        _ url: String, method: HTTPMethod = .post, parameters: Parameters? = nil, headers: HTTPHeaders = [:],
        serializer: (any RequestSerializer)? = nil, multipart: FormMaker, progress: Progress? = nil,
        success: @escaping Success<DataResponse>, failure: Failure? = nil
    ) -> SessionTask? {
        uploadTask(
            method, url, parameters: parameters, headers: headers, serializer: serializer, multipart: multipart,
            progress: progress, success: success, failure: failure
        ).begun
    }

    /// A form, by POST unless told otherwise, begun, the JSON answer decoded.
    @discardableResult
    public func upload<Value: Decodable & Sendable>(
        _ url: String, method: HTTPMethod = .post, parameters: Parameters? = nil, headers: HTTPHeaders = [:],
        serializer: (any RequestSerializer)? = nil, as type: Value.Type,
        decoder: @autoclosure @escaping @Sendable () -> JSONDecoder? = nil, multipart: FormMaker,
        progress: Progress? = nil,
        success: @escaping Success<Value>, failure: Failure? = nil
    ) -> SessionTask? {
        uploadTask(
            method, url, parameters: parameters, headers: headers, serializer: serializer, as: type, decoder: decoder(),
            multipart: multipart, progress: progress, success: success, failure: failure
        ).begun
    }

    /// A form, by POST unless told otherwise, begun, with a serializer for the answer.
    @discardableResult
    public func upload<Serializer: ResponseSerializer>(
        _ url: String, method: HTTPMethod = .post, parameters: Parameters? = nil, headers: HTTPHeaders = [:],
        serializer: (any RequestSerializer)? = nil, responseSerializer: Serializer, multipart: FormMaker,
        progress: Progress? = nil, success: @escaping Success<Serializer.Value>, failure: Failure? = nil
    ) -> SessionTask? {
        uploadTask(
            method, url, parameters: parameters, headers: headers, serializer: serializer,
            responseSerializer: responseSerializer, multipart: multipart, progress: progress, success: success,
            failure: failure
        ).begun
    }

    /// POST with a form, begun.
    @discardableResult
    public func post(
        _ url: String, parameters: Parameters? = nil, headers: HTTPHeaders = [:],
        serializer: (any RequestSerializer)? = nil, multipart: FormMaker, progress: Progress? = nil,
        success: @escaping Success<DataResponse>, failure: Failure? = nil
    ) -> SessionTask? {
        uploadTask(
            .post, url, parameters: parameters, headers: headers, serializer: serializer, multipart: multipart,
            progress: progress, success: success, failure: failure
        ).begun
    }

    /// POST with a form, begun, the JSON answer decoded.
    @discardableResult
    public func post<Value: Decodable & Sendable>(
        _ url: String, parameters: Parameters? = nil, headers: HTTPHeaders = [:],
        serializer: (any RequestSerializer)? = nil, as type: Value.Type,
        decoder: @autoclosure @escaping @Sendable () -> JSONDecoder? = nil, multipart: FormMaker,
        progress: Progress? = nil,
        success: @escaping Success<Value>, failure: Failure? = nil
    ) -> SessionTask? {
        uploadTask(
            .post, url, parameters: parameters, headers: headers, serializer: serializer, as: type, decoder: decoder(),
            multipart: multipart, progress: progress, success: success, failure: failure
        ).begun
    }

    /// POST with a form, begun, with a serializer for the answer.
    @discardableResult
    public func post<Serializer: ResponseSerializer>(
        _ url: String, parameters: Parameters? = nil, headers: HTTPHeaders = [:],
        serializer: (any RequestSerializer)? = nil, responseSerializer: Serializer, multipart: FormMaker,
        progress: Progress? = nil, success: @escaping Success<Serializer.Value>, failure: Failure? = nil
    ) -> SessionTask? {
        uploadTask(
            .post, url, parameters: parameters, headers: headers, serializer: serializer,
            responseSerializer: responseSerializer, multipart: multipart, progress: progress, success: success,
            failure: failure
        ).begun
    }

    /// PUT with a form, begun.
    @discardableResult
    public func put(
        _ url: String, parameters: Parameters? = nil, headers: HTTPHeaders = [:],
        serializer: (any RequestSerializer)? = nil, multipart: FormMaker, progress: Progress? = nil,
        success: @escaping Success<DataResponse>, failure: Failure? = nil
    ) -> SessionTask? {
        uploadTask(
            .put, url, parameters: parameters, headers: headers, serializer: serializer, multipart: multipart,
            progress: progress, success: success, failure: failure
        ).begun
    }

    /// PUT with a form, begun, the JSON answer decoded.
    @discardableResult
    public func put<Value: Decodable & Sendable>(
        _ url: String, parameters: Parameters? = nil, headers: HTTPHeaders = [:],
        serializer: (any RequestSerializer)? = nil, as type: Value.Type,
        decoder: @autoclosure @escaping @Sendable () -> JSONDecoder? = nil, multipart: FormMaker,
        progress: Progress? = nil,
        success: @escaping Success<Value>, failure: Failure? = nil
    ) -> SessionTask? {
        uploadTask(
            .put, url, parameters: parameters, headers: headers, serializer: serializer, as: type, decoder: decoder(),
            multipart: multipart, progress: progress, success: success, failure: failure
        ).begun
    }

    /// PUT with a form, begun, with a serializer for the answer.
    @discardableResult
    public func put<Serializer: ResponseSerializer>(
        _ url: String, parameters: Parameters? = nil, headers: HTTPHeaders = [:],
        serializer: (any RequestSerializer)? = nil, responseSerializer: Serializer, multipart: FormMaker,
        progress: Progress? = nil, success: @escaping Success<Serializer.Value>, failure: Failure? = nil
    ) -> SessionTask? {
        uploadTask(
            .put, url, parameters: parameters, headers: headers, serializer: serializer,
            responseSerializer: responseSerializer, multipart: multipart, progress: progress, success: success,
            failure: failure
        ).begun
    }

    /// PATCH with a form, begun.
    @discardableResult
    public func patch(
        _ url: String, parameters: Parameters? = nil, headers: HTTPHeaders = [:],
        serializer: (any RequestSerializer)? = nil, multipart: FormMaker, progress: Progress? = nil,
        success: @escaping Success<DataResponse>, failure: Failure? = nil
    ) -> SessionTask? {
        uploadTask(
            .patch, url, parameters: parameters, headers: headers, serializer: serializer, multipart: multipart,
            progress: progress, success: success, failure: failure
        ).begun
    }

    /// PATCH with a form, begun, the JSON answer decoded.
    @discardableResult
    public func patch<Value: Decodable & Sendable>(
        _ url: String, parameters: Parameters? = nil, headers: HTTPHeaders = [:],
        serializer: (any RequestSerializer)? = nil, as type: Value.Type,
        decoder: @autoclosure @escaping @Sendable () -> JSONDecoder? = nil, multipart: FormMaker,
        progress: Progress? = nil,
        success: @escaping Success<Value>, failure: Failure? = nil
    ) -> SessionTask? {
        uploadTask(
            .patch, url, parameters: parameters, headers: headers, serializer: serializer, as: type, decoder: decoder(),
            multipart: multipart, progress: progress, success: success, failure: failure
        ).begun
    }

    /// PATCH with a form, begun, with a serializer for the answer.
    @discardableResult
    public func patch<Serializer: ResponseSerializer>(
        _ url: String, parameters: Parameters? = nil, headers: HTTPHeaders = [:],
        serializer: (any RequestSerializer)? = nil, responseSerializer: Serializer, multipart: FormMaker,
        progress: Progress? = nil, success: @escaping Success<Serializer.Value>, failure: Failure? = nil
    ) -> SessionTask? {
        uploadTask(
            .patch, url, parameters: parameters, headers: headers, serializer: serializer,
            responseSerializer: responseSerializer, multipart: multipart, progress: progress, success: success,
            failure: failure
        ).begun
    }

    /// A form of these parts, after the parameters as fields, begun.
    @discardableResult
    public func upload(
        _ url: String, method: HTTPMethod = .post, parts: [UploadPart], parameters: Parameters? = nil,
        headers: HTTPHeaders = [:],
        serializer: (any RequestSerializer)? = nil, progress: Progress? = nil,
        success: @escaping Success<DataResponse>, failure: Failure? = nil
    ) -> SessionTask? {
        uploadTask(
            method, url, parameters: parameters, headers: headers, serializer: serializer,
            multipart: { form in for part in parts { try form.append(part) } },
            progress: progress, success: success, failure: failure
        ).begun
    }

    /// A form of these parts, after the parameters as fields, begun, the JSON answer decoded.
    @discardableResult
    public func upload<Value: Decodable & Sendable>(
        _ url: String, method: HTTPMethod = .post, parts: [UploadPart], parameters: Parameters? = nil,
        headers: HTTPHeaders = [:],
        serializer: (any RequestSerializer)? = nil, as type: Value.Type,
        decoder: @autoclosure @escaping @Sendable () -> JSONDecoder? = nil, progress: Progress? = nil,
        success: @escaping Success<Value>, failure: Failure? = nil
    ) -> SessionTask? {
        uploadTask(
            method, url, parameters: parameters, headers: headers, serializer: serializer, as: type, decoder: decoder(),
            multipart: { form in for part in parts { try form.append(part) } }, progress: progress, success: success,
            failure: failure
        ).begun
    }

    /// A form of these parts, after the parameters as fields, begun, with a serializer for the answer.
    @discardableResult
    public func upload<Serializer: ResponseSerializer>(
        _ url: String, method: HTTPMethod = .post, parts: [UploadPart], parameters: Parameters? = nil,
        headers: HTTPHeaders = [:],
        serializer: (any RequestSerializer)? = nil, responseSerializer: Serializer,
        progress: Progress? = nil, success: @escaping Success<Serializer.Value>, failure: Failure? = nil
    ) -> SessionTask? {
        uploadTask(
            method, url, parameters: parameters, headers: headers, serializer: serializer,
            responseSerializer: responseSerializer, multipart: { form in for part in parts { try form.append(part) } },
            progress: progress, success: success, failure: failure
        ).begun
    }
}
