/// How a JSON text is written.
public struct JSONWritingOptions: OptionSet, Hashable, Sendable {
    public let rawValue: Int
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// One member or element a line, indented by two spaces.
    public static let prettyPrinted = JSONWritingOptions(rawValue: 1 << 0)
    /// Members in the order of their names' UTF-8 bytes rather than in their own.
    public static let sortedKeys = JSONWritingOptions(rawValue: 1 << 1)
    /// U+2028 and U+2029 as escapes, for readers that take them for line ends, as JavaScript before 2019 did.
    public static let escapesLineSeparators = JSONWritingOptions(rawValue: 1 << 2)
}

extension JSONValue {
    /// The JSON text (RFC 8259). In one line without spaces unless `options` say otherwise; only what must be
    /// escaped is: quotes, backslashes and control characters.
    public func serialized(options: JSONWritingOptions = []) -> String {
        String(decoding: serializedBytes(options: options), as: UTF8.self)
    }

    /// The JSON text's bytes, in UTF-8 without a byte order mark.
    public func serializedBytes(options: JSONWritingOptions = []) -> [UInt8] {
        var writer = JSONWriter(options: options)
        writer.write(self)
        return writer.output
    }
}

/// Writes one value. It keeps its own stack, so that no depth exhausts the thread's.
struct JSONWriter {
    private(set) var output: [UInt8] = []
    private let options: JSONWritingOptions
    private let isPretty: Bool
    private var frames: [Frame] = []

    /// An array or object of which some is still to be written.
    private struct Frame {
        let elements: [JSONValue]
        /// Set for an object, whose values stand in `members`.
        let members: [JSONObject.Member]?
        var next = 0

        var count: Int { members?.count ?? elements.count }
    }

    init(options: JSONWritingOptions) {
        self.options = options
        isPretty = options.contains(.prettyPrinted)
    }

    mutating func write(_ value: JSONValue) {
        begin(value)
        while let top = frames.indices.last {
            let next = frames[top].next
            let members = frames[top].members
            guard next < frames[top].count else {
                frames.removeLast()
                breakLine()
                output.append(members == nil ? UInt8(ascii: "]") : UInt8(ascii: "}"))
                continue
            }
            frames[top].next = next + 1
            if next > 0 { output.append(UInt8(ascii: ",")) }
            breakLine()
            if let member = members?[next] {
                write(member.name)
                output.append(UInt8(ascii: ":"))
                if isPretty { output.append(UInt8(ascii: " ")) }
                begin(member.value)
            } else {
                begin(frames[top].elements[next])
            }
        }
    }

    /// Writes a value that holds no others, or the opening of one that does.
    private mutating func begin(_ value: JSONValue) {
        switch value {
        case .null: output += "null".utf8
        case .bool(let value): output += (value ? "true" : "false").utf8
        case .number(let value): output += value.literal.utf8
        case .string(let value): write(value)
        case .array(let elements):
            if elements.isEmpty { return output += "[]".utf8 }
            output.append(UInt8(ascii: "["))
            frames.append(Frame(elements: elements, members: nil))
        case .object(let object):
            if object.isEmpty { return output += "{}".utf8 }
            output.append(UInt8(ascii: "{"))
            frames.append(Frame(elements: [], members: ordered(object.members)))
        }
    }

    private func ordered(_ members: [JSONObject.Member]) -> [JSONObject.Member] {
        guard options.contains(.sortedKeys) else { return members }
        return members.sorted { $0.name.precedesByBytes($1.name) }
    }

    private mutating func breakLine() {
        guard isPretty else { return }
        output.append(0x0A)
        output += repeatElement(0x20, count: 2 * frames.count)
    }

    private mutating func write(_ text: String) {
        var text = text
        output.append(UInt8(ascii: "\""))
        text.withUTF8 { bytes in
            var runStart = 0
            for index in bytes.indices where needsEscape(bytes, at: index) {
                output += bytes[runStart..<index]
                runStart = index + escape(bytes, at: index)
            }
            output += bytes[runStart...]
        }
        output.append(UInt8(ascii: "\""))
    }

    @inline(__always) private func needsEscape(_ bytes: UnsafeBufferPointer<UInt8>, at index: Int) -> Bool {
        let byte = bytes[index]
        if byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") { return true }
        // U+2028 and U+2029 are E2 80 A8 and E2 80 A9; a string's UTF-8 is well-formed, so two bytes follow E2.
        return byte == 0xE2 && options.contains(.escapesLineSeparators) && bytes[index + 1] == 0x80
            && bytes[index + 2] & 0xFE == 0xA8
    }

    /// Writes the escape for what begins at `index`, and returns how many bytes it stands for.
    private mutating func escape(_ bytes: UnsafeBufferPointer<UInt8>, at index: Int) -> Int {
        switch bytes[index] {
        case UInt8(ascii: "\""): output += "\\\"".utf8
        case UInt8(ascii: "\\"): output += "\\\\".utf8
        case 0x08: output += "\\b".utf8
        case 0x09: output += "\\t".utf8
        case 0x0A: output += "\\n".utf8
        case 0x0C: output += "\\f".utf8
        case 0x0D: output += "\\r".utf8
        case 0xE2:
            output += bytes[index + 2] == 0xA8 ? "\\u2028".utf8 : "\\u2029".utf8
            return 3
        case let byte:
            output += byte < 0x10 ? "\\u000".utf8 : "\\u00".utf8
            output += String(byte, radix: 16).utf8
        }
        return 1
    }
}
