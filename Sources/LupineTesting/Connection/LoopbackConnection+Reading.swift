internal import LupineCore

/// The largest head that is read, in bytes.
private let largestHead = 1 << 20
/// How much is asked of the socket where more than needed may come.
private let readAhead = 16 << 10

extension LoopbackConnection {
    /// What has arrived, waiting for something if nothing has: 1 to `count` bytes, or none at the end. Takes no more
    /// than `count` from the socket, so that a script that reads slowly makes the peer wait.
    public func read(upTo count: Int) throws(LoopbackError) -> [UInt8] {
        if unread.isEmpty { _ = try fill(upTo: count) }
        let piece = Array(unread.prefix(count))
        unread = unread.dropFirst(piece.count)
        return piece
    }

    /// Exactly `count` bytes.
    ///
    /// - Throws: `unexpected-end` when the peer ends before.
    public func readExactly(_ count: Int) throws(LoopbackError) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(count)
        while bytes.count < count {
            try demanding("\(count) bytes, of which \(bytes.count) came") { () throws(LoopbackError) in
                let piece = try read(upTo: min(count - bytes.count, 64 << 10))
                bytes += piece
                return piece.count
            }
        }
        return bytes
    }

    /// Everything until the peer ends its side.
    public func readToEnd() throws(LoopbackError) -> [UInt8] {
        var bytes: [UInt8] = []
        while true {
            let piece = try read(upTo: 64 << 10)
            if piece.isEmpty { return bytes }
            bytes += piece
        }
    }

    /// The next head; its body is still to be read, by ``readBody(of:)`` or by hand. `nil`: the peer ended, or reset, before
    /// its first byte.
    ///
    /// - Throws: `unexpected-end` within a head; `malformed-request`.
    public func readHead() throws(LoopbackError) -> RecordedRequest? {
        let request = try readHeadUnrecorded()
        if let request { log.record(request) }
        return request
    }

    /// The body that belongs to a head of ``readHead()``. `Expect: 100-continue` is the script's to answer, before.
    ///
    /// - Returns: the request with body and trailers.
    /// - Throws: `unexpected-end`; `malformed-request`.
    @discardableResult
    public func readBody(of head: RecordedRequest) throws(LoopbackError) -> RecordedRequest {
        let request = try readBodyUnrecorded(of: head)
        log.complete(request)
        return request
    }

    /// The next request, body included. `nil`: the peer ended, or reset, before its first byte.
    ///
    /// - Parameter continuing: answer `Expect: 100-continue` with `100 Continue`. `false` by default: a script that
    ///   wants to see what a client does without an answer gets that.
    /// - Throws: `unexpected-end` within a request; `malformed-request`.
    @discardableResult
    public func readRequest(continuing: Bool = false) throws(LoopbackError) -> RecordedRequest? {
        guard let head = try readHeadUnrecorded() else { return nil }
        if continuing, head.expectsContinue { try send("HTTP/1.1 100 Continue\r\n\r\n") }
        let request = try readBodyUnrecorded(of: head)
        log.record(request)
        return request
    }

    private func readHeadUnrecorded() throws(LoopbackError) -> RecordedRequest? {
        var searched = unread.startIndex
        while true {
            if let end = headEnd(from: searched) {
                let head = Array(unread[..<end])
                unread = unread[end...]
                return try RecordedRequest(head: head, connection: index)
            }
            guard unread.count <= largestHead else {
                throw LoopbackError(.malformedRequest, "a head larger than \(largestHead) bytes")
            }
            let before = unread.count
            do throws(LoopbackError) {
                if try fill(upTo: readAhead) == 0 {
                    if before == 0 { return nil }
                    throw LoopbackError(.unexpectedEnd, "the peer ended within a head")
                }
            } catch {
                if error.code == .peerDisconnected, before == 0 { return nil }
                throw error
            }
            searched = max(unread.startIndex, unread.startIndex + before - 3)
        }
    }

    /// The index after the empty line.
    private func headEnd(from start: Int) -> Int? {
        var index = start
        while let line = unread[index...].firstIndex(of: 0x0A) {
            let rest = unread[(line + 1)...]
            if rest.first == 0x0A { return line + 2 }
            if rest.starts(with: [0x0D, 0x0A]) { return line + 3 }
            index = line + 1
        }
        return nil
    }

    private func readBodyUnrecorded(of head: RecordedRequest) throws(LoopbackError) -> RecordedRequest {
        var request = head
        switch try head.framing() {
        case .none: break
        case .length(let length): request.body = try readExactly(length)
        case .chunked: try readChunks(into: &request)
        }
        request.isComplete = true
        return request
    }

    private func readChunks(into request: inout RecordedRequest) throws(LoopbackError) {
        while true {
            let line = try readLine()
            let digits = String(decoding: line.prefix { $0 != UInt8(ascii: ";") }, as: UTF8.self).trimmingOWS
            guard let size = Int(digits, radix: 16), size >= 0 else {
                throw LoopbackError(.malformedRequest, "chunk size \(String(digits).quotedForMessage)")
            }
            if size == 0 { break }
            request.body += try readExactly(size)
            guard try readLine().isEmpty else { throw LoopbackError(.malformedRequest, "no line break after a chunk") }
        }
        var lines: [ArraySlice<UInt8>] = []
        while true {
            let line = try readLine()
            if line.isEmpty { break }
            lines.append(line[...])
        }
        request.trailers = try HTTPHeaders(lines: lines)
    }

    /// One line, without its break.
    private func readLine() throws(LoopbackError) -> [UInt8] {
        while true {
            if let end = unread.firstIndex(of: 0x0A) {
                var line = unread[..<end]
                unread = unread[(end + 1)...]
                if line.last == 0x0D { line = line.dropLast() }
                return Array(line)
            }
            guard unread.count <= largestHead else { throw LoopbackError(.malformedRequest, "a line without an end") }
            try demanding("a line of the body") { () throws(LoopbackError) in
                try fill(upTo: readAhead)
            }
        }
    }

    /// Receives at most `count` bytes more. Zero: the peer has ended its side.
    @discardableResult
    private func fill(upTo count: Int) throws(LoopbackError) -> Int {
        try checkOpen()
        let piece = try channel.receive(upTo: max(1, count))
        guard !piece.isEmpty else { return 0 }
        log.received(piece, on: index)
        // A fresh array while nothing is left over: a slice keeps its whole past alive.
        if unread.isEmpty { unread = piece[...] } else { unread = (Array(unread) + piece)[...] }
        return piece.count
    }

    /// An end, in order or not, where bytes were demanded is a failure of the script.
    private func demanding(_ what: String, _ body: () throws(LoopbackError) -> Int) throws(LoopbackError) {
        let count: Int
        do throws(LoopbackError) {
            count = try body()
        } catch {
            guard error.code == .peerDisconnected else { throw error }
            throw LoopbackError(.unexpectedEnd, "the peer disconnected before \(what)")
        }
        guard count > 0 else { throw LoopbackError(.unexpectedEnd, "the peer ended before \(what)") }
    }
}
