/// Where a value stands in a tree of them: `user.tags[2]`; `the top`.
struct ValuePath: CustomStringConvertible {
    private var text = ""

    func element(_ index: Int) -> ValuePath { ValuePath(text: "\(text)[\(index)]") }

    func member(_ name: String) -> ValuePath { ValuePath(text: text.isEmpty ? name : "\(text).\(name)") }

    var description: String { text.isEmpty ? "the top" : text }
}

extension ValuePath {
    init(_ path: some Sequence<any CodingKey>) {
        self = path.reduce(ValuePath()) { path, key in
            key.intValue.map(path.element) ?? path.member(key.stringValue)
        }
    }
}
