public import FoundationEssentials
public import LupineCore
public import LupineSerialization

// What AFNetworking's users change on a manager's serializer while it is in use. Each from any thread; a request that is being
// made has all of it as it was at one moment.
extension HTTPSessionManager {
    /// How parameters enter a request. ``HTTPRequestSerializer`` by default: query, or form. Replaced for all requests to come.
    public var requestSerializer: any RequestSerializer {
        get { settings.requestSerializer }
        set { change { $0.requestSerializer = newValue } }
    }

    /// How answers are checked: their status, and their content type. Any type by default. Replaced for all requests to come, and
    /// it goes with those already made as it was.
    ///
    /// The forms that decode JSON accept the types of ``ContentTypeSet/json`` where this accepts any, else these:
    ///
    /// ```swift
    /// var types = ContentTypeSet.json
    /// types.insert("text/html")
    /// api.responseSerializer.acceptableContentTypes = types
    /// ```
    public var responseSerializer: HTTPResponseSerializer {
        get { settings.responseSerializer }
        set { change { $0.responseSerializer = newValue } }
    }

    /// The status codes that are no failure: ``responseSerializer``'s. 200 to 299 by default; `nil`: any.
    public var acceptableStatuses: StatusSet? {
        get { responseSerializer.acceptableStatuses }
        set { change { $0.responseSerializer.acceptableStatuses = newValue } }
    }

    /// Makes the decoder of each answer that is decoded, where the call brings none. A new `JSONDecoder` by default.
    public var decoder: @Sendable () -> JSONDecoder {
        get { settings.decoder }
        set { change { $0.decoder = newValue } }
    }

    /// What decodes an answer by the session's settings as they are now.
    func decoding<Value: Decodable & Sendable>(
        _ type: Value.Type, _ decoder: @escaping @Sendable () -> JSONDecoder?
    ) -> DecodableResponseSerializer<Value> {
        let settings = settings
        return DecodableResponseSerializer(
            type, acceptableStatuses: settings.responseSerializer.acceptableStatuses,
            acceptableContentTypes: settings.responseSerializer.acceptableContentTypes ?? .json,
            decoder: decoder() ?? settings.decoder())
    }

    /// Fields for every request, unless it is given one of their name. They go before the configuration's. None at first.
    ///
    /// With a base URL, those that may be secrets (``HTTPHeader/isSecret``) are for its origin alone: a request that is
    /// given an absolute URL elsewhere goes without.
    public var headers: HTTPHeaders {
        get { settings.headers }
        set { change { $0.headers = newValue } }
    }

    /// The value of a field for every request.
    public func value(forHTTPHeaderField name: String) -> String? { headers[name] }

    /// Sets a field for every request; `nil` removes it.
    public func setValue(_ value: String?, forHTTPHeaderField name: String) {
        change { $0.headers[name] = value }
    }

    /// Has every request authorized by the Basic scheme (RFC 7617). See ``headers``.
    public func setAuthorizationHeaderField(username: String, password: String) {
        change { $0.headers.update(.authorization(username: username, password: password)) }
    }

    /// Has every request authorized by the Bearer scheme (RFC 6750). See ``headers``.
    public func setAuthorizationHeaderField(bearerToken: String) {
        change { $0.headers.update(.authorization(bearerToken: bearerToken)) }
    }

    /// No longer authorizes requests.
    public func clearAuthorizationHeader() { setValue(nil, forHTTPHeaderField: "Authorization") }
}
