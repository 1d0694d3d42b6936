import LupineCore
import LupineTesting
import LupineTransport
import Testing

/// Heads, 1xx heads, trailers and lines that do not end: given up at the limit, whatever the server goes on to send.
@Suite(.timeLimit(.minutes(2)))
struct EndlessTests {
    enum Kind: String, CaseIterable { case fields, line, statusLine, folds, informational, trailers, trailerLine }

    private func run(_ kind: Kind, maximumHeadSize: Int) async throws -> RecordingReceiver {
        let server = try LoopbackServer(recordsTraffic: false) { connection in
            while let request = try connection.readRequest() {
                guard request.path == "/fault" else {
                    try connection.send(.text("this is \(request.path)"))
                    continue
                }
                switch kind {
                case .fields: try connection.send("HTTP/1.1 200 OK\r\n")
                case .line: try connection.send("HTTP/1.1 200 OK\r\nX: ")
                case .statusLine: try connection.send("HTTP/1.1 200 ")
                case .folds: try connection.send("HTTP/1.1 200 OK\r\nX: y\r\n")
                case .informational: break
                case .trailers, .trailerLine:
                    try connection.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n")
                }
                let piece =
                    switch kind {
                    case .fields, .trailers: "X-Field: value\r\n"
                    case .line, .statusLine, .trailerLine: "x"
                    case .folds: " more\r\n"
                    case .informational: "HTTP/1.1 102 Processing\r\nX: \(String(repeating: "x", count: 400))\r\n\r\n"
                    }
                let block = Array(String(repeating: piece, count: 100).utf8)
                // Ends when the client goes.
                while true { try connection.send(block) }
            }
        }
        var configuration = TransportConfiguration()
        configuration.maximumHeadSize = maximumHeadSize
        let transport = CurlTransport.alone(configuration)
        let receiver = try await transport.run(server, "/fault")
        try await transport.expectUnharmed(server)
        await transport.shutdown()
        try await server.waitForOpenConnections()
        return receiver
    }

    @Test(arguments: Kind.allCases)
    func endInTooLarge(_ kind: Kind) async throws {
        let receiver = try await run(kind, maximumHeadSize: 256 << 10)
        #expect(receiver.code == .responseTooLarge)
    }

    /// Whatever libcurl's own limits are.
    @Test(arguments: Kind.allCases)
    func endInTooLargeAlsoBeyondLibcurlsLimits(_ kind: Kind) async throws {
        let receiver = try await run(kind, maximumHeadSize: 512 << 10)
        #expect(receiver.code == .responseTooLarge)
    }

    @Test(arguments: [1024, 64 << 10])
    func theLimitIsOfTheWholeHead(_ limit: Int) async throws {
        for (excess, code) in [(0, nil), (1, LupineError.Code.responseTooLarge)] {
            let start = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nX: ", end = "\r\n\r\n"
            let fill = String(repeating: "x", count: limit - start.utf8.count - end.utf8.count + excess)
            let server = try LoopbackServer { connection in
                while try connection.readRequest() != nil { try connection.send(start + fill + end + "ok") }
            }
            var configuration = TransportConfiguration()
            configuration.maximumHeadSize = limit
            let transport = CurlTransport.alone(configuration)
            let receiver = try await transport.run(server)
            #expect(receiver.code == code)
            await transport.shutdown()
        }
    }
}
