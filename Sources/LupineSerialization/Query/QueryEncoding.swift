public import LupineCore

/// How parameters become a query string or a form body, by AFNetworking's rules:
///
/// - a member is `name=value`, pairs are joined by `&`;
/// - the members of an object inside have the name `outer[inner]`, the elements of an array `name[]`, in depth:
///   `a[b][]=1&a[b][]=2`;
/// - `null` is its name without `=`, an empty string `name=`, an empty array or object nothing;
/// - `true` is `1` and `false` is `0`; a number is written with the digits it has;
/// - names and values are escaped by ``percentEscaped(_:)``, brackets too.
///
/// One rule differs: pairs stand in the order of the members, where AFNetworking, whose dictionaries have no order,
/// sorts them by name. Parameters made from an `Encodable` have sorted names.
public struct QueryEncoding: Hashable, Sendable {
    public init() {}

    /// The query string, without a `?`; empty for an empty object.
    ///
    /// - Throws: ``LupineError`` with `request-serialization-failed`: the parameters are no object, so their values
    ///   have no names.
    public func string(from parameters: Parameters) throws(LupineError) -> String {
        guard case .object(let object) = parameters else {
            throw LupineError(
                .requestSerializationFailed, "the parameters of a query must be an object: each value needs a name")
        }
        var pairs = Pairs()
        for member in object { pairs.add(member.value, name: Self.percentEscaped(member.name)) }
        return pairs.text
    }

    /// Escapes a text for a query: every byte of its UTF-8 but `A-Z a-z 0-9 - . _ ~ / ?` becomes `%XX`, in upper case.
    ///
    /// A space is `%20` and `+` is `%2B`, so that no reader takes one for the other. Text that is escaped already is
    /// escaped again. RFC 3986 section 3.4 lets `/` and `?` stand in a query.
    public static func percentEscaped(_ text: String) -> String {
        if text.utf8.allSatisfy(isUnescaped) { return text }
        let digits = Array("0123456789ABCDEF".utf8)
        var escaped: [UInt8] = []
        escaped.reserveCapacity(text.utf8.count * 2)
        for byte in text.utf8 {
            if isUnescaped(byte) {
                escaped.append(byte)
            } else {
                escaped.append(UInt8(ascii: "%"))
                escaped.append(digits[Int(byte >> 4)])
                escaped.append(digits[Int(byte & 15)])
            }
        }
        return String(decoding: escaped, as: UTF8.self)
    }

    private static func isUnescaped(_ byte: UInt8) -> Bool {
        if byte.isASCIIAlpha || byte.isASCIIDigit { return true }
        switch byte {
        case UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "~"), UInt8(ascii: "/"),
            UInt8(ascii: "?"):
            return true
        default: return false
        }
    }
}

/// Pairs under way. Names are escaped already: brackets are added in their escaped form.
private struct Pairs {
    private(set) var text = ""

    mutating func add(_ value: JSONValue, name: String) {
        switch value {
        case .null: add(name)
        case .bool(let value): add("\(name)=\(value ? 1 : 0)")
        case .number(let value): add("\(name)=\(QueryEncoding.percentEscaped(value.literal))")
        case .string(let value): add("\(name)=\(QueryEncoding.percentEscaped(value))")
        case .array(let elements):
            for element in elements { add(element, name: name + "%5B%5D") }
        case .object(let object):
            for member in object {
                add(member.value, name: "\(name)%5B\(QueryEncoding.percentEscaped(member.name))%5D")
            }
        }
    }

    private mutating func add(_ pair: String) {
        if !text.isEmpty { text += "&" }
        text += pair
    }
}
