import LupineCore
import LupineTesting
import LupineTransport
import Testing

/// Answers without a body: by status, or to HEAD (RFC 9112 section 6.3, rules 1 and 2).
@Suite(.timeLimit(.minutes(2)))
struct BodilessTests {
    @Test(arguments: [
        Fault("204", "HTTP/1.1 204 No Content\r\n\r\n"),
        Fault("204 with length 0", "HTTP/1.1 204 No Content\r\nContent-Length: 0\r\n\r\n"),
        Fault("304", "HTTP/1.1 304 Not Modified\r\nETag: \"x\"\r\n\r\n"),
        Fault("304 with the length of what it stands for", "HTTP/1.1 304 Not Modified\r\nContent-Length: 5000\r\n\r\n"),
        Fault("304 chunked", "HTTP/1.1 304 Not Modified\r\nTransfer-Encoding: chunked\r\n\r\n"),
        Fault("205", "HTTP/1.1 205 Reset Content\r\nContent-Length: 0\r\n\r\n"),
        Fault("200 with length 0", "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"),
        Fault("gzip of nothing", "HTTP/1.1 200 OK\r\nContent-Length: 0\r\nContent-Encoding: gzip\r\n\r\n"),
        Fault("304 with a coding", "HTTP/1.1 304 Not Modified\r\nContent-Encoding: gzip\r\n\r\n"),
        Fault("204 with a coding", "HTTP/1.1 204 No Content\r\nContent-Encoding: br\r\n\r\n"),
    ])
    func endAtTheEndOfTheHead(_ fault: Fault) async throws {
        let (receiver, connections) = try await fault.run()
        #expect(receiver.code == nil)
        #expect(receiver.order == ["head", "finish"])
        #expect(connections == 1)
    }

    /// B26, B64.
    @Test(arguments: [
        Fault("a length", "HTTP/1.1 200 OK\r\nContent-Length: 5000\r\n\r\n"),
        Fault("a coding", "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 1234\r\n\r\n"),
        Fault("chunked", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"),
        Fault("404", "HTTP/1.1 404 Not Found\r\nContent-Length: 100\r\n\r\n"),
        Fault("larger than allowed", "HTTP/1.1 200 OK\r\nContent-Length: 99999999999\r\n\r\n"),
    ])
    func headEndsAtTheEndOfTheHead(_ fault: Fault) async throws {
        let (receiver, connections) = try await fault.run(method: .head) { $0.maximumBodySize = 10_000_000 }
        #expect(receiver.code == nil)
        #expect(receiver.order == ["head", "finish"])
        #expect(connections == 1)
        if fault.name == "a coding" {
            #expect(receiver.head?.headers["Content-Encoding"] == "gzip")
            #expect(receiver.head?.headers["Content-Length"] == "1234")
        }
    }

    @Test func headWithoutALengthDoesNotWait() async throws {
        let (receiver, _) = try await Fault("bare", "HTTP/1.1 200 OK\r\n\r\n").run(method: .head)
        #expect(receiver.code == nil)
        #expect(receiver.order == ["head", "finish"])
    }

    /// 205 is framed as any answer: what its length says is read (RFC 9110 section 15.3.6 forbids it to the server alone).
    @Test func aBodyOf205IsRead() async throws {
        let (receiver, connections) = try await Fault("205", "HTTP/1.1 205 x\r\nContent-Length: 5\r\n\r\nhello").run()
        #expect(receiver.code == nil)
        #expect(receiver.text == "hello")
        #expect(connections == 1)
    }
}
