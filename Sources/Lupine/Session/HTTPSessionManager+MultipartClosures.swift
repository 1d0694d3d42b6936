public import LupineCore
public import LupineSerialization

// Forms of parts in AFNetworking's form, raw and decoded. All are `uploadTask` with the method filled in, and begun.
extension HTTPSessionManager {
    /// A form, by POST unless told otherwise, begun. `progress` is told of the body.
    @discardableResult
    public func upload(
        _ url: String, method: HTTPMethod = .post, parameters: Parameters? = nil, headers: HTTPHeaders = [:],
        multipart: FormMaker,
        progress: Progress? = nil, success: @escaping Success<DataResponse>, failure: Failure? = nil
    ) -> SessionTask? {
        uploadTask(
            method, url, parameters: parameters, headers: headers, multipart: multipart, progress: progress,
            success: success, failure: failure
        ).begun
    }

    /// A form, begun, the JSON answer decoded. `progress` is told of the body.
    @discardableResult
    public func upload<Value: Decodable & Sendable>(
        _ url: String, method: HTTPMethod = .post, parameters: Parameters? = nil, headers: HTTPHeaders = [:],
        as type: Value.Type,
        multipart: FormMaker, progress: Progress? = nil, success: @escaping Success<Value>, failure: Failure? = nil
    ) -> SessionTask? {
        uploadTask(
            method, url, parameters: parameters, headers: headers, as: type, multipart: multipart,
            progress: progress, success: success, failure: failure
        ).begun
    }

    /// POST with a form, begun. `progress` is told of the body.
    @discardableResult
    public func post(
        _ url: String, parameters: Parameters? = nil, headers: HTTPHeaders = [:], multipart: FormMaker,
        progress: Progress? = nil, success: @escaping Success<DataResponse>, failure: Failure? = nil
    ) -> SessionTask? {
        uploadTask(
            .post, url, parameters: parameters, headers: headers, multipart: multipart, progress: progress,
            success: success, failure: failure
        ).begun
    }

    /// POST with a form, begun, the JSON answer decoded. `progress` is told of the body.
    @discardableResult
    public func post<Value: Decodable & Sendable>(
        _ url: String, parameters: Parameters? = nil, headers: HTTPHeaders = [:], as type: Value.Type,
        multipart: FormMaker, progress: Progress? = nil, success: @escaping Success<Value>, failure: Failure? = nil
    ) -> SessionTask? {
        uploadTask(
            .post, url, parameters: parameters, headers: headers, as: type, multipart: multipart,
            progress: progress, success: success, failure: failure
        ).begun
    }

    /// PUT with a form, begun. `progress` is told of the body.
    @discardableResult
    public func put(
        _ url: String, parameters: Parameters? = nil, headers: HTTPHeaders = [:], multipart: FormMaker,
        progress: Progress? = nil, success: @escaping Success<DataResponse>, failure: Failure? = nil
    ) -> SessionTask? {
        uploadTask(
            .put, url, parameters: parameters, headers: headers, multipart: multipart, progress: progress,
            success: success, failure: failure
        ).begun
    }

    /// PUT with a form, begun, the JSON answer decoded. `progress` is told of the body.
    @discardableResult
    public func put<Value: Decodable & Sendable>(
        _ url: String, parameters: Parameters? = nil, headers: HTTPHeaders = [:], as type: Value.Type,
        multipart: FormMaker, progress: Progress? = nil, success: @escaping Success<Value>, failure: Failure? = nil
    ) -> SessionTask? {
        uploadTask(
            .put, url, parameters: parameters, headers: headers, as: type, multipart: multipart,
            progress: progress, success: success, failure: failure
        ).begun
    }

    /// PATCH with a form, begun. `progress` is told of the body.
    @discardableResult
    public func patch(
        _ url: String, parameters: Parameters? = nil, headers: HTTPHeaders = [:], multipart: FormMaker,
        progress: Progress? = nil, success: @escaping Success<DataResponse>, failure: Failure? = nil
    ) -> SessionTask? {
        uploadTask(
            .patch, url, parameters: parameters, headers: headers, multipart: multipart, progress: progress,
            success: success, failure: failure
        ).begun
    }

    /// PATCH with a form, begun, the JSON answer decoded. `progress` is told of the body.
    @discardableResult
    public func patch<Value: Decodable & Sendable>(
        _ url: String, parameters: Parameters? = nil, headers: HTTPHeaders = [:], as type: Value.Type,
        multipart: FormMaker, progress: Progress? = nil, success: @escaping Success<Value>, failure: Failure? = nil
    ) -> SessionTask? {
        uploadTask(
            .patch, url, parameters: parameters, headers: headers, as: type, multipart: multipart,
            progress: progress, success: success, failure: failure
        ).begun
    }

    /// A form of these parts, after the parameters as fields, begun. `progress` is told of the body.
    @discardableResult
    public func upload(
        _ url: String, method: HTTPMethod = .post, parts: [UploadPart], parameters: Parameters? = nil,
        headers: HTTPHeaders = [:], progress: Progress? = nil, success: @escaping Success<DataResponse>,
        failure: Failure? = nil
    ) -> SessionTask? {
        uploadTask(
            method, url, parameters: parameters, headers: headers,
            multipart: { form in for part in parts { try form.append(part) } }, progress: progress, success: success,
            failure: failure
        ).begun
    }
}
