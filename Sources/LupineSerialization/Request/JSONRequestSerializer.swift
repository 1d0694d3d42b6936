public import FoundationEssentials
public import LupineCore

/// Parameters as a JSON body (`application/json`); as a query string for the methods that ask for something.
public struct JSONRequestSerializer: RequestSerializer {
    /// The parameters of a query, and the fields for every request.
    public var uriSerializer = HTTPRequestSerializer()
    /// How the tree of values is written. In one line, members in their own order, by default.
    public var writingOptions: JSONWritingOptions
    /// Makes the encoder for an `Encodable` in the body, which is sent as the encoder writes it.
    public var encoder: @Sendable () -> JSONEncoder

    /// - Parameter encoder: a new one for each request.
    public init(
        writingOptions: JSONWritingOptions = [],
        encoder: @autoclosure @escaping @Sendable () -> JSONEncoder = JSONEncoder()
    ) {
        self.writingOptions = writingOptions
        self.encoder = encoder
    }

    /// ``uriSerializer``.
    public var formSerializer: HTTPRequestSerializer { uriSerializer }

    /// The request with the parameters in its query or as its body. Without parameters the request stays as it is; a
    /// `Content-Type` of the caller's is kept. Any value can be a body, also one that is no array and no object.
    ///
    /// - Throws: ``LupineError`` with `request-serialization-failed`: parameters for a query that are no object, values that
    ///   JSON cannot write (a number that is none), parts that lie too deep in each other.
    public func serialize(_ request: HTTPRequest, parameters: Parameters?) throws(LupineError) -> HTTPRequest {
        try uriSerializer.serialize(request, parameters: parameters, type: "application/json", body: body)
    }

    private func body(_ parameters: Parameters) throws(LupineError) -> Data {
        switch parameters.content {
        case .tree: return Data(try parameters.tree().serializedBytes(options: writingOptions))
        case .encodable(let value):
            do {
                return try encoder().encode(value)
            } catch {
                throw .requestSerialization(of: value, error)
            }
        }
    }
}
