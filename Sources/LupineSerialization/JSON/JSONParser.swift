/// Reads one JSON text. It keeps its own stack, so that depth costs memory and never the thread's stack.
struct JSONParser: ~Copyable {
    // The bytes outlive the parser: it is made and used inside one call that lends them.
    let bytes: UnsafeBufferPointer<UInt8>
    var position = 0

    private let maximumDepth: Int
    private var frames: [Frame] = []
    // Of every open array and object, those still open last: each becomes an array of its own when it closes.
    private var elements = MovingStack<JSONValue>()
    private var members = MovingStack<JSONObject.Member>()
    /// The names whose values are being read.
    private var names: [String] = []

    private struct Frame {
        let isObject: Bool
        /// Where its own begin in `elements` or `members`.
        let start: Int
    }

    init(bytes: UnsafeBufferPointer<UInt8>, maximumDepth: Int) {
        self.bytes = bytes
        self.maximumDepth = maximumDepth
    }

    mutating func parse() throws(JSONParseError) -> JSONValue {
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { position = 3 }
        skipWhitespace()
        while true {
            guard var value = try readValue() else { continue }
            // A value is complete, and so perhaps is what it stands in.
            while true {
                skipWhitespace()
                guard let frame = frames.last else {
                    guard position == bytes.count else { throw fault("the end of the text") }
                    return value
                }
                guard let container = try add(value, to: frame) else { break }
                value = container
            }
        }
    }

    /// Reads what begins here: a whole value, or `nil` for an array or object whose first value comes next.
    private mutating func readValue() throws(JSONParseError) -> JSONValue? {
        switch current {
        case UInt8(ascii: "\""): return .string(try readString())
        case UInt8(ascii: "{"):
            try open(isObject: true)
            if current == UInt8(ascii: "}") {
                close()
                return .object(JSONObject())
            }
            try readName()
            return nil
        case UInt8(ascii: "["):
            try open(isObject: false)
            if current == UInt8(ascii: "]") {
                close()
                return .array([])
            }
            return nil
        case UInt8(ascii: "t"): return try readWord("true", .bool(true))
        case UInt8(ascii: "f"): return try readWord("false", .bool(false))
        case UInt8(ascii: "n"): return try readWord("null", .null)
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return try readNumber()
        default: throw fault("a value")
        }
    }

    /// Adds a value to the innermost array or object, and returns that when it ends here.
    private mutating func add(_ value: JSONValue, to frame: Frame) throws(JSONParseError) -> JSONValue? {
        if frame.isObject {
            members.append(JSONObject.Member(name: names.removeLast(), value: value))
            if take(UInt8(ascii: ",")) {
                skipWhitespace()
                try readName()
                return nil
            }
            guard current == UInt8(ascii: "}") else { throw fault("\",\" or \"}\"") }
            let object = JSONObject(members: members.takeAll(from: frame.start))
            close()
            return .object(object)
        }
        elements.append(value)
        if take(UInt8(ascii: ",")) {
            skipWhitespace()
            return nil
        }
        guard current == UInt8(ascii: "]") else { throw fault("\",\" or \"]\"") }
        let array = elements.takeAll(from: frame.start)
        close()
        return .array(array)
    }

    private mutating func open(isObject: Bool) throws(JSONParseError) {
        guard frames.count < maximumDepth else {
            throw fault("no more than \(maximumDepth) arrays and objects in each other")
        }
        frames.append(Frame(isObject: isObject, start: isObject ? members.count : elements.count))
        position += 1
        skipWhitespace()
    }

    private mutating func close() {
        frames.removeLast()
        position += 1
    }

    private mutating func readName() throws(JSONParseError) {
        guard current == UInt8(ascii: "\"") else { throw fault("a name in quotes") }
        names.append(try readString())
        skipWhitespace()
        guard take(UInt8(ascii: ":")) else { throw fault("\":\"") }
        skipWhitespace()
    }

    private mutating func readWord(_ word: StaticString, _ value: JSONValue) throws(JSONParseError) -> JSONValue {
        for index in 0..<word.utf8CodeUnitCount {
            guard current == word.utf8Start[index] else { throw fault("\"\(word)\"") }
            position += 1
        }
        return value
    }

    private mutating func readNumber() throws(JSONParseError) -> JSONValue {
        switch JSONNumberScanner(bytes: bytes).scan(from: position) {
        case .fault(let offset, let expected): throw JSONParseError(offset: offset, expected: expected)
        case .found(let end, let isWhole):
            let literal = bytes[position..<end]
            position = end
            return .number(JSONNumber(storage: JSONNumber.Storage(bytes: literal, isWhole: isWhole)))
        }
    }
}

extension JSONParser {
    /// The byte here; 0 at the end, which begins nothing in JSON.
    @inline(__always) var current: UInt8 { position < bytes.count ? bytes[position] : 0 }

    @inline(__always) private mutating func take(_ byte: UInt8) -> Bool {
        guard current == byte else { return false }
        position += 1
        return true
    }

    @inline(__always) private mutating func skipWhitespace() {
        while position < bytes.count {
            switch bytes[position] {
            case 0x20, 0x0A, 0x0D, 0x09: position += 1
            default: return
            }
        }
    }

    func fault(_ expected: String) -> JSONParseError { JSONParseError(offset: position, expected: expected) }
}
