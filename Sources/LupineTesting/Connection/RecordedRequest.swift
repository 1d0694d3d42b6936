public import LupineCore

/// A request as the server read it.
public struct RecordedRequest: Hashable, Sendable {
    /// The method.
    public var method: HTTPMethod
    /// The request target as it came (RFC 9112 section 3.2): usually path and query.
    public var target: String
    /// The version of the request line.
    public var version: HTTPVersion
    /// The fields in the order in which they came.
    public var headers: HTTPHeaders
    /// The head's bytes, from the request line to the empty line, as they came.
    public var head: [UInt8]
    /// The body, chunk framing removed.
    public var body: [UInt8] = []
    /// The fields after a chunked body.
    public var trailers = HTTPHeaders()
    /// Whether the body was read to its end.
    public var isComplete = false
    /// The number of the connection it came over, from 0.
    public var connection: Int

    /// The target up to the question mark.
    public var path: String { String(target.prefix { $0 != "?" }) }
    /// What follows the question mark.
    public var query: String? {
        target.firstIndex(of: "?").map { String(target[target.index(after: $0)...]) }
    }
    /// The body as UTF-8; what is not is replaced.
    public var text: String { String(decoding: body, as: UTF8.self) }
    /// The head as text.
    public var headText: String { String(decoding: head, as: UTF8.self) }
}

extension RecordedRequest {
    /// Reads a head. Lenient where a fault is a test's matter, strict where the message's shape is unclear.
    init(head: [UInt8], connection: Int) throws(LoopbackError) {
        let lines = head.split(separator: 0x0A, omittingEmptySubsequences: false).map { line in
            line.last == 0x0D ? line.dropLast() : line
        }
        let words = (lines.first ?? []).split(separator: 0x20, omittingEmptySubsequences: false)
            .map { String(decoding: $0, as: UTF8.self) }
        guard words.count == 3, let version = HTTPVersion(requestLine: words[2]), words[0].isHTTPToken else {
            throw LoopbackError(
                .malformedRequest,
                "the request line is \(String(decoding: lines.first ?? [], as: UTF8.self).quotedForMessage)")
        }
        self.method = HTTPMethod(rawValue: words[0])
        self.target = words[1]
        self.version = version
        self.headers = try HTTPHeaders(lines: lines.dropFirst())
        self.head = head
        self.connection = connection
    }

    /// How the body is framed (RFC 9112 section 6.3).
    enum Framing: Equatable { case none, length(Int), chunked }

    func framing() throws(LoopbackError) -> Framing {
        if let coding = headers.values(for: "Transfer-Encoding").last {
            guard coding.equalsIgnoringASCIICase("chunked") else {
                throw LoopbackError(.malformedRequest, "Transfer-Encoding \(coding.quotedForMessage)")
            }
            return .chunked
        }
        guard let text = headers["Content-Length"] else { return .none }
        guard let length = Int(text), length >= 0 else {
            throw LoopbackError(.malformedRequest, "Content-Length \(text.quotedForMessage)")
        }
        return length == 0 ? .none : .length(length)
    }

    /// Whether the sender will send another request over the connection (RFC 9112 section 9.3).
    var keepsConnection: Bool {
        let options = headers.values(for: "Connection").joined(separator: ",").asciiLowercased
        if options.contains("close") { return false }
        return version >= .http1_1 || options.contains("keep-alive")
    }

    var expectsContinue: Bool { headers["Expect"]?.equalsIgnoringASCIICase("100-continue") ?? false }
}

extension HTTPVersion {
    fileprivate init?(requestLine text: String) {
        switch text {
        case "HTTP/1.1": self = .http1_1
        case "HTTP/1.0": self = .http1_0
        default: return nil
        }
    }
}

extension HTTPHeaders {
    /// Reads field lines up to the first empty one.
    init(lines: some Sequence<ArraySlice<UInt8>>) throws(LoopbackError) {
        self.init()
        for line in lines {
            if line.isEmpty { return }
            guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else {
                throw LoopbackError(
                    .malformedRequest, "no field: \(String(decoding: line, as: UTF8.self).quotedForMessage)")
            }
            add(
                name: String(decoding: line[..<colon], as: UTF8.self),
                value: String(String(decoding: line[(colon + 1)...], as: UTF8.self).trimmingOWS))
        }
    }
}
