internal import FoundationEssentials
public import LupineCore

/// Puts parameters into a request: into its URL's query or its body, as its method and the serializer have it.
public protocol RequestSerializer: Sendable {
    /// The request with the parameters in it.
    ///
    /// - Parameter parameters: `nil`: there are none.
    /// - Throws: ``LupineError`` with `request-serialization-failed`.
    func serialize(_ request: HTTPRequest, parameters: Parameters?) throws(LupineError) -> HTTPRequest

    /// By whose rules parameters become fields of a form of parts. AFNetworking's by default; one that wraps another gives that
    /// one's.
    var formSerializer: HTTPRequestSerializer { get }
}

extension RequestSerializer {
    public var formSerializer: HTTPRequestSerializer { HTTPRequestSerializer() }
}

extension LupineError {
    /// A value that could not be encoded.
    static func requestSerialization<Value>(of value: Value, _ cause: any Error) -> LupineError {
        LupineError(
            .requestSerializationFailed, "a \(Value.self) cannot be encoded: \(cause.codingReason())", underlying: cause
        )
    }
}

extension HTTPRequest {
    /// Adds the fields that the request has not.
    mutating func addMissing(_ fields: HTTPHeaders) {
        for field in fields where !headers.contains(field.name) { headers.add(name: field.name, value: field.value) }
    }

    /// Gives the request a body that a serializer made, with its type unless the caller has stated one.
    mutating func setBody(_ body: HTTPBody, type: String) {
        self.body = body
        setContentTypeIfAbsent(type)
    }

    mutating func setContentTypeIfAbsent(_ type: String) {
        if !headers.contains("Content-Type") { headers.add(name: "Content-Type", value: type) }
    }
}
