extension LoopbackConnection {
    /// Answers one request after the other until the peer, a request or an answer ends the connection.
    ///
    /// `Expect: 100-continue` is answered; HEAD is answered without the body; after `Connection: close`, in either
    /// direction, and after an HTTP/1.0 request the connection is closed.
    public func serve(_ respond: (RecordedRequest) throws -> LoopbackResponse) throws {
        while let request = try readRequest(continuing: true) {
            let response = try respond(request)
            let isLast = !request.keepsConnection || response.closesConnection
            try send(response, to: request, isLast: isLast)
            if isLast { return }
        }
    }
}
