import LupineTesting

/// A few frames of HTTP/2 (RFC 9113), for scripts of ``LoopbackServer`` that end streams and connections by its rules.
struct HTTP2Script {
    let connection: LoopbackConnection

    enum FrameType: UInt8 {
        case data, headers, priority, resetStream, settings, pushPromise, ping, goAway, windowUpdate
    }

    struct Frame {
        let type: UInt8
        let flags: UInt8
        let stream: UInt32
        let payload: [UInt8]

        var endsStream: Bool {
            flags & 1 != 0 && (type == FrameType.headers.rawValue || type == FrameType.data.rawValue)
        }
    }

    enum ErrorCode: UInt32 {
        case none = 0, protocolError = 1, internalError = 2, refusedStream = 7, enhanceYourCalm = 11, inadequateSecurity
    }

    /// Reads the client's preface and answers with settings.
    init?(_ connection: LoopbackConnection) throws {
        self.connection = connection
        guard connection.tls?.applicationProtocol == "h2" else { return nil }
        let preface = try connection.readExactly(24)
        guard preface == Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8) else { return nil }
        try send(.settings)
    }

    func send(_ type: FrameType, flags: UInt8 = 0, stream: UInt32 = 0, _ payload: [UInt8] = []) throws {
        try connection.send(Self.frame(type, flags, stream, payload))
    }

    private static func frame(_ type: FrameType, _ flags: UInt8, _ stream: UInt32, _ payload: [UInt8]) -> [UInt8] {
        UInt32(payload.count).bytes.dropFirst() + [type.rawValue, flags] + stream.bytes + payload
    }

    private func readFrame() throws -> Frame {
        let head = try connection.readExactly(9)
        let length = Int(head[0]) << 16 | Int(head[1]) << 8 | Int(head[2])
        let stream = head[5...8].reduce(UInt32(0)) { $0 << 8 | UInt32($1) } & 0x7FFF_FFFF
        return Frame(type: head[3], flags: head[4], stream: stream, payload: try connection.readExactly(length))
    }

    /// The stream of the next request, read to its end, or that of its head alone. Settings are acknowledged on the way.
    func nextRequest(headAlone: Bool = false) throws -> UInt32 {
        while true {
            let frame = try readFrame()
            if frame.type == FrameType.settings.rawValue, frame.flags & 1 == 0 { try send(.settings, flags: 1) }
            if headAlone ? frame.type == FrameType.headers.rawValue : frame.endsStream { return frame.stream }
        }
    }

    /// 200 with a text.
    func answer(_ stream: UInt32, _ text: String) throws {
        // `:status: 200` is entry 8 of the static table (RFC 7541 appendix A).
        try send(.headers, flags: 4, stream: stream, [0x88])
        try send(.data, flags: 1, stream: stream, Array(text.utf8))
    }

    /// 404 with a text, and no more of the request (RFC 9113 section 8.1): all in one piece.
    func refuseEarly(_ stream: UInt32, _ text: String) throws {
        // `:status: 404` is entry 13.
        try connection.send(
            Self.frame(.headers, 4, stream, [0x8D]) + Self.frame(.data, 1, stream, Array(text.utf8))
                + Self.frame(.resetStream, 0, stream, ErrorCode.none.rawValue.bytes))
    }

    func reset(_ stream: UInt32, _ code: ErrorCode) throws {
        try send(.resetStream, stream: stream, code.rawValue.bytes)
    }

    /// No stream above `last` was or will be acted on.
    func goAway(last: UInt32, _ code: ErrorCode = .none) throws {
        try send(.goAway, last.bytes + code.rawValue.bytes)
    }
}

extension UInt32 {
    fileprivate var bytes: [UInt8] { [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: self >> $0) } }
}
