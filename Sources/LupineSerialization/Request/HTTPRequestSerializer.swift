public import LupineCore
internal import FoundationEssentials

/// Parameters as a query string: in the URL for the methods that ask for something, in an
/// `application/x-www-form-urlencoded` body for the others.
///
/// As AFNetworking's serializer of that name; the rules of the query string are ``QueryEncoding``'s.
public struct HTTPRequestSerializer: RequestSerializer {
    /// The methods whose parameters go into the URL, compared without regard to case. GET, HEAD and DELETE by default.
    public var methodsEncodingParametersInURI: Set<HTTPMethod> = [.get, .head, .delete]
    /// How parameters become a query string.
    public var queryEncoding = QueryEncoding()

    public init() {}

    /// The request with the parameters in its query or its body.
    ///
    /// In the URL they follow the query that is there; without parameters the URL stays as it is. A body replaces the
    /// request's own; without parameters it stays, but a request that expects a body and has none gets the content
    /// type of an empty form, as with AFNetworking. A `Content-Type` of the caller's is kept.
    ///
    /// - Throws: ``LupineError`` with `request-serialization-failed`: the parameters are no object.
    public func serialize(_ request: HTTPRequest, parameters: Parameters?) throws(LupineError) -> HTTPRequest {
        var request = request
        if encodesInURI(request.method) {
            guard let query = try query(parameters) else { return request }
            request.url = try request.url.addingQuery(query)
            return request
        }
        if let query = try query(parameters) {
            request.body = .text(query)
        } else if !request.body.isEmpty || !request.method.expectsBody {
            return request
        }
        request.headers.setContentTypeIfAbsent("application/x-www-form-urlencoded")
        return request
    }

    /// Whether the parameters of a method go into the URL.
    func encodesInURI(_ method: HTTPMethod) -> Bool {
        methodsEncodingParametersInURI.contains { $0.rawValue.equalsIgnoringASCIICase(method.rawValue) }
    }

    private func query(_ parameters: Parameters?) throws(LupineError) -> String? {
        guard let parameters, !parameters.isNull else { return nil }
        let query = try queryEncoding.string(from: parameters)
        return query.isEmpty ? nil : query
    }
}

extension HTTPHeaders {
    /// States the type of a body that a serializer made, unless the caller has stated one.
    mutating func setContentTypeIfAbsent(_ value: String) {
        if !contains("Content-Type") { add(name: "Content-Type", value: value) }
    }
}
