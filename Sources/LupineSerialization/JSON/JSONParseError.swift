/// Where a text stops being JSON (RFC 8259).
public struct JSONParseError: Error, Hashable, Sendable {
    /// The offset of the byte that does not fit, counted from 0; the number of bytes when the text ends too early.
    public let offset: Int
    /// What should have stood there.
    public let expected: String

    public init(offset: Int, expected: String) {
        self.offset = offset
        self.expected = expected
    }
}

extension JSONParseError: CustomStringConvertible {
    /// `byte 17: expected "," or "]"`.
    public var description: String { "byte \(offset): expected \(expected)" }
}
