public import FoundationEssentials
public import LupineCore

/// Parameters as a JSON body (`application/json`); as a query string for the methods that ask for something.
public struct JSONRequestSerializer: RequestSerializer {
    /// The methods whose parameters go into the URL, compared without regard to case. GET, HEAD and DELETE by default.
    public var methodsEncodingParametersInURI: Set<HTTPMethod> {
        get { uriSerializer.methodsEncodingParametersInURI }
        set { uriSerializer.methodsEncodingParametersInURI = newValue }
    }
    /// How parameters become a query string.
    public var queryEncoding: QueryEncoding {
        get { uriSerializer.queryEncoding }
        set { uriSerializer.queryEncoding = newValue }
    }
    /// How the body is written. In one line, members in their own order, by default.
    public var writingOptions: JSONWritingOptions

    private var uriSerializer = HTTPRequestSerializer()

    public init(writingOptions: JSONWritingOptions = []) { self.writingOptions = writingOptions }

    /// The request with the parameters in its query or as its body. Without parameters the request stays as it is; a
    /// `Content-Type` of the caller's is kept. Any value can be a body, also one that is no array and no object.
    ///
    /// - Throws: ``LupineError`` with `request-serialization-failed`: parameters for a query that are no object.
    public func serialize(_ request: HTTPRequest, parameters: Parameters?) throws(LupineError) -> HTTPRequest {
        if uriSerializer.encodesInURI(request.method) {
            return try uriSerializer.serialize(request, parameters: parameters)
        }
        guard let parameters else { return request }
        return Self.adding(Data(parameters.serializedBytes(options: writingOptions)), to: request)
    }

    /// The request with an `Encodable` as its JSON body, whatever its method, as the encoder writes it. A `Content-Type`
    /// of the caller's is kept.
    ///
    /// - Parameter encoder: a new one for each call.
    /// - Throws: ``LupineError`` with `request-serialization-failed`, the cause in its `underlying`.
    public static func serialize(
        _ request: HTTPRequest, body: some Encodable, encoder: @autoclosure () -> JSONEncoder = JSONEncoder()
    ) throws(LupineError) -> HTTPRequest {
        let data: Data
        do {
            data = try encoder().encode(body)
        } catch {
            throw .requestSerialization(of: body, error)
        }
        return adding(data, to: request)
    }

    private static func adding(_ body: Data, to request: HTTPRequest) -> HTTPRequest {
        var request = request
        request.body = .bytes(body)
        request.headers.setContentTypeIfAbsent("application/json")
        return request
    }
}
