internal import CLibcurl
internal import LupineCore

// What libcurl's callbacks, forwarded by CurlThunks, mean for a transfer. All on the loop's thread.
extension Transfer {
    // MARK: Going out

    /// The connection stands and the request is about to leave. False to keep it from leaving.
    ///
    /// libcurl repeats a request by itself when a kept connection turns out to be dead, whatever its method and
    /// although the server may have read it. A request that must not be sent twice ends there instead.
    func willSend() -> Bool {
        sendings += 1
        timing.connected(at: .now())
        core.updateDeadlineIfEarlier(self)
        guard sendings > 1 else { return true }
        assembler.restart()
        chunks = nil
        // libcurl keeps the first failure's text.
        easy?.clearErrorText()
        if heldHead != nil {
            // Refused for its expectation, not acted on: it goes out again without.
            heldHead = nil
            easy?.dropExpectation(of: request)
            return true
        }
        guard request.method.isIdempotent || !hasLeft else {
            cause = LupineError(
                .connectionLost,
                "the connection to \(host) ended before an answer; \(request.method) is not sent again by itself, since the server may have acted on it",
                host: host)
            return false
        }
        return true
    }

    func nextBody(into buffer: UnsafeMutableRawBufferPointer) -> RequestBodyFeed.Piece {
        timing.active(at: core.loop.eventTime)
        tellSent()
        let piece = readBody(into: buffer)
        switch piece {
        case .pause: isSendingPausedInCurl = true
        case .fault(let error): cause = error
        case .bytes, .end: break
        }
        return piece
    }

    /// With a buffer of no size it tells whether there is more.
    func readBody(into buffer: UnsafeMutableRawBufferPointer) -> RequestBodyFeed.Piece {
        if body == nil {
            body = RequestBodyFeed(request.body, length: request.statedBodyLength) { [weak self] in
                self?.bodyIsReadable()
            }
        }
        let piece = body?.read(into: buffer) ?? .end
        // A source knows no host.
        if case .fault(let error) = piece { return .fault(error.at(host)) }
        return piece
    }

    private func tellSent() {
        guard let easy else { return }
        seenSent = easy.offset(CURLINFO_SIZE_UPLOAD_T)
        // libcurl counts the framing of chunks too.
        let count = min(seenSent, body?.given ?? seenSent)
        // A second sending begins at nothing again; what was told does not fall.
        guard count > toldSent else { return }
        toldSent = count
        receiver.didSend(count)
    }

    func rewindBody() -> Bool {
        guard body?.rewind() ?? true else {
            cause = LupineError(
                .connectionLost,
                "the request to \(host) had to be sent again, and its body can be read only once", host: host)
            return false
        }
        return true
    }

    // MARK: Coming in

    /// A line of a head or of trailers. False to end the transfer.
    func received(headLine line: UnsafeRawBufferPointer) -> Bool {
        timing.active(at: core.loop.eventTime)
        easy?.awaitFirstField(false)
        switch assembler.add(line) {
        case .more:
            if assembler.awaitsFirstField { easy?.awaitFirstField(true) }
            return true
        case .head:
            guard var response = assembler.takeHead() else { return true }
            response.url = request.url
            guard response.status.isInformational else { return received(head: response) }
            receiver.didReceive(informational: response)
            return true
        case .fault(let code, let reason):
            cause = LupineError(code, "\(host) sent an answer that cannot be used: \(reason)", host: host)
            return false
        }
    }

    /// The first field continues none (RFC 9112 section 2.2). Said before libcurl has the line, where it can only be paused:
    /// the transfer is taken out once it has returned.
    func refuseFoldedFirstField() {
        cause = LupineError(
            .badResponse, "\(host) sent an answer that cannot be used: its first field is folded", host: host)
        cancel()
    }

    private func received(head response: consuming HTTPResponse) -> Bool {
        let speaksHTTP2 = request.usableHTTPVersion >= .http2 && easy?.agreedOnHTTP2 ?? true
        guard response.version < .http2 || speaksHTTP2 else {
            // libcurl believes it, and from then on sends requests over connections of that host that wait for other answers.
            shard?.isRetired = true
            cause = LupineError(
                .badResponse, "\(host) sent an answer that cannot be used: its status line is HTTP/2's", host: host)
            return false
        }
        let framing = assembler.framing
        let hasBody = request.method != .head && !response.status.forbidsContent
        if response.version < .http2 {
            if framing.isDoubtful(response.status, response.version) { easy?.forbidReuse() }
            if !hasBody || framing.isChunked || framing.length == 0 { easy?.hearRemarks() }
            if hasBody, framing.isChunked, CurlGlobal.showsChunks { chunks = ChunkChecker() }
        } else {
            core.beginsAnswerOverHTTP2(self)
        }
        if hasBody, request.url.isSecure, framing.endsWithConnection(response.version) { easy?.watchForNotice() }
        if hasBody, response.headers.contains("Content-Encoding"), request.asksForCodings {
            decoder = ContentDecoder(contentEncoding: response.headers.values(for: "Content-Encoding"))
        }
        let isOfTheseBytes = decoder == nil && !framing.isLengthVoid
        if !isOfTheseBytes {
            response.encodedHeaders = response.headers
            // It is that of other bytes, or of none.
            response.headers.remove(name: "Content-Length")
        }
        if decoder != nil { response.headers.remove(name: "Content-Encoding") }
        if hasBody, let fault = limits.fault(statedLength: isOfTheseBytes ? framing.length : nil) {
            cause = LupineError(.responseTooLarge, "\(fault) (\(host))", host: host)
        }
        // libcurl sends no more of a body that was refused, yet would wait for the source of it to go on.
        if response.status.rawValue >= 400, isSendingPausedInCurl { bodyIsReadable() }
        // libcurl repeats a request by itself whose expectation was refused while the body waited (417).
        if response.status == 417, request.headers.contains("Expect") {
            heldHead = response
        } else {
            receiver.didReceive(head: response)
        }
        return cause == nil
    }

    /// No second sending follows: the head that waited for one is the answer's.
    func releaseHead() {
        if let head = heldHead.take() { receiver.didReceive(head: head) }
    }

    /// Body bytes with their framing, before libcurl reads it.
    func received(raw bytes: UnsafeRawBufferPointer) {
        chunks?.feed(bytes)
        if chunks?.isDamaged ?? false { easy?.forbidReuse() }
    }

    /// Of bytes that libcurl took out of chunks, those that were in sound ones; the transfer ends after them.
    private func sound(_ bytes: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
        guard let chunks, chunks.isDamaged else { return bytes }
        let count = min(max(chunks.dataCount - limits.received, 0), Int64(bytes.count))
        return UnsafeRawBufferPointer(rebasing: bytes[..<Int(count)])
    }

    enum Reception { case taken, paused, refused }

    func received(body bytes: UnsafeRawBufferPointer) -> Reception {
        guard cause == nil else { return .refused }
        guard assembler.hasHead else {
            cause = LupineError(
                .badResponse, "\(host) sent an answer that cannot be used: its head has no end", host: host)
            return .refused
        }
        releaseHead()
        if isPaused {
            isReceivingPausedInCurl = true
            return .paused
        }
        timing.active(at: core.loop.eventTime)
        let isDamaged = chunks?.isDamaged ?? false
        let bytes = sound(bytes)
        limits.receive(bytes.count)
        if decoder == nil {
            _ = deliver(bytes)
        } else {
            decode { decoder, sink throws(DecodingFault) in try decoder.decode(bytes, into: sink) }
        }
        return cause == nil && !isDamaged ? .taken : .refused
    }

    func decode(_ work: (ContentDecoder, ContentDecoder.Sink) throws(DecodingFault) -> Bool) {
        guard let decoder else { return }
        do {
            let isThrough = try work(decoder) { bytes throws(DecodingFault) in self.deliver(bytes) }
            hasLeftover = !isThrough && cause == nil
        } catch {
            cause = LupineError(error.code, "\(error.reason) (\(host))", host: host)
        }
    }

    /// Gives bytes to the receiver. False to have no more for now.
    private func deliver(_ bytes: UnsafeRawBufferPointer) -> Bool {
        if let fault = limits.decode(bytes.count, isCoded: decoder != nil) {
            cause = LupineError(.responseTooLarge, "\(fault) (\(host))", host: host)
            return false
        }
        guard !bytes.isEmpty else { return true }
        guard receiver.didReceive(body: bytes) == .pause else { return !isPaused }
        isPaused = true
        timing.pause()
        return false
    }
}
