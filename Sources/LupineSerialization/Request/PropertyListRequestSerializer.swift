internal import FoundationEssentials
public import LupineCore

/// Parameters as a property list (`application/x-plist`); as a query string for the methods that ask for something.
public struct PropertyListRequestSerializer: RequestSerializer {
    /// How a property list is written.
    public enum Format: Sendable { case xml, binary }

    /// The parameters of a query, and the fields for every request.
    public var uriSerializer = HTTPRequestSerializer()
    /// XML by default.
    public var format: Format

    public init(format: Format = .xml) { self.format = format }

    /// ``uriSerializer``.
    public var formSerializer: HTTPRequestSerializer { uriSerializer }

    /// The request with the parameters in its query or as its body. Without parameters the request stays as it is; a
    /// `Content-Type` of the caller's is kept.
    ///
    /// - Throws: ``LupineError`` with `request-serialization-failed`: the parameters are no array and no object, or hold what
    ///   a property list cannot: `null`, a number beyond `Int64`, `UInt64` and `Double`, or, in XML, a control character.
    public func serialize(_ request: HTTPRequest, parameters: Parameters?) throws(LupineError) -> HTTPRequest {
        try uriSerializer.serialize(request, parameters: parameters, type: "application/x-plist", body: body)
    }

    private func body(_ parameters: Parameters) throws(LupineError) -> Data {
        let body: Data
        switch parameters.content {
        case .tree: body = try encoded(PropertyListTree(value: try parameters.tree()))
        case .encodable(let value): body = try encoded(value)
        }
        // XML 1.0 has no way to write them, not even escaped (section 2.2), and the encoder writes them as they are.
        guard format == .binary || body.allSatisfy({ $0 >= 0x20 || $0 == 0x09 || $0 == 0x0A || $0 == 0x0D }) else {
            throw LupineError(
                .requestSerializationFailed,
                "the parameters hold a control character, which a property list in XML cannot; in binary it can")
        }
        return body
    }

    private func encoded<Value: Encodable>(_ value: Value) throws(LupineError) -> Data {
        let encoder = PropertyListEncoder()
        encoder.outputFormat = format == .xml ? .xml : .binary
        do {
            return try encoder.encode(value)
        } catch {
            throw .requestSerialization(of: value, error)
        }
    }
}

/// A tree of values as an encoder of property lists is to see it.
private struct PropertyListTree: Encodable {
    let value: JSONValue

    func encode(to encoder: any Encoder) throws {
        switch value {
        case .null:
            throw EncodingError.invalidValue(
                value, .init(codingPath: encoder.codingPath, debugDescription: "a property list holds no null"))
        case .array(let elements):
            var container = encoder.unkeyedContainer()
            for element in elements { try container.encode(PropertyListTree(value: element)) }
        case .object(let object):
            var container = encoder.container(keyedBy: MemberName.self)
            for member in object {
                try container.encode(
                    PropertyListTree(value: member.value), forKey: MemberName(stringValue: member.name))
            }
        case .number(let number):
            var container = encoder.singleValueContainer()
            switch number.storage {
            case .int(let value): try container.encode(value)
            case .uint(let value): try container.encode(value)
            case .literal(let text):
                guard let double = number.double else {
                    throw EncodingError.invalidValue(
                        value, .init(codingPath: encoder.codingPath, debugDescription: "\(text) is no Double"))
                }
                try container.encode(double)
            }
        case .bool, .string: try value.encode(to: encoder)
        }
    }
}
