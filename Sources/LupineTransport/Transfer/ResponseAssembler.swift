internal import LupineCore

/// Puts the lines that libcurl hands over together to heads and trailers: a value, fed with bytes.
struct ResponseAssembler {
    enum Step {
        case more
        /// A 1xx head (RFC 9110 section 15.2).
        case informational(HTTPResponse)
        case head(HTTPResponse)
        case fault(LupineError.Code, String)
    }

    /// The largest head to accept, in bytes, with all 1xx heads before it.
    private let maximumSize: Int
    private var size = 0
    private var lines: [UInt8] = []
    private(set) var hasHead = false
    /// Whether any byte of an answer came.
    var hasBegun: Bool { size > 0 }

    init(maximumSize: Int) { self.maximumSize = maximumSize }

    mutating func add(_ line: UnsafeRawBufferPointer) -> Step {
        size += line.count
        guard size <= maximumSize else {
            return .fault(.responseTooLarge, "its head is larger than \(maximumSize) bytes")
        }
        let isEmpty = line.elementsEqual([0x0D, 0x0A]) || line.elementsEqual([0x0A])
        // libcurl takes any line that begins so for the end of the head.
        guard isEmpty || line.first != 0x0D else {
            return .fault(.badResponse, "a line of it begins with a bare carriage return")
        }
        if !isEmpty { lines.append(contentsOf: line) }
        // After the head come trailers, which the end of the body closes.
        guard isEmpty, !hasHead, !lines.isEmpty else { return .more }
        defer { lines.removeAll(keepingCapacity: true) }
        do {
            let response = try lines.withUnsafeBufferPointer { bytes throws(HeadParser.Fault) in
                try HeadParser.head(UnsafeRawBufferPointer(bytes))
            }
            if response.status.isInformational {
                guard response.status.rawValue != 101 else {
                    return .fault(.badResponse, "it switches to a protocol that was not asked for")
                }
                return .informational(response)
            }
            if let fault = response.framingFault { return .fault(.badResponse, fault) }
            hasHead = true
            return .head(response)
        } catch {
            return .fault(.badResponse, error.reason)
        }
    }

    /// What came after the body; `nil` when nothing did.
    mutating func trailers() throws(HeadParser.Fault) -> HTTPHeaders? {
        guard hasHead, !lines.isEmpty else { return nil }
        defer { lines = [] }
        return try lines.withUnsafeBufferPointer { bytes throws(HeadParser.Fault) in
            try HeadParser.trailers(UnsafeRawBufferPointer(bytes))
        }
    }

    /// libcurl starts the same request over.
    mutating func restart() {
        lines.removeAll(keepingCapacity: true)
        size = 0
        hasHead = false
    }
}
