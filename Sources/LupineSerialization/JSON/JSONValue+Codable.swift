public import FoundationEssentials
public import LupineCore

extension JSONValue {
    /// The value that a `JSONEncoder` makes of another.
    ///
    /// - Parameter encoder: a new one for each call, by default with sorted keys, because a `JSONEncoder` keeps
    ///   no other order of members.
    /// - Throws: ``LupineError`` with `request-serialization-failed`, the cause in its `underlying`.
    public init(
        encoding value: some Encodable, encoder: @autoclosure () -> JSONEncoder = .sortingKeys
    ) throws(LupineError) {
        if let value = value as? JSONValue {
            self = value
            return
        }
        do {
            try self.init(parsing: try encoder().encode(value))
        } catch {
            throw .requestSerialization(of: value, error)
        }
    }
}

extension JSONEncoder {
    /// A new encoder that writes members in the order of their names.
    public static var sortingKeys: JSONEncoder {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        return encoder
    }
}

extension JSONValue: Encodable {
    /// Writes the value with any encoder. A number with more digits than a `Double` keeps goes as `Decimal`, which
    /// `JSONEncoder` writes as a number.
    ///
    /// - Throws: `EncodingError` for a number beyond both.
    public func encode(to encoder: any Encoder) throws {
        switch self {
        case .null:
            var container = encoder.singleValueContainer()
            try container.encodeNil()
        case .bool(let value): try value.encode(to: encoder)
        case .number(let value): try value.encode(to: encoder)
        case .string(let value): try value.encode(to: encoder)
        case .array(let elements):
            var container = encoder.unkeyedContainer()
            for element in elements { try container.encode(element) }
        case .object(let object):
            var container = encoder.container(keyedBy: MemberName.self)
            for member in object { try container.encode(member.value, forKey: MemberName(stringValue: member.name)) }
        }
    }
}

extension JSONValue: Decodable {
    /// Reads whatever a decoder holds. Order of members and digits of numbers are what the decoder gives:
    /// `JSONDecoder` keeps no order and rounds to `Double`. ``init(parsing:maximumDepth:)`` keeps both.
    public init(from decoder: any Decoder) throws {
        if let container = try? decoder.container(keyedBy: MemberName.self) {
            self = .object(
                JSONObject(
                    members: try container.allKeys.map {
                        JSONObject.Member(name: $0.stringValue, value: try container.decode(JSONValue.self, forKey: $0))
                    }))
        } else if var container = try? decoder.unkeyedContainer() {
            var elements: [JSONValue] = []
            while !container.isAtEnd { elements.append(try container.decode(JSONValue.self)) }
            self = .array(elements)
        } else {
            try self.init(scalarFrom: try decoder.singleValueContainer())
        }
    }

    private init(scalarFrom container: any SingleValueDecodingContainer) throws {
        if container.decodeNil() {
            self = .null
        } else if let value = try? container.decode(Bool.self) {
            self = .bool(value)
        } else if let value = try? container.decode(String.self) {
            self = .string(value)
        } else {
            self = .number(try JSONNumber(from: container))
        }
    }
}

extension JSONNumber: Codable {
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch storage {
        case .int(let value): try container.encode(value)
        case .uint(let value): try container.encode(value)
        case .literal(let text):
            let digits = DecimalDigits(text)
            if let double, DecimalDigits(double.description) == digits {
                try container.encode(double)
            } else if let decimal = Decimal(string: text), DecimalDigits(decimal.description) == digits {
                try container.encode(decimal)
            } else {
                throw EncodingError.invalidValue(
                    self, .init(codingPath: encoder.codingPath, debugDescription: "\(text) fits no number of Swift's"))
            }
        }
    }

    public init(from decoder: any Decoder) throws {
        try self.init(from: try decoder.singleValueContainer())
    }

    init(from container: any SingleValueDecodingContainer) throws {
        if let value = try? container.decode(Int64.self) {
            self.init(value)
        } else if let value = try? container.decode(UInt64.self) {
            self.init(value)
        } else if let number = JSONNumber(try container.decode(Double.self)) {
            self = number
        } else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "JSON writes only finite numbers")
        }
    }
}

/// A member's name where a coder wants a key.
struct MemberName: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }

    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { return nil }
}
