import Dispatch
import LupineCore
import LupineTesting
import LupineTransport
import Testing

/// Bytes after an answer's end are no answer to the next request (RFC 9112 section 9.2).
@Suite(.timeLimit(.minutes(2)))
struct SurplusTests {
    static let evil = "HTTP/1.1 200 OK\r\nContent-Length: 4\r\nX-Evil: yes\r\n\r\nevil"
    static let answers: [(HTTPMethod, Fault)] = [
        (.get, Fault("a length", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello")),
        (.get, Fault("length 0", "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")),
        (.get, Fault("chunks", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n")),
        (
            .get,
            Fault("trailers", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\nA: b\r\n\r\n")
        ),
        (.get, Fault("204", "HTTP/1.1 204 No Content\r\n\r\n")),
        (.get, Fault("204 with a body", "HTTP/1.1 204 No Content\r\nContent-Length: 5\r\n\r\nhello")),
        (.get, Fault("204 with chunks", "HTTP/1.1 204 x\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n")),
        (.get, Fault("304", "HTTP/1.1 304 Not Modified\r\n\r\n")),
        (.get, Fault("304 with a body", "HTTP/1.1 304 Not Modified\r\nContent-Length: 5\r\n\r\nhello")),
        (.head, Fault("HEAD", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n")),
        (.head, Fault("HEAD with the body", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello")),
    ]

    /// In one piece, right behind the answer.
    @Test(arguments: answers)
    func inOnePieceReachesNobody(_ method: HTTPMethod, _ fault: Fault) async throws {
        var fault = fault
        fault.bytes += Array(Self.evil.utf8)
        let (receiver, connections) = try await fault.run(method: method)
        #expect(receiver.code == nil)
        #expect(receiver.text == (receiver.text.isEmpty ? "" : "hello"))
        #expect(connections == 2)
    }

    /// The rest comes when the client has sent its next request: it is on no account to be taken for the answer.
    @Test(arguments: answers)
    func inTwoPiecesReachesNobody(_ method: HTTPMethod, _ fault: Fault) async throws {
        let split = 20
        let server = try LoopbackServer { connection in
            while let request = try connection.readRequest() {
                if request.path == "/fault" {
                    try connection.send(fault.bytes + Array(Self.evil.utf8.prefix(split)))
                    guard try connection.readRequest() != nil else { return }
                    try connection.send(Array(Self.evil.utf8.dropFirst(split)))
                } else {
                    try connection.send(.text("this is \(request.path)"))
                }
            }
        }
        let transport = CurlTransport()
        let first = try await transport.run(server, "/fault", method: method)
        #expect(first.code == nil)
        try await transport.expectUnharmed(server)
        #expect(server.connectionCount == 2)
        await transport.shutdown()
    }

    /// Its first connection sends an answer more, once `first` is open.
    private static func server(_ first: Gate, _ sent: Gate) throws -> LoopbackServer {
        try LoopbackServer { connection in
            while let request = try connection.readRequest() {
                try connection.send(.text("this is \(request.path)"))
                guard connection.index == 0 else { continue }
                try connection.wait(first)
                try connection.send(evil)
                sent.open()
            }
        }
    }

    /// An answer that nobody asked for, on an idle connection.
    @Test func whileIdleReachesNobody() async throws {
        let first = Gate(), sent = Gate()
        let server = try Self.server(first, sent)
        // Its own loop, which sleeps when the bytes come.
        let transport = CurlTransport.alone()
        #expect(try await transport.run(server, "/one").text == "this is /one")
        first.open()
        try await sent.opened()
        try await transport.expectUnharmed(server)
        await transport.shutdown()
    }

    /// The loop was busy when it came, and finds the next request beside it.
    @Test func whileTheLoopIsBusyReachesNobody() async throws {
        let first = Gate(), sent = Gate(), busy = Gate(), goOn = DispatchSemaphore(value: 0)
        let server = try Self.server(first, sent)
        let loop = EventLoop(), transport = CurlTransport(eventLoop: loop)
        #expect(try await transport.run(server, "/one").text == "this is /one")
        loop.execute {
            busy.open()
            goOn.wait()
        }
        try await busy.opened()
        first.open()
        try await sent.opened()
        let (receiver, _) = try transport.begin(server, "/next")
        goOn.signal()
        try await receiver.finish()
        #expect(receiver.text == "this is /next")
        await transport.shutdown()
    }
}
