/// One field of a head: a name and a value.
public struct HTTPHeader: Hashable, Sendable, CustomStringConvertible {
    public let name: String
    /// Text. Where what came is no UTF-8, each character stands for one byte of it (ISO 8859-1).
    public let value: String
    /// Whether each character of the value stands for one byte, and is sent as that.
    package let isLatin1: Bool

    public init(name: String, value: String) {
        self.name = name
        self.value = value
        isLatin1 = false
    }

    package init(name: String, value: ByteText) {
        self.name = name
        self.value = value.text
        isLatin1 = value.isLatin1
    }

    /// The value, as bytes too.
    package var byteText: ByteText { isLatin1 ? ByteText(value[...], isLatin1: true) : ByteText(value) }

    /// How many bytes the value has.
    package var valueSize: Int { isLatin1 ? value.unicodeScalars.count : value.utf8.count }

    /// The field as sent, secrets redacted.
    public var description: String { "\(name): \(isSecret ? "<redacted>" : value)" }

    /// Whether the value may hold a credential: it is then left out of every description and log.
    public var isSecret: Bool { HTTPHeader.isSecret(name: name) }

    /// Whether what has that name may be a credential, in a head or a query.
    package static func isSecret(name: String) -> Bool {
        let name = name.asciiLowercased.replacing("_", with: "-")
        return secretWords.contains { name.contains($0) }
    }

    /// Words in the names of secrets: one value too many is left out rather than one too few.
    private static let secretWords = [
        "authorization", "authentication", "cookie", "token", "secret", "password", "api-key", "apikey", "signature",
        "credential", "x-auth", "access-key", "subscription-key", "functions-key", "session-id",
    ]
}

/// The fields of a head, in the order in which they were added or received.
///
/// Names compare without regard to ASCII case. A field that was received several times stays several fields.
public struct HTTPHeaders: Hashable, Sendable {
    private(set) var fields: [HTTPHeader]

    public init() { fields = [] }
    public init(_ fields: [HTTPHeader]) { self.fields = fields }

    /// Adds a field after those that are there, whatever their names.
    public mutating func add(name: String, value: String) { add(HTTPHeader(name: name, value: value)) }

    /// Adds a field after those that are there, whatever their names.
    public mutating func add(_ field: HTTPHeader) { fields.append(field) }

    /// Sets a field: the first of that name is replaced in its place and the others of that name go; if there is
    /// none it is added at the end.
    public mutating func update(name: String, value: String) { update(HTTPHeader(name: name, value: value)) }

    /// Sets a field: see ``update(name:value:)``.
    public mutating func update(_ field: HTTPHeader) {
        guard let first = index(of: field.name) else { return fields.append(field) }
        fields[first] = field
        var index = fields.count - 1
        while index > first {
            if fields[index].name.equalsIgnoringASCIICase(field.name) { fields.remove(at: index) }
            index -= 1
        }
    }

    /// Removes every field of that name.
    public mutating func remove(name: String) {
        fields.removeAll { $0.name.equalsIgnoringASCIICase(name) }
    }

    /// The first value of that name.
    public func value(for name: String) -> String? { index(of: name).map { fields[$0].value } }

    /// Every value of that name, in order.
    public func values(for name: String) -> [String] {
        // Most that are asked for are not there.
        guard let first = index(of: name) else { return [] }
        return fields[first...].compactMap { $0.name.equalsIgnoringASCIICase(name) ? $0.value : nil }
    }

    /// Each value of that name, in order, without a list of them.
    package func forEachValue(of name: String, _ body: (String) -> Void) {
        guard let first = index(of: name) else { return }
        for field in fields[first...] where field.name.equalsIgnoringASCIICase(name) { body(field.value) }
    }

    /// Whether there is a field of that name.
    public func contains(_ name: String) -> Bool { index(of: name) != nil }

    private func index(of name: String) -> Int? {
        let count = name.utf8.count
        return fields.firstIndex { $0.name.utf8.count == count && $0.name.equalsIgnoringASCIICase(name) }
    }

    /// The first value of that name; setting replaces all of that name, `nil` removes them.
    public subscript(name: String) -> String? {
        get { value(for: name) }
        set {
            if let newValue { update(name: name, value: newValue) } else { remove(name: name) }
        }
    }

    /// Whether both are sent as the same bytes. Equal strings need not be: see `String.hasSameBytes(as:)`.
    package func hasSameBytes(as other: HTTPHeaders) -> Bool {
        let areOneArray = fields.withUnsafeBufferPointer { left in
            other.fields.withUnsafeBufferPointer { right in left.baseAddress == right.baseAddress }
        }
        return fields.count == other.fields.count
            && (areOneArray
                || zip(fields, other.fields).allSatisfy { left, right in
                    left.name.hasSameBytes(as: right.name) && left.value.hasSameBytes(as: right.value)
                        && left.isLatin1 == right.isLatin1
                })
    }

    /// Makes room for that many fields at once.
    public mutating func reserveCapacity(_ count: Int) { fields.reserveCapacity(count) }
}

extension HTTPHeaders: RandomAccessCollection {
    public var startIndex: Int { fields.startIndex }
    public var endIndex: Int { fields.endIndex }
    public subscript(position: Int) -> HTTPHeader { fields[position] }
}

extension HTTPHeaders: ExpressibleByDictionaryLiteral {
    /// Later values of a name are added beside earlier ones.
    public init(dictionaryLiteral elements: (String, String)...) {
        fields = elements.map { HTTPHeader(name: $0.0, value: $0.1) }
    }
}

extension HTTPHeaders: CustomStringConvertible {
    /// One line a field, secrets redacted.
    public var description: String { fields.map(\.description).joined(separator: "\n") }
}
