import Lupine

/// Trees of values as programs send them, with what is awkward in queries; from a seed.
struct RandomParameters {
    private var generator: SeededGenerator

    init(seed: UInt64) { generator = SeededGenerator(seed: seed) }

    private static let pieces = [
        "a", "b", "Z", "0", " ", "+", "%", "%41", "&", "=", "#", "?", "/", "[", "]", "[]", ".", ";", "\"", "'", "<",
        "\\",
        "\r\n", "\t", "\u{0}", "é", "e\u{301}", "ß", "日本", "😀", "👨‍👩‍👧", "\u{202E}", "null", "true", "1.0", "\u{7F}",
    ]

    private mutating func text(_ sizes: ClosedRange<Int>) -> String {
        (0..<Int.random(in: sizes, using: &generator)).map { _ in
            Self.pieces.randomElement(using: &generator) ?? ""
        }.joined()
    }

    mutating func object(depth: Int = 3) -> JSONObject {
        JSONObject(
            (0..<Int.random(in: 0...5, using: &generator)).map { _ in
                JSONObject.Member(name: text(1...4), value: value(depth: depth - 1))
            })
    }

    private mutating func value(depth: Int) -> JSONValue {
        switch Int.random(in: 0..<(depth > 0 ? 9 : 6), using: &generator) {
        case 0: .null
        case 1: .bool(Bool.random(using: &generator))
        case 2: JSONValue(Int64.random(in: .min ... .max, using: &generator))
        case 3: JSONNumber(Double.random(in: -1e6...1e6, using: &generator)).map(JSONValue.number) ?? .null
        case 4, 5: .string(text(0...12))
        case 6: .array((0..<Int.random(in: 0...3, using: &generator)).map { _ in value(depth: depth - 1) })
        default: .object(object(depth: depth))
        }
    }
}

extension JSONValue {
    /// What AFNetworking's rules make of the tree, by the rules alone: a name's values in their order. `null` is an empty text
    /// to every reader of forms.
    func formFields(_ name: String = "") -> [(String, String)] {
        switch self {
        case .null: [(name, "")]
        case .bool(let value): [(name, value ? "1" : "0")]
        case .number(let value): [(name, value.literal)]
        case .string(let value): [(name, value)]
        case .array(let elements): elements.flatMap { $0.formFields(name + "[]") }
        case .object(let object):
            object.sorted { Array($0.name.utf8).lexicographicallyPrecedes(Array($1.name.utf8)) }.flatMap { member in
                member.value.formFields(name.isEmpty ? member.name : "\(name)[\(member.name)]")
            }
        }
    }
}
