public import FoundationEssentials
public import LupineCore

/// Parameters as a query string: in the URL for the methods that ask for something, in an
/// `application/x-www-form-urlencoded` body for the others.
///
/// As AFNetworking's serializer of that name; the rules of the query string are ``QueryEncoding``'s.
public struct HTTPRequestSerializer: RequestSerializer {
    /// The methods whose parameters go into the URL, compared without regard to case. GET, HEAD and DELETE by default.
    public var methodsEncodingParametersInURI: Set<HTTPMethod> = [.get, .head, .delete]
    /// How parameters become a query string.
    public var queryEncoding = QueryEncoding()
    /// Instead of ``queryEncoding``, for the URL and for the body: what it gives is taken as it is. The request fails with
    /// what it throws, where that is a ``LupineError``; else with `request-serialization-failed`, and that as its `underlying`.
    public var queryStringSerialization: (@Sendable (HTTPRequest, Parameters) throws -> String)?
    /// Fields for requests that have none of their name. None by default. Where they are a session's with a base URL, secrets among
    /// them are for its origin alone.
    public var headers = HTTPHeaders()
    /// Makes the encoder for an `Encodable`, whose strategies say how dates, data and keys are written. With sorted keys by
    /// default.
    public var encoder: @Sendable () -> JSONEncoder = { .sortingKeys }

    public init() {}

    /// Itself.
    public var formSerializer: HTTPRequestSerializer { self }

    /// The request with the parameters in its query or its body.
    ///
    /// In the URL they follow the query that is there; without parameters the URL stays as it is. A body replaces the
    /// request's own; without parameters it stays, but a request that expects a body and has none gets the content
    /// type of an empty form, as with AFNetworking. A `Content-Type` of the caller's is kept.
    ///
    /// - Throws: ``LupineError`` with `request-serialization-failed`: the parameters are no object, or cannot be encoded.
    public func serialize(_ request: HTTPRequest, parameters: Parameters?) throws(LupineError) -> HTTPRequest {
        var request = request
        request.addMissing(headers)
        guard parameters != nil || request.method.expectsBody else { return request }
        if encodesInURI(request.method) {
            guard let query = try query(parameters, of: request) else { return request }
            request.url = try request.url.addingQuery(query)
            return request
        }
        if let query = try query(parameters, of: request) {
            request.setBody(.text(query), type: Self.contentType)
        } else if request.body.isEmpty, request.method.expectsBody {
            request.setContentTypeIfAbsent(Self.contentType)
        }
        return request
    }

    /// For serializers whose bodies are no forms: the parameters of what asks for something go into the URL, those of the rest
    /// become the body that `body` makes.
    func serialize(
        _ request: HTTPRequest, parameters: Parameters?, type: String,
        body: (Parameters) throws(LupineError) -> Data
    ) throws(LupineError) -> HTTPRequest {
        if encodesInURI(request.method) { return try serialize(request, parameters: parameters) }
        var request = request
        request.addMissing(headers)
        if let parameters { request.setBody(.bytes(try body(parameters)), type: type) }
        return request
    }

    private static let contentType = "application/x-www-form-urlencoded"

    /// Whether the parameters of a method go into the URL.
    func encodesInURI(_ method: HTTPMethod) -> Bool {
        methodsEncodingParametersInURI.contains { $0.rawValue.equalsIgnoringASCIICase(method.rawValue) }
    }

    private func query(_ parameters: Parameters?, of request: HTTPRequest) throws(LupineError) -> String? {
        guard let parameters else { return nil }
        let query: String
        if let queryStringSerialization {
            do {
                query = try queryStringSerialization(request, parameters)
            } catch {
                throw error as? LupineError
                    ?? LupineError(
                        .requestSerializationFailed, "the parameters cannot be made a query: \(error.onOneLine)",
                        underlying: error)
            }
        } else {
            let tree = try parameters.tree(encoder: encoder())
            guard !tree.isNull else { return nil }
            query = try queryEncoding.string(from: tree)
        }
        return query.isEmpty ? nil : query
    }
}
