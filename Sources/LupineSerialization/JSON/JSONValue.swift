public import LupineCore

/// A JSON text as a value (RFC 8259): what was read is what is written again, number for number and member by member.
///
/// ```swift
/// let value: JSONValue = ["title": "Hi", "tags": ["a", "b"], "n": 1]
/// value["tags"]?[0]?.stringValue      // "a"
/// ```
///
/// One that a program nests by itself has no limit of depth but the stack: tens of thousands of arrays in each other are too many for
/// it when they are released. What is read is never that deep.
public enum JSONValue: Hashable, Sendable {
    case null
    case bool(Bool)
    case number(JSONNumber)
    case string(String)
    case array([JSONValue])
    case object(JSONObject)
}

extension JSONValue {
    /// A string.
    public init(_ value: String) { self = .string(value) }
    /// `true` or `false`.
    public init(_ value: Bool) { self = .bool(value) }
    /// A whole number of any width.
    public init(_ value: some BinaryInteger) { self = .number(JSONNumber(value)) }
    /// A number.
    ///
    /// - Throws: ``LupineError`` with `request-serialization-failed` for one that JSON cannot write: not a number, an
    ///   infinity (RFC 8259 section 6).
    public init(_ value: Double) throws(LupineError) {
        guard let number = JSONNumber(value) else {
            throw LupineError(.requestSerializationFailed, "JSON has no \(value): it writes finite numbers only")
        }
        self = .number(number)
    }
    /// An array.
    public init(_ elements: [JSONValue]) { self = .array(elements) }
    /// An object.
    public init(_ object: JSONObject) { self = .object(object) }
}

extension JSONValue {
    /// The value of an object's member. `nil`: no object, or no such member.
    public subscript(name: String) -> JSONValue? {
        guard case .object(let object) = self else { return nil }
        return object[name]
    }

    /// An array's element, counted from 0. `nil`: no array, or none at that index.
    public subscript(index: Int) -> JSONValue? {
        guard case .array(let elements) = self, elements.indices.contains(index) else { return nil }
        return elements[index]
    }

    /// Whether this is `null`.
    public var isNull: Bool { self == .null }

    /// The boolean. `nil`: something else.
    public var boolValue: Bool? {
        if case .bool(let value) = self { value } else { nil }
    }

    /// The number with every digit it was written with. `nil`: something else.
    public var numberValue: JSONNumber? {
        if case .number(let value) = self { value } else { nil }
    }

    /// The number as an `Int`. `nil`: something else, not whole, or out of range.
    public var intValue: Int? { numberValue?.int }

    /// The number as the nearest `Double`. `nil`: something else, or out of range.
    public var doubleValue: Double? { numberValue?.double }

    /// The string. `nil`: something else.
    public var stringValue: String? {
        if case .string(let value) = self { value } else { nil }
    }

    /// The elements. `nil`: something else.
    public var arrayValue: [JSONValue]? {
        if case .array(let value) = self { value } else { nil }
    }

    /// The members. `nil`: something else.
    public var objectValue: JSONObject? {
        if case .object(let value) = self { value } else { nil }
    }
}

extension JSONValue: CustomStringConvertible {
    /// The JSON text, in one line.
    public var description: String { serialized() }
}
