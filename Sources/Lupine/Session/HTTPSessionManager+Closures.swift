public import FoundationEssentials
public import LupineCore
public import LupineSerialization

// Each verb in AFNetworking's form: raw, decoded, and with a serializer for the answer. All are `dataTask` with the method filled
// in, and begun.
extension HTTPSessionManager {
    /// GET, begun. Parameters become a query. `progress` is told of the answer.
    @discardableResult
    public func get(
        _ url: String, parameters: Parameters? = nil, headers: HTTPHeaders = [:],
        serializer: (any RequestSerializer)? = nil, progress: Progress? = nil,
        success: @escaping Success<DataResponse>, failure: Failure? = nil
    ) -> SessionTask? {
        dataTask(
            .get, url, parameters: parameters, headers: headers, serializer: serializer, downloadProgress: progress,
            success: success, failure: failure
        ).begun
    }

    /// GET, begun, the JSON answer decoded.
    @discardableResult
    public func get<Value: Decodable & Sendable>(
        _ url: String, parameters: Parameters? = nil, headers: HTTPHeaders = [:],
        serializer: (any RequestSerializer)? = nil, as type: Value.Type,
        decoder: @autoclosure @escaping @Sendable () -> JSONDecoder? = nil, progress: Progress? = nil,
        success: @escaping Success<Value>, failure: Failure? = nil
    ) -> SessionTask? {
        dataTask(
            .get, url, parameters: parameters, headers: headers, serializer: serializer, as: type, decoder: decoder(),
            downloadProgress: progress, success: success, failure: failure
        ).begun
    }

    /// GET, begun, with a serializer for the answer.
    @discardableResult
    public func get<Serializer: ResponseSerializer>(
        _ url: String, parameters: Parameters? = nil, headers: HTTPHeaders = [:],
        serializer: (any RequestSerializer)? = nil, responseSerializer: Serializer,
        progress: Progress? = nil, success: @escaping Success<Serializer.Value>, failure: Failure? = nil
    ) -> SessionTask? {
        dataTask(
            .get, url, parameters: parameters, headers: headers, serializer: serializer,
            responseSerializer: responseSerializer, downloadProgress: progress, success: success, failure: failure
        ).begun
    }

    /// HEAD, begun. Parameters become a query.
    @discardableResult
    public func head(
        _ url: String, parameters: Parameters? = nil, headers: HTTPHeaders = [:],
        serializer: (any RequestSerializer)? = nil, success: @escaping Success<DataResponse>, failure: Failure? = nil
    ) -> SessionTask? {
        dataTask(
            .head, url, parameters: parameters, headers: headers, serializer: serializer, success: success,
            failure: failure
        ).begun
    }

    /// POST, begun. Parameters become a body. `progress` is told of the body.
    @discardableResult
    public func post(
        _ url: String, parameters: Parameters? = nil, headers: HTTPHeaders = [:],
        serializer: (any RequestSerializer)? = nil, progress: Progress? = nil,
        success: @escaping Success<DataResponse>, failure: Failure? = nil
    ) -> SessionTask? {
        dataTask(
            .post, url, parameters: parameters, headers: headers, serializer: serializer, uploadProgress: progress,
            success: success, failure: failure
        ).begun
    }

    /// POST, begun, the JSON answer decoded.
    @discardableResult
    public func post<Value: Decodable & Sendable>(
        _ url: String, parameters: Parameters? = nil, headers: HTTPHeaders = [:],
        serializer: (any RequestSerializer)? = nil, as type: Value.Type,
        decoder: @autoclosure @escaping @Sendable () -> JSONDecoder? = nil, progress: Progress? = nil,
        success: @escaping Success<Value>, failure: Failure? = nil
    ) -> SessionTask? {
        dataTask(
            .post, url, parameters: parameters, headers: headers, serializer: serializer, as: type, decoder: decoder(),
            uploadProgress: progress, success: success, failure: failure
        ).begun
    }

    /// POST, begun, with a serializer for the answer.
    @discardableResult
    public func post<Serializer: ResponseSerializer>(
        _ url: String, parameters: Parameters? = nil, headers: HTTPHeaders = [:],
        serializer: (any RequestSerializer)? = nil, responseSerializer: Serializer,
        progress: Progress? = nil, success: @escaping Success<Serializer.Value>, failure: Failure? = nil
    ) -> SessionTask? {
        dataTask(
            .post, url, parameters: parameters, headers: headers, serializer: serializer,
            responseSerializer: responseSerializer, uploadProgress: progress, success: success, failure: failure
        ).begun
    }

    /// PUT, begun. Parameters become a body. `progress` is told of the body.
    @discardableResult
    public func put(
        _ url: String, parameters: Parameters? = nil, headers: HTTPHeaders = [:],
        serializer: (any RequestSerializer)? = nil, progress: Progress? = nil,
        success: @escaping Success<DataResponse>, failure: Failure? = nil
    ) -> SessionTask? {
        dataTask(
            .put, url, parameters: parameters, headers: headers, serializer: serializer, uploadProgress: progress,
            success: success, failure: failure
        ).begun
    }

    /// PUT, begun, the JSON answer decoded.
    @discardableResult
    public func put<Value: Decodable & Sendable>(
        _ url: String, parameters: Parameters? = nil, headers: HTTPHeaders = [:],
        serializer: (any RequestSerializer)? = nil, as type: Value.Type,
        decoder: @autoclosure @escaping @Sendable () -> JSONDecoder? = nil, progress: Progress? = nil,
        success: @escaping Success<Value>, failure: Failure? = nil
    ) -> SessionTask? {
        dataTask(
            .put, url, parameters: parameters, headers: headers, serializer: serializer, as: type, decoder: decoder(),
            uploadProgress: progress, success: success, failure: failure
        ).begun
    }

    /// PUT, begun, with a serializer for the answer.
    @discardableResult
    public func put<Serializer: ResponseSerializer>(
        _ url: String, parameters: Parameters? = nil, headers: HTTPHeaders = [:],
        serializer: (any RequestSerializer)? = nil, responseSerializer: Serializer,
        progress: Progress? = nil, success: @escaping Success<Serializer.Value>, failure: Failure? = nil
    ) -> SessionTask? {
        dataTask(
            .put, url, parameters: parameters, headers: headers, serializer: serializer,
            responseSerializer: responseSerializer, uploadProgress: progress, success: success, failure: failure
        ).begun
    }

    /// PATCH, begun. Parameters become a body. `progress` is told of the body.
    @discardableResult
    public func patch(
        _ url: String, parameters: Parameters? = nil, headers: HTTPHeaders = [:],
        serializer: (any RequestSerializer)? = nil, progress: Progress? = nil,
        success: @escaping Success<DataResponse>, failure: Failure? = nil
    ) -> SessionTask? {
        dataTask(
            .patch, url, parameters: parameters, headers: headers, serializer: serializer, uploadProgress: progress,
            success: success, failure: failure
        ).begun
    }

    /// PATCH, begun, the JSON answer decoded.
    @discardableResult
    public func patch<Value: Decodable & Sendable>(
        _ url: String, parameters: Parameters? = nil, headers: HTTPHeaders = [:],
        serializer: (any RequestSerializer)? = nil, as type: Value.Type,
        decoder: @autoclosure @escaping @Sendable () -> JSONDecoder? = nil, progress: Progress? = nil,
        success: @escaping Success<Value>, failure: Failure? = nil
    ) -> SessionTask? {
        dataTask(
            .patch, url, parameters: parameters, headers: headers, serializer: serializer, as: type, decoder: decoder(),
            uploadProgress: progress, success: success, failure: failure
        ).begun
    }

    /// PATCH, begun, with a serializer for the answer.
    @discardableResult
    public func patch<Serializer: ResponseSerializer>(
        _ url: String, parameters: Parameters? = nil, headers: HTTPHeaders = [:],
        serializer: (any RequestSerializer)? = nil, responseSerializer: Serializer,
        progress: Progress? = nil, success: @escaping Success<Serializer.Value>, failure: Failure? = nil
    ) -> SessionTask? {
        dataTask(
            .patch, url, parameters: parameters, headers: headers, serializer: serializer,
            responseSerializer: responseSerializer, uploadProgress: progress, success: success, failure: failure
        ).begun
    }

    /// DELETE, begun. Parameters become a query. `progress` is told of the answer.
    @discardableResult
    public func delete(
        _ url: String, parameters: Parameters? = nil, headers: HTTPHeaders = [:],
        serializer: (any RequestSerializer)? = nil, progress: Progress? = nil,
        success: @escaping Success<DataResponse>, failure: Failure? = nil
    ) -> SessionTask? {
        dataTask(
            .delete, url, parameters: parameters, headers: headers, serializer: serializer, downloadProgress: progress,
            success: success, failure: failure
        ).begun
    }

    /// DELETE, begun, the JSON answer decoded.
    @discardableResult
    public func delete<Value: Decodable & Sendable>(
        _ url: String, parameters: Parameters? = nil, headers: HTTPHeaders = [:],
        serializer: (any RequestSerializer)? = nil, as type: Value.Type,
        decoder: @autoclosure @escaping @Sendable () -> JSONDecoder? = nil, progress: Progress? = nil,
        success: @escaping Success<Value>, failure: Failure? = nil
    ) -> SessionTask? {
        dataTask(
            .delete, url, parameters: parameters, headers: headers, serializer: serializer, as: type,
            decoder: decoder(),
            downloadProgress: progress, success: success, failure: failure
        ).begun
    }

    /// DELETE, begun, with a serializer for the answer.
    @discardableResult
    public func delete<Serializer: ResponseSerializer>(
        _ url: String, parameters: Parameters? = nil, headers: HTTPHeaders = [:],
        serializer: (any RequestSerializer)? = nil, responseSerializer: Serializer,
        progress: Progress? = nil, success: @escaping Success<Serializer.Value>, failure: Failure? = nil
    ) -> SessionTask? {
        dataTask(
            .delete, url, parameters: parameters, headers: headers, serializer: serializer,
            responseSerializer: responseSerializer, downloadProgress: progress, success: success, failure: failure
        ).begun
    }
}

extension SessionTask? {
    var begun: SessionTask? {
        self?.resume()
        return self
    }
}
