internal import FuzzSupport
internal import Glibc
internal import Lupine

exit(fuzz(fuzzQuery))

/// A tree of values made of the input becomes a query, which a reader that knows nothing of how it was made reads back: names
/// and values must be those that AFNetworking's rules give, and nothing may be there that the rules for URLs forbid.
private func fuzzQuery(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    var input = Input(start, count)
    var encoding = QueryEncoding()
    let choice = input.byte()
    if choice & 1 != 0 { encoding.spaces = .plusReplaced }
    if choice & 2 != 0 { encoding.sortsNames = false }
    let object = input.object(depth: 4)
    guard let query = try? encoding.string(from: .object(object)) else {
        fatalError("a tree that is an object was refused")
    }

    // A name of nothing without a value is nothing.
    let expected = flatten(.object(object), name: nil, sorted: encoding.sortsNames).filter {
        !$0.name.isEmpty || $0.value != nil
    }
    let read = query.utf8.split(separator: UInt8(ascii: "&")).map { pair($0) }
    guard read.count == expected.count else { fatalError("\(read.count) pairs, not \(expected.count): \(query)") }
    for (read, expected) in zip(read, expected) where read.name != expected.name || read.value != expected.value {
        fatalError("\(read) is not \(expected): \(query)")
    }
    for byte in query.utf8 where !mayStand(byte) { fatalError("byte \(byte) stands in \(query)") }
    // What stands in a query is sent as it is.
    guard let url = try? HTTPURL("http://h/").addingQuery(query), url.query ?? "" == query else {
        fatalError("a URL changes \(query)")
    }
    return 0
}

/// Bytes of a name and of its value; `nil`: a name without `=`.
struct Pair {
    let name: [UInt8]
    let value: [UInt8]?
}

private func pair(_ text: some Collection<UInt8>) -> Pair {
    let bytes = Array(text)
    guard let equals = bytes.firstIndex(of: UInt8(ascii: "=")) else {
        return Pair(name: decoded(bytes[...]), value: nil)
    }
    return Pair(name: decoded(bytes[..<equals]), value: decoded(bytes[(equals + 1)...]))
}

/// As the URL standard's reader of forms does it.
private func decoded(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
    var output: [UInt8] = []
    var rest = bytes
    while let byte = rest.popFirst() {
        let digits = rest.prefix(2).compactMap { $0.hexadecimalValue }
        if byte == UInt8(ascii: "%"), digits.count == 2 {
            output.append(digits[0] << 4 | digits[1])
            rest = rest.dropFirst(2)
        } else {
            output.append(byte == UInt8(ascii: "+") ? 0x20 : byte)
        }
    }
    return output
}

private func mayStand(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"):
        true
    default: "-._~/?%&=+".utf8.contains(byte)
    }
}

private func flatten(_ value: JSONValue, name: [UInt8]?, sorted: Bool) -> [Pair] {
    let own = name ?? []
    switch value {
    case .null: return [Pair(name: own, value: nil)]
    case .bool(let value): return [Pair(name: own, value: Array(value ? "1".utf8 : "0".utf8))]
    case .number(let value): return [Pair(name: own, value: Array(value.literal.utf8))]
    case .string(let value): return [Pair(name: own, value: Array(value.utf8))]
    case .array(let elements): return elements.flatMap { flatten($0, name: own + Array("[]".utf8), sorted: sorted) }
    case .object(let object):
        let members =
            sorted
            ? object.sorted { Array($0.name.utf8).lexicographicallyPrecedes(Array($1.name.utf8)) } : Array(object)
        return members.flatMap { member in
            let inner = Array(member.name.utf8)
            return flatten(
                member.value, name: name.map { $0 + Array("[".utf8) + inner + Array("]".utf8) } ?? inner, sorted: sorted
            )
        }
    }
}

extension UInt8 {
    fileprivate var hexadecimalValue: UInt8? {
        switch self {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): self - UInt8(ascii: "0")
        case UInt8(ascii: "A")...UInt8(ascii: "F"): self - UInt8(ascii: "A") + 10
        case UInt8(ascii: "a")...UInt8(ascii: "f"): self - UInt8(ascii: "a") + 10
        default: nil
        }
    }
}

extension Input {
    mutating func object(depth: Int) -> JSONObject {
        JSONObject((0..<Int(byte() & 7)).map { _ in JSONObject.Member(name: text(), value: value(depth: depth - 1)) })
    }

    private mutating func value(depth: Int) -> JSONValue {
        switch byte() % (depth > 0 ? 7 : 5) {
        case 0: .null
        case 1: .bool(byte() & 1 != 0)
        case 2: JSONValue(Int(byte()) * 1_000_003)
        case 3: JSONNumber(literal: "\(byte()).\(byte())e\(byte())").map(JSONValue.number) ?? .null
        case 4: .string(text())
        case 5: .array((0..<Int(byte() & 3)).map { _ in value(depth: depth - 1) })
        default: .object(object(depth: depth))
        }
    }
}
