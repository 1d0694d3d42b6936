public import FoundationEssentials

/// A property list as a value: what its XML or binary form holds, type by type.
///
/// ```swift
/// let list = try PropertyListValue(parsing: bytes)
/// list["Version"]?.stringValue
/// ```
public enum PropertyListValue: Hashable, Sendable {
    case bool(Bool)
    /// Both forms write up to 64 bits, with or without a sign.
    case integer(Int128)
    case real(Double)
    case string(String)
    case date(Date)
    case data(Data)
    case array([PropertyListValue])
    /// Of a name that comes twice the last value.
    case dictionary([String: PropertyListValue])
    /// A reference between the objects of a keyed archive; in the binary form only.
    case uid(UInt64)
}

extension PropertyListValue {
    /// The value of a dictionary's name. `nil`: no dictionary, or no such name.
    public subscript(name: String) -> PropertyListValue? { dictionaryValue?[name] }

    /// An array's element, counted from 0. `nil`: no array, or none at that index.
    public subscript(index: Int) -> PropertyListValue? {
        guard case .array(let elements) = self, elements.indices.contains(index) else { return nil }
        return elements[index]
    }

    /// The boolean. `nil`: something else.
    public var boolValue: Bool? { if case .bool(let value) = self { value } else { nil } }
    /// The integer. `nil`: something else, or out of range.
    public var intValue: Int? { if case .integer(let value) = self { Int(exactly: value) } else { nil } }
    /// The real number, or the integer as one. `nil`: something else.
    public var doubleValue: Double? {
        switch self {
        case .real(let value): value
        case .integer(let value): Double(value)
        default: nil
        }
    }
    /// The string. `nil`: something else.
    public var stringValue: String? { if case .string(let value) = self { value } else { nil } }
    /// The date. `nil`: something else.
    public var dateValue: Date? { if case .date(let value) = self { value } else { nil } }
    /// The bytes. `nil`: something else.
    public var dataValue: Data? { if case .data(let value) = self { value } else { nil } }
    /// The elements. `nil`: something else.
    public var arrayValue: [PropertyListValue]? { if case .array(let value) = self { value } else { nil } }
    /// The members. `nil`: something else.
    public var dictionaryValue: [String: PropertyListValue]? {
        if case .dictionary(let value) = self { value } else { nil }
    }
}

extension PropertyListValue {
    /// Reads a property list, in XML or binary; which of them, it shows.
    ///
    /// Both are read strictly, and by a reader of Lupine's: Foundation's takes any word for a property list of the old form, and
    /// neither deep nesting nor a list that contains itself ends well there. What of XML 1.0 a list uses has to be well-formed;
    /// ends of lines are read as line feeds, and white space around a number counts for nothing. XML may come in any encoding
    /// that its mark or its declaration names; what a document type declares is not looked at, so that there are no entities but
    /// XML's own.
    ///
    /// - Throws: ``PropertyListParseError`` for anything else: also for values nested deeper than 512, and for a binary list
    ///   whose parts, written out where they are referred to, would take more memory than 64 times its size, and than a megabyte.
    public init(parsing data: Data) throws(PropertyListParseError) {
        if data.starts(with: Array("bplist".utf8)) {
            self = try BinaryPropertyListReader(bytes: Array(data)).read()
        } else {
            self = try XMLPropertyListReader.value(of: data)
        }
    }

    /// An array or a dictionary.
    var isContainer: Bool { arrayValue != nil || dictionaryValue != nil }

    static let maximumDepth = 512
    /// A reference of one byte is a value of 32, and a member of two may take 128.
    static let maximumExpansion = 64
    /// What any list may take, in bytes: small ones that repeat themselves harm nobody.
    static let smallestLimit = 1 << 20
}

/// Where bytes stop being a property list.
public struct PropertyListParseError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The offset of the byte that does not fit, counted from 0; in XML, of the text as UTF-8.
    public let offset: Int
    /// What is wrong there.
    public let reason: String

    public init(offset: Int, reason: String) {
        self.offset = offset
        self.reason = reason
    }

    /// `byte 17: a dictionary's key is missing`.
    public var description: String { "byte \(offset): \(reason)" }
}
