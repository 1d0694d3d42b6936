internal import CFuzzer

/// Hands inputs to a target until the fuzzer has enough; its arguments are libFuzzer's.
public func fuzz(_ target: @convention(c) (UnsafePointer<UInt8>?, Int) -> CInt) -> CInt {
    var count = CommandLine.argc
    var arguments = CommandLine.unsafeArgv
    return LLVMFuzzerRunDriver(&count, &arguments, target)
}

/// The fuzzer's bytes, taken as choices.
public struct Input {
    private var rest: Slice<UnsafeBufferPointer<UInt8>>

    public init(_ start: UnsafePointer<UInt8>?, _ count: Int) {
        rest = UnsafeBufferPointer(start: start, count: count)[...]
    }

    public mutating func byte() -> UInt8 { rest.popFirst() ?? 0 }

    /// At most so many bytes, as many as the input says.
    public mutating func bytes(atMost most: UInt8 = 31) -> [UInt8] {
        let count = Int(byte() & most), bytes = Array(rest.prefix(count))
        rest = rest.dropFirst(count)
        return bytes
    }

    public mutating func text() -> String { String(decoding: bytes(), as: UTF8.self) }

    /// What is left.
    public mutating func remainder() -> [UInt8] {
        defer { rest = rest.dropFirst(rest.count) }
        return Array(rest)
    }
}
