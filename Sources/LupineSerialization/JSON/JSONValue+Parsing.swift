extension JSONValue {
    /// The depth of arrays and objects in each other that is read when a caller asks for no other: 512.
    public static let defaultMaximumDepth = 512

    /// Reads a JSON text (RFC 8259), strictly: what its grammar does not allow is an error, never a guess.
    ///
    /// UTF-8 only, as section 8.1 says; a byte order mark in front is skipped. Of a name that comes twice in an object
    /// the last value counts; `JSONDecoder` takes the first. An escaped surrogate without its partner (section 8.2) is an error, since no string can
    /// hold it. Takes time in proportion to the text.
    ///
    /// - Parameters:
    ///   - bytes: the text, such as `Data` or `[UInt8]`.
    ///   - maximumDepth: how deep arrays and objects may lie in each other. More than 4096 counts as 4096, so
    ///     that handling the value cannot exhaust a stack.
    /// - Throws: ``JSONParseError``, with the offset of the first byte that does not fit.
    public init(parsing bytes: some Sequence<UInt8>, maximumDepth: Int = defaultMaximumDepth) throws(JSONParseError) {
        let depth = min(maximumDepth, 4096)
        let parse = { (buffer: UnsafeBufferPointer<UInt8>) -> Result<JSONValue, JSONParseError> in
            var parser = JSONParser(bytes: buffer, maximumDepth: depth)
            do throws(JSONParseError) { return .success(try parser.parse()) } catch { return .failure(error) }
        }
        let parsed = bytes.withContiguousStorageIfAvailable(parse) ?? Array(bytes).withUnsafeBufferPointer(parse)
        self = try parsed.get()
    }

    /// Reads a JSON text held in a string. See ``init(parsing:maximumDepth:)``; offsets count its UTF-8.
    public init(parsing text: String, maximumDepth: Int = defaultMaximumDepth) throws(JSONParseError) {
        try self.init(parsing: text.utf8, maximumDepth: maximumDepth)
    }
}
