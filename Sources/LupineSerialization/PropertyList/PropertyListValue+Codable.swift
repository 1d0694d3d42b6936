internal import FoundationEssentials

extension PropertyListValue: Encodable {
    /// Writes the value with any encoder.
    ///
    /// - Throws: `EncodingError` for an integer beyond 64 bits and for a reference of a keyed archive.
    public func encode(to encoder: any Encoder) throws {
        switch self {
        case .array(let elements):
            var container = encoder.unkeyedContainer()
            for element in elements { try container.encode(element) }
        case .dictionary(let members):
            var container = encoder.container(keyedBy: MemberName.self)
            for (name, value) in members { try container.encode(value, forKey: MemberName(stringValue: name)) }
        case .bool(let value): try value.encode(to: encoder)
        case .real(let value): try value.encode(to: encoder)
        case .string(let value): try value.encode(to: encoder)
        // In a container of the encoder's: by themselves they would be written as numbers.
        case .date(let value):
            var container = encoder.singleValueContainer()
            try container.encode(value)
        case .data(let value):
            var container = encoder.singleValueContainer()
            try container.encode(value)
        case .integer(let value):
            if let signed = Int64(exactly: value) { return try signed.encode(to: encoder) }
            if let unsigned = UInt64(exactly: value) { return try unsigned.encode(to: encoder) }
            throw fault("\(value) is beyond the integers of 64 bits", encoder)
        case .uid: throw fault("a reference of a keyed archive, which no encoder writes", encoder)
        }
    }

    private func fault(_ reason: String, _ encoder: any Encoder) -> EncodingError {
        EncodingError.invalidValue(self, .init(codingPath: encoder.codingPath, debugDescription: reason))
    }
}

extension PropertyListValue: Decodable {
    /// Reads whatever a decoder of property lists holds. It does not tell a real number that is whole from an integer, which
    /// ``init(parsing:)`` does.
    public init(from decoder: any Decoder) throws {
        if let container = try? decoder.container(keyedBy: MemberName.self) {
            var members: [String: PropertyListValue] = [:]
            for key in container.allKeys {
                members[key.stringValue] = try container.decode(PropertyListValue.self, forKey: key)
            }
            self = .dictionary(members)
        } else if var container = try? decoder.unkeyedContainer() {
            var elements: [PropertyListValue] = []
            while !container.isAtEnd { elements.append(try container.decode(PropertyListValue.self)) }
            self = .array(elements)
        } else {
            self = try Self.scalar(try decoder.singleValueContainer())
        }
    }

    private static func scalar(_ container: any SingleValueDecodingContainer) throws -> PropertyListValue {
        if let value = try? container.decode(Bool.self) { return .bool(value) }
        if let value = try? container.decode(Int64.self) { return .integer(Int128(value)) }
        if let value = try? container.decode(UInt64.self) { return .integer(Int128(value)) }
        if let value = try? container.decode(Double.self) { return .real(value) }
        if let value = try? container.decode(String.self) { return .string(value) }
        if let value = try? container.decode(Date.self) { return .date(value) }
        return .data(try container.decode(Data.self))
    }
}

extension JSONValue {
    /// A property list as JSON: dates as `2024-02-29T12:00:00Z`, bytes in Base64, members by name. What JSON has no number for
    /// is a string: `nan`, `inf`, and dates beyond the years 0 to 9999, in seconds since 1970.
    public init(_ list: PropertyListValue) {
        switch list {
        case .bool(let value): self = .bool(value)
        case .integer(let value): self = JSONValue(value)
        case .real(let value): self = JSONNumber(value).map(JSONValue.number) ?? .string("\(value)")
        case .string(let value): self = .string(value)
        case .date(let value): self = .string(value.propertyListText ?? "\(value.timeIntervalSince1970)")
        case .data(let value): self = .string(value.base64EncodedString())
        case .array(let elements): self = .array(elements.map { JSONValue($0) })
        case .dictionary(let members):
            self = .object(
                JSONObject(
                    members.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }.map {
                        JSONObject.Member(name: $0.key, value: JSONValue($0.value))
                    }))
        case .uid(let number): self = ["CF$UID": JSONValue(number)]
        }
    }
}
