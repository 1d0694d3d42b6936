import LupineCore
import LupineTesting
import LupineTransport
import Testing

/// A head whose first field is folded (RFC 9112 section 5.2), after other answers over the same transport.
///
/// libcurl 7.83 to 8.2 appends such a line to the last field of the answer before, whose memory is free by then
/// (curl's issues 11101 and 11620): any server could do that to a client.
@Suite(.timeLimit(.minutes(2)))
struct FirstLineFoldedTests {
    @Test(arguments: [
        "HTTP/1.1 200 OK\r\n Date: now\r\nContent-Length: 0\r\n\r\n",
        "HTTP/1.1 200 OK\r\n\tContent-Length: 5\r\n\r\nhello",
        "HTTP/1.1 200 OK\n \n\n",
        "HTTP/1.1 200 OK\r\n Date: now\r\n",
        "HTTP/1.1 100 Continue\r\n X: y\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n",
        "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\n X: y\r\nContent-Length: 0\r\n\r\n",
    ])
    func afterOtherAnswers(_ folded: String) async throws {
        let fields = (0..<20).map { "X-\($0): \(String(repeating: "v", count: 8 * $0))\r\n" }.joined()
        let server = try LoopbackServer { connection in
            while let request = try connection.readRequest() {
                let answer = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\(fields)\r\n"
                try connection.send(request.path == "/folded" ? folded : answer)
            }
        }
        let transport = CurlTransport()
        for _ in 0..<20 {
            #expect(try await transport.run(server).code == nil)
            let receiver = try await transport.run(server, "/folded")
            // The first field has nothing to continue: some readers drop the line, others take it for a field.
            #expect(receiver.code == .badResponse)
            #expect(receiver.head == nil)
        }
        #expect(try await transport.run(server).head?.headers["X-19"]?.count == 8 * 19)
        await transport.shutdown()
        #expect(server.failures.isEmpty)
    }
}
