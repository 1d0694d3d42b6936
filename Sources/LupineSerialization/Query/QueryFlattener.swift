internal import LupineCore

/// Makes pairs of a tree of values.
struct QueryFlattener {
    let encoding: QueryEncoding
    var pairs: [QueryPair] = []

    /// The members in the order in which they are written.
    func ordered(_ object: JSONObject) -> [JSONObject.Member] {
        guard encoding.sortsNames else { return object.members }
        // Most are in order already, or few.
        return object.members.sorted { $0.name.precedesByBytes($1.name) }
    }

    mutating func add(_ value: JSONValue, name: String, depth: Int) throws(LupineError) {
        guard depth <= QueryEncoding.maximumDepth else {
            throw LupineError(
                .requestSerializationFailed,
                "the parameters lie deeper in each other than \(QueryEncoding.maximumDepth) levels")
        }
        switch value {
        case .null: addNull(name)
        case .bool(let value):
            switch encoding.bools {
            case .numeric: add(name, value ? "1" : "0")
            case .literal: add(name, value ? "true" : "false")
            }
        case .number(let value): add(name, value.literal)
        case .string(let value): add(name, value)
        case .array(let elements):
            for (index, element) in elements.enumerated() {
                try add(element, name: elementName(name, index), depth: depth + 1)
            }
        case .object(let object):
            for member in ordered(object) {
                try add(member.value, name: memberName(name, member.name), depth: depth + 1)
            }
        }
    }

    private mutating func add(_ name: String, _ value: String?) {
        pairs.append(QueryPair(name: name, value: value))
    }

    private mutating func addNull(_ name: String) {
        switch encoding.nils {
        case .nameOnly: add(name, nil)
        case .dropKey: break
        case .dropValue: add(name, "")
        case .null: add(name, "null")
        }
    }

    private func elementName(_ name: String, _ index: Int) -> String {
        switch encoding.arrays {
        case .brackets: name + "[]"
        case .noBrackets: name
        case .indexInBrackets: "\(name)[\(index)]"
        case .custom(let make): make(name, index)
        }
    }

    private func memberName(_ outer: String, _ inner: String) -> String {
        switch encoding.keyPaths {
        case .brackets: "\(outer)[\(inner)]"
        case .dots: "\(outer).\(inner)"
        case .custom(let make): make(outer, inner)
        }
    }
}

/// Writes pairs, escaped.
struct QueryWriter {
    private(set) var output: [UInt8] = []
    let replacesSpaces: Bool

    init(replacesSpaces: Bool) { self.replacesSpaces = replacesSpaces }

    mutating func add(_ pair: QueryPair) {
        if !output.isEmpty { output.append(UInt8(ascii: "&")) }
        escape(pair.name)
        guard let value = pair.value else { return }
        output.append(UInt8(ascii: "="))
        escape(value)
    }

    mutating func escape(_ text: String) {
        var text = text
        text.withUTF8 { bytes in
            var start = 0
            for index in bytes.indices where !bytes[index].standsInQuery {
                output += bytes[start..<index]
                start = index + 1
                escape(bytes[index])
            }
            output += bytes[start...]
        }
    }

    private mutating func escape(_ byte: UInt8) {
        if byte == 0x20, replacesSpaces { return output.append(UInt8(ascii: "+")) }
        output.append(UInt8(ascii: "%"))
        output.append(Self.digit(byte >> 4))
        output.append(Self.digit(byte & 15))
    }

    private static func digit(_ value: UInt8) -> UInt8 { value < 10 ? 0x30 + value : 0x37 + value }
}

extension UInt8 {
    /// Whether a query holds it as it is: `A-Z a-z 0-9 - . _ ~ / ?`.
    var standsInQuery: Bool {
        if isASCIIAlpha || isASCIIDigit { return true }
        switch self {
        case UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "~"), UInt8(ascii: "/"),
            UInt8(ascii: "?"):
            return true
        default: return false
        }
    }
}

extension String {
    /// In the order of UTF-8 bytes, which no locale and no normal form changes.
    func precedesByBytes(_ other: String) -> Bool {
        // Natively stored strings, most of all, are compared where they are.
        let isBefore = utf8.withContiguousStorageIfAvailable { left in
            other.utf8.withContiguousStorageIfAvailable { right in left.lexicographicallyPrecedes(right) }
        }
        return (isBefore ?? nil) ?? utf8.lexicographicallyPrecedes(other.utf8)
    }
}
