public import LupineCore

extension LoopbackConnection {
    /// Sends a text as it stands, as UTF-8. Blocks while the peer does not read.
    public func send(_ text: String) throws(LoopbackError) { try send(Array(text.utf8)) }

    /// Sends bytes as they stand. Blocks while the peer does not read.
    public func send(_ bytes: some Collection<UInt8>) throws(LoopbackError) {
        try checkOpen()
        try channel.send(Array(bytes))
    }

    /// Sends an answer with its framing.
    ///
    /// - Parameters:
    ///   - request: what it answers: the body is left out for HEAD. `nil`, the default: never.
    ///   - isLast: add `Connection: close`. `false` by default; the script still closes by itself.
    public func send(
        _ response: LoopbackResponse, to request: RecordedRequest? = nil, isLast: Bool = false
    ) throws(LoopbackError) {
        let head = response.headBytes(isLast: isLast)
        let hasBody = request?.method != .head && !response.status.forbidsContent
        guard hasBody else { return try send(head) }
        guard let chunkSize = response.chunkSize else { return try send(head + response.body) }
        try send(head)
        var rest = response.body[...]
        while !rest.isEmpty {
            try sendChunk(rest.prefix(max(1, chunkSize)))
            rest = rest.dropFirst(max(1, chunkSize))
        }
        try endChunks()
    }

    /// Sends an answer from its parts, with its framing.
    public func send(
        status: HTTPStatus, reason: String? = nil, headers: HTTPHeaders = [:], body: String = ""
    ) throws(LoopbackError) {
        try send(LoopbackResponse(status: status, reason: reason, headers: headers, body: Array(body.utf8)))
    }

    /// Sends a head alone, without any framing field of its own: what follows is the script's to send.
    public func sendHead(
        status: HTTPStatus = 200, reason: String? = nil, headers: HTTPHeaders = [:]
    ) throws(LoopbackError) {
        var response = LoopbackResponse(status: status, reason: reason)
        var text = "HTTP/1.1 \(status.rawValue) \(response.reason)\r\n"
        response.headers = headers
        for field in headers { text += "\(field.name): \(field.value)\r\n" }
        try send(text + "\r\n")
    }

    /// Sends one chunk (RFC 9112 section 7.1), after a head with `Transfer-Encoding: chunked`. An empty one is not
    /// sent: it would be the end.
    public func sendChunk(_ bytes: some Collection<UInt8>) throws(LoopbackError) {
        guard !bytes.isEmpty else { return }
        try send(Array("\(String(bytes.count, radix: 16))\r\n".utf8) + bytes + [0x0D, 0x0A])
    }

    /// Sends one chunk of text.
    public func sendChunk(_ text: String) throws(LoopbackError) { try sendChunk(Array(text.utf8)) }

    /// Sends the last chunk and the trailers.
    public func endChunks(trailers: HTTPHeaders = [:]) throws(LoopbackError) {
        var text = "0\r\n"
        for field in trailers { text += "\(field.name): \(field.value)\r\n" }
        try send(text + "\r\n")
    }

    /// Sends bytes one at a time, each after a wait.
    public func drip(_ bytes: some Collection<UInt8>, each interval: Duration) throws(LoopbackError) {
        for byte in bytes {
            try delay(interval)
            try send([byte])
        }
    }

    /// Sends a text one byte at a time, each after a wait.
    public func drip(_ text: String, each interval: Duration) throws(LoopbackError) {
        try drip(Array(text.utf8), each: interval)
    }
}
