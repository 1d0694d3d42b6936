import LupineCore
import LupineTesting
import LupineTransport
import Testing

/// Heads that RFC 9112 sections 4 and 5 do not know, or that two readers could read as two messages.
@Suite(.timeLimit(.minutes(2)))
struct MalformedHeadTests {
    /// libcurl believes a status line of HTTP/2 in the clear, and would then send requests over connections of that host on
    /// which other answers are awaited: each would get another's.
    @Test func aStatusLineOfHTTP2SharesNoConnection() async throws {
        let gates = ["/first": Gate(), "/second": Gate()]
        let server = try LoopbackServer { connection in
            while let request = try connection.readRequest() {
                guard request.path != "/fault" else {
                    return try connection.send("HTTP/2 200 OK\r\nContent-Length: 0\r\n\r\n")
                }
                if let gate = gates[request.path] { try connection.wait(gate) }
                try connection.send(.text("this is \(request.path)"))
            }
        }
        let transport = CurlTransport.alone()
        let (first, _) = try transport.begin(server, "/first")
        try await server.waitForRequests(1)
        #expect(try await transport.run(server, "/fault").code == .badResponse)
        gates["/first"]?.open()
        try await first.finish()
        let (second, _) = try transport.begin(server, "/second")
        try await server.waitForRequests(3)
        // The only connection is taken: these need others.
        for index in 0..<3 { try await transport.expectUnharmed(server, "/\(index)") }
        gates["/second"]?.open()
        try await second.finish()
        #expect(first.text == "this is /first" && second.text == "this is /second")
        await transport.shutdown()
    }

    static let faults: [Fault] = [
        Fault("no HTTP", "GARBAGE\r\n\r\n", .close),
        Fault("HTTP/0.9", "<html>hello</html>", .close),
        Fault("another protocol", "SSH-2.0-OpenSSH_9.2\r\n", .close),
        Fault("lower-case name", "http/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"),
        Fault("space before the name", " HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"),
        Fault("version with a word", "HTTP/one 200 OK\r\nContent-Length: 0\r\n\r\n", .close),
        Fault("version 1.12", "HTTP/1.12 200 OK\r\nContent-Length: 0\r\n\r\n", .close),
        Fault("HTTP/2 in the clear", "HTTP/2 200 OK\r\nContent-Length: 0\r\n\r\n"),
        Fault("no status", "HTTP/1.1\r\nContent-Length: 0\r\n\r\n", .close),
        Fault("two-digit status", "HTTP/1.1 20 OK\r\nContent-Length: 0\r\n\r\n", .close),
        Fault("four-digit status", "HTTP/1.1 2000 OK\r\nContent-Length: 0\r\n\r\n", .close),
        Fault("status with a sign", "HTTP/1.1 +20 OK\r\nContent-Length: 0\r\n\r\n", .close),
        Fault("status below 100", "HTTP/1.1 099 Odd\r\nContent-Length: 0\r\n\r\n", .close),
        Fault("two spaces before the status", "HTTP/1.1  200 OK\r\nContent-Length: 0\r\n\r\n", .close),
        Fault("NUL in the reason", "HTTP/1.1 200 O\0K\r\nContent-Length: 0\r\n\r\n"),
        Fault("bare CR in the reason", "HTTP/1.1 200 O\rK\r\nContent-Length: 0\r\n\r\n"),
        Fault("field without colon", "HTTP/1.1 200 OK\r\nContent-Length\r\nContent-Length: 0\r\n\r\n"),
        Fault("space before the colon", "HTTP/1.1 200 OK\r\nContent-Length : 0\r\nContent-Length: 0\r\n\r\n"),
        Fault("tab before the colon", "HTTP/1.1 200 OK\r\nX\t: y\r\nContent-Length: 0\r\n\r\n"),
        Fault("space in a name", "HTTP/1.1 200 OK\r\nX Y: z\r\nContent-Length: 0\r\n\r\n"),
        Fault("empty name", "HTTP/1.1 200 OK\r\n: z\r\nContent-Length: 0\r\n\r\n"),
        Fault("non-ASCII name", "HTTP/1.1 200 OK\r\nNaïve: z\r\nContent-Length: 0\r\n\r\n"),
        Fault("NUL in a name", "HTTP/1.1 200 OK\r\nX\0: z\r\nContent-Length: 0\r\n\r\n"),
        Fault("NUL in a value", "HTTP/1.1 200 OK\r\nX: a\0b\r\nContent-Length: 0\r\n\r\n"),
        Fault("bare CR in a value", "HTTP/1.1 200 OK\r\nX: a\rContent-Length: 9\r\nContent-Length: 0\r\n\r\n"),
        Fault("bare CR before a name", "HTTP/1.1 200 OK\r\n\rX: a\r\nContent-Length: 0\r\n\r\n", .close),
        Fault("two CRs at the end", "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\r\n", .close),
        Fault("first field folded", "HTTP/1.1 200 OK\r\n X: y\r\nContent-Length: 0\r\n\r\n"),
        Fault("NUL in a folded value", "HTTP/1.1 200 OK\r\nX: a\r\n b\0c\r\nContent-Length: 0\r\n\r\n"),
        Fault("bare CR in a folded value", "HTTP/1.1 200 OK\r\nX: a\r\n b\rc\r\nContent-Length: 0\r\n\r\n"),
        Fault("folded length", "HTTP/1.1 200 OK\r\nContent-Length:\r\n 5\r\n\r\nhello", .close),
        Fault("folded length, more digits", "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n 0\r\n\r\nhello67890", .close),
        Fault(
            "folded transfer coding", "HTTP/1.1 200 OK\r\nTransfer-Encoding:\r\n chunked\r\n\r\n0\r\n\r\n", .close),
        Fault("switching protocols", "HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n"),
    ]

    @Test(arguments: faults)
    func endsInBadResponse(_ fault: Fault) async throws {
        let (receiver, connections) = try await fault.run()
        #expect(receiver.code == .badResponse)
        #expect(receiver.head == nil)
        #expect(receiver.body.isEmpty)
        #expect(connections == 2, "a connection whose answers cannot be read was used again")
    }
}
