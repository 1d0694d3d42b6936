public import LupineCore
public import LupineSerialization

// Each verb in AFNetworking's form: raw, and decoded.
extension HTTPSessionManager {
    /// GET, begun. Parameters become a query. `progress` is told of the answer.
    @discardableResult
    public func get(
        _ url: String, parameters: Parameters? = nil, headers: HTTPHeaders = [:], progress: Progress? = nil,
        success: @escaping Success<DataResponse>, failure: Failure? = nil
    ) -> SessionTask? {
        dataTask(
            .get, url, parameters: parameters, headers: headers, downloadProgress: progress, success: success,
            failure: failure
        ).begun
    }

    /// GET, begun, the JSON answer decoded. `progress` is told of the answer.
    @discardableResult
    public func get<Value: Decodable & Sendable>(
        _ url: String, parameters: Parameters? = nil, headers: HTTPHeaders = [:], as type: Value.Type,
        progress: Progress? = nil,
        success: @escaping Success<Value>, failure: Failure? = nil
    ) -> SessionTask? {
        dataTask(
            .get, url, parameters: parameters, headers: headers, as: type, downloadProgress: progress, success: success,
            failure: failure
        ).begun
    }

    /// HEAD, begun. Parameters become a query.
    @discardableResult
    public func head(
        _ url: String, parameters: Parameters? = nil, headers: HTTPHeaders = [:],
        success: @escaping Success<DataResponse>, failure: Failure? = nil
    ) -> SessionTask? {
        dataTask(
            .head, url, parameters: parameters, headers: headers, success: success, failure: failure
        ).begun
    }

    /// POST, begun. Parameters become a body. `progress` is told of the body.
    @discardableResult
    public func post(
        _ url: String, parameters: Parameters? = nil, headers: HTTPHeaders = [:], progress: Progress? = nil,
        success: @escaping Success<DataResponse>, failure: Failure? = nil
    ) -> SessionTask? {
        dataTask(
            .post, url, parameters: parameters, headers: headers, uploadProgress: progress, success: success,
            failure: failure
        ).begun
    }

    /// POST, begun, the JSON answer decoded. `progress` is told of the body.
    @discardableResult
    public func post<Value: Decodable & Sendable>(
        _ url: String, parameters: Parameters? = nil, headers: HTTPHeaders = [:], as type: Value.Type,
        progress: Progress? = nil,
        success: @escaping Success<Value>, failure: Failure? = nil
    ) -> SessionTask? {
        dataTask(
            .post, url, parameters: parameters, headers: headers, as: type, uploadProgress: progress, success: success,
            failure: failure
        ).begun
    }

    /// PUT, begun. Parameters become a body.
    @discardableResult
    public func put(
        _ url: String, parameters: Parameters? = nil, headers: HTTPHeaders = [:],
        success: @escaping Success<DataResponse>, failure: Failure? = nil
    ) -> SessionTask? {
        dataTask(
            .put, url, parameters: parameters, headers: headers, success: success, failure: failure
        ).begun
    }

    /// PUT, begun, the JSON answer decoded.
    @discardableResult
    public func put<Value: Decodable & Sendable>(
        _ url: String, parameters: Parameters? = nil, headers: HTTPHeaders = [:], as type: Value.Type,
        success: @escaping Success<Value>, failure: Failure? = nil
    ) -> SessionTask? {
        dataTask(
            .put, url, parameters: parameters, headers: headers, as: type, success: success, failure: failure
        ).begun
    }

    /// PATCH, begun. Parameters become a body.
    @discardableResult
    public func patch(
        _ url: String, parameters: Parameters? = nil, headers: HTTPHeaders = [:],
        success: @escaping Success<DataResponse>, failure: Failure? = nil
    ) -> SessionTask? {
        dataTask(
            .patch, url, parameters: parameters, headers: headers, success: success, failure: failure
        ).begun
    }

    /// PATCH, begun, the JSON answer decoded.
    @discardableResult
    public func patch<Value: Decodable & Sendable>(
        _ url: String, parameters: Parameters? = nil, headers: HTTPHeaders = [:], as type: Value.Type,
        success: @escaping Success<Value>, failure: Failure? = nil
    ) -> SessionTask? {
        dataTask(
            .patch, url, parameters: parameters, headers: headers, as: type, success: success, failure: failure
        ).begun
    }

    /// DELETE, begun. Parameters become a query.
    @discardableResult
    public func delete(
        _ url: String, parameters: Parameters? = nil, headers: HTTPHeaders = [:],
        success: @escaping Success<DataResponse>, failure: Failure? = nil
    ) -> SessionTask? {
        dataTask(
            .delete, url, parameters: parameters, headers: headers, success: success, failure: failure
        ).begun
    }

    /// DELETE, begun, the JSON answer decoded.
    @discardableResult
    public func delete<Value: Decodable & Sendable>(
        _ url: String, parameters: Parameters? = nil, headers: HTTPHeaders = [:], as type: Value.Type,
        success: @escaping Success<Value>, failure: Failure? = nil
    ) -> SessionTask? {
        dataTask(
            .delete, url, parameters: parameters, headers: headers, as: type, success: success, failure: failure
        ).begun
    }
}

extension SessionTask? {
    var begun: SessionTask? {
        self?.resume()
        return self
    }
}
