public import FoundationEssentials
public import LupineCore

/// A serializer whose value becomes another. See ``ResponseSerializer/map(_:)``.
public struct MappedResponseSerializer<Base: ResponseSerializer, Value: Sendable>: ResponseSerializer {
    /// What makes the first value.
    public var base: Base
    private let transform: @Sendable (Base.Value) throws -> Value

    init(base: Base, transform: @escaping @Sendable (Base.Value) throws -> Value) {
        self.base = base
        self.transform = transform
    }

    /// - Throws: ``LupineError`` as the base; with `response-serialization-failed` for what the closure throws, which is its
    ///   `underlying`.
    public func serialize(_ data: Data, response: HTTPResponse, request: HTTPRequest) throws(LupineError) -> Value {
        let value = try base.serialize(data, response: response, request: request)
        do {
            return try transform(value)
        } catch {
            throw .response(
                .responseSerializationFailed, "answered with what is no \(Value.self): \(error.onOneLine)",
                data: data,
                response: response, request: request, underlying: error)
        }
    }
}

extension ResponseSerializer {
    /// A serializer that makes another value of this one's: to check it, to unwrap it, or to have members of one type for a
    /// ``CompoundResponseSerializer``.
    public func map<Other: Sendable>(
        _ transform: @escaping @Sendable (Value) throws -> Other
    ) -> MappedResponseSerializer<Self, Other> {
        MappedResponseSerializer(base: self, transform: transform)
    }

    /// A serializer that gives `nil` for an answer without content where this one needs some: to HEAD, with 204 or 205, with a
    /// body that is empty or white space alone. A status that this one refuses is refused.
    public var optional: OptionalResponseSerializer<Self> { OptionalResponseSerializer(base: self) }
}
