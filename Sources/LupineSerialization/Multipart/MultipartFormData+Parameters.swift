public import FoundationEssentials
public import LupineCore

extension MultipartFormData {
    /// Adds a field for each value of a tree, under the names and in the order that a query has, but not escaped: `a`, `a[b]`,
    /// `a[]`, `a[b][]`.
    ///
    /// `null` is an empty field, an empty array or object none. What is no text, such as bytes, has its own `append`.
    ///
    /// - Parameters:
    ///   - encoding: the rules of names and values; AFNetworking's by default.
    ///   - encoder: of an `Encodable`; with sorted keys by default.
    /// - Throws: ``LupineError`` with `request-serialization-failed`: the parameters are no object, so their values have no
    ///   names, they cannot be encoded, or lie too deep in each other.
    public mutating func append(
        parameters: Parameters, encoding: QueryEncoding = QueryEncoding(),
        encoder: @autoclosure () -> JSONEncoder = .sortingKeys
    ) throws(LupineError) {
        let tree = try parameters.tree(encoder: encoder())
        guard !tree.isNull else { return }
        for pair in try encoding.pairs(from: tree) { try append(text: pair.value ?? "", name: pair.name) }
    }
}
