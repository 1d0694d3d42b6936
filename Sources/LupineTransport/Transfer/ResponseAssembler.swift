internal import LupineCore

/// Puts the lines that libcurl hands over together to heads and trailers: a value, fed with bytes.
struct ResponseAssembler {
    enum Step {
        case more
        /// A head is whole: ``takeHead()``.
        case head
        case fault(LupineError.Code, String)
    }

    /// The largest head to accept, in bytes, with all 1xx heads before it.
    private let maximumSize: Int
    private let memory: FieldMemory
    private var size = 0
    private var response: HTTPResponse?
    private var hasStatusLine = false
    /// Of the head, then those after the body.
    private var fields: [HTTPHeader] = []
    private(set) var hasHead = false
    private(set) var framing = ResponseFraming()
    /// Whether any byte of an answer came.
    var hasBegun: Bool { size > 0 }

    /// Whether the status line was the last that came.
    var awaitsFirstField: Bool { hasStatusLine && fields.isEmpty }

    init(maximumSize: Int, memory: FieldMemory) {
        self.maximumSize = maximumSize
        self.memory = memory
    }

    mutating func add(_ line: UnsafeRawBufferPointer) -> Step {
        size += line.count
        guard size <= maximumSize else {
            return .fault(.responseTooLarge, "its head is larger than \(maximumSize) bytes")
        }
        let isEmpty = (line.count == 2 && line[0] == 0x0D && line[1] == 0x0A) || (line.count == 1 && line[0] == 0x0A)
        // libcurl takes any line that begins so for the end of the head.
        guard isEmpty || line.first != 0x0D else {
            return .fault(.badResponse, "a line of it begins with a bare carriage return")
        }
        do {
            guard isEmpty else {
                try read(line)
                return .more
            }
            // After the head come trailers, which the end of the body closes.
            guard !hasHead, hasStatusLine, let status = response?.status else { return .more }
            response?.headers = HTTPHeaders(fields)
            fields = []
            hasStatusLine = false
            guard status.rawValue != 101 else {
                return .fault(.badResponse, "it switches to a protocol that was not asked for")
            }
            if !status.isInformational {
                framing = response.map { ResponseFraming($0.headers) } ?? framing
                if let fault = framing.fault { return .fault(.badResponse, fault) }
                hasHead = true
            }
            return .head
        } catch {
            return .fault(.badResponse, error.reason)
        }
    }

    private mutating func read(_ line: UnsafeRawBufferPointer) throws(HeadParser.Fault) {
        if !hasStatusLine, !hasHead {
            response = try memory.response(of: line)
            hasStatusLine = true
            fields.reserveCapacity(12)  // most heads: one allocation
        } else if let known = memory.field(of: line) {
            fields.append(known)
        } else {
            let count = fields.count
            try HeadParser.field(line, into: &fields)
            // A folded line is a field only with the one before it.
            if let field = fields.last, fields.count > count { memory.keep(field, of: line) }
        }
    }

    /// The head that has become whole, 1xx or final (RFC 9110 section 15.2); once.
    mutating func takeHead() -> HTTPResponse? { response.take() }

    /// What came after the body; `nil` when nothing did.
    mutating func trailers() -> HTTPHeaders? {
        guard hasHead, !fields.isEmpty else { return nil }
        defer { fields = [] }
        return HTTPHeaders(fields)
    }

    /// libcurl starts the same request over.
    mutating func restart() {
        hasStatusLine = false
        fields = []
        size = 0
        hasHead = false
    }
}
