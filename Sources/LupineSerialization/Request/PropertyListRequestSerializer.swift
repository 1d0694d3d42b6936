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
    /// - Throws: ``LupineError`` with `request-serialization-failed`, and where it is: the parameters are no array and no object,
    ///   or hold what a property list cannot: `null`, a number beyond `Int64`, `UInt64` and `Double`, or, in XML, a character
    ///   that XML 1.0 has not: control characters, U+FFFE, U+FFFF.
    public func serialize(_ request: HTTPRequest, parameters: Parameters?) throws(LupineError) -> HTTPRequest {
        try uriSerializer.serialize(request, parameters: parameters, type: "application/x-plist", body: body)
    }

    private func body(_ parameters: Parameters) throws(LupineError) -> Data {
        switch parameters.content {
        case .encodable(let value): return try body(of: value)
        case .tree:
            let list = try PropertyListValue(parameters.tree(), at: ValuePath())
            guard list.isContainer else { throw .noPropertyList(ValuePath(), "an array or an object belongs there") }
            return try body(of: list)
        }
    }

    private func body<Value: Encodable>(of value: Value) throws(LupineError) -> Data {
        let body = try encoded(value, .init(format))
        guard format == .xml else { return body }
        // The encoder writes them as they are, though XML has no way to write them, not even escaped (section 2.2).
        guard XMLCharacters.firstFault(in: Array(body)) == nil else { throw notXML(value) }
        // A carriage return as it is would be a line feed to whoever reads it (section 2.11). Markup has none.
        guard body.contains(0x0D) else { return body }
        return body.reduce(into: Data(capacity: body.count + 64)) { written, byte in
            if byte == 0x0D { written += Data("&#13;".utf8) } else { written.append(byte) }
        }
    }

    private func encoded<Value: Encodable>(
        _ value: Value, _ format: PropertyListDecoder.PropertyListFormat
    ) throws(LupineError) -> Data {
        let encoder = PropertyListEncoder()
        encoder.outputFormat = format
        do {
            return try encoder.encode(value)
        } catch {
            throw .requestSerialization(of: value, error)
        }
    }

    /// Where the character is that XML has not: the binary form keeps it, and can be read.
    private func notXML<Value: Encodable>(_ value: Value) -> LupineError {
        let list = try? PropertyListValue(parsing: encoded(value, .binary))
        let path = list?.pathOfText(ValuePath()) { XMLCharacters.firstFault(in: Array($0.utf8)) != nil }
        return .noPropertyList(
            path, "a character that XML 1.0 has not (section 2.2), which a property list in binary can hold")
    }
}

extension PropertyListDecoder.PropertyListFormat {
    fileprivate init(_ format: PropertyListRequestSerializer.Format) { self = format == .xml ? .xml : .binary }
}

extension LupineError {
    fileprivate static func noPropertyList(_ path: ValuePath?, _ reason: String) -> LupineError {
        let place = path.map { "\($0): " } ?? ""
        return LupineError(
            .requestSerializationFailed, "the parameters are no property list: \(place)\(reason)".onOneLine)
    }
}

extension PropertyListValue {
    /// A tree as a property list.
    fileprivate init(_ tree: JSONValue, at path: ValuePath) throws(LupineError) {
        switch tree {
        case .null: throw .noPropertyList(path, "a property list has no null")
        case .bool(let value): self = .bool(value)
        case .string(let value): self = .string(value)
        case .number(let number):
            switch number.storage {
            case .int(let value): self = .integer(Int128(value))
            case .uint(let value): self = .integer(Int128(value))
            case .literal(let text):
                guard let value = number.double else { throw .noPropertyList(path, "\(text) is beyond a Double") }
                self = .real(value)
            }
        case .array(let elements):
            var list: [PropertyListValue] = []
            for (index, element) in elements.enumerated() {
                list.append(try PropertyListValue(element, at: path.element(index)))
            }
            self = .array(list)
        case .object(let object):
            var list: [String: PropertyListValue] = [:]
            for member in object {
                list[member.name] = try PropertyListValue(member.value, at: path.member(member.name))
            }
            self = .dictionary(list)
        }
    }

    /// Where a string or a name is that `isMeant`.
    fileprivate func pathOfText(_ path: ValuePath, _ isMeant: (String) -> Bool) -> ValuePath? {
        switch self {
        case .string(let text): return isMeant(text) ? path : nil
        case .array(let elements):
            for (index, element) in elements.enumerated() {
                if let found = element.pathOfText(path.element(index), isMeant) { return found }
            }
        case .dictionary(let members):
            for (name, value) in members.sorted(by: { $0.key < $1.key }) {
                let path = path.member(name)
                if isMeant(name) { return path }
                if let found = value.pathOfText(path, isMeant) { return found }
            }
        default: break
        }
        return nil
    }
}
