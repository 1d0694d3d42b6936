import LupineCore
import LupineTesting
import LupineTransport
import Testing

/// Transfer codings (RFC 9112 sections 6.1, 6.3 and 7).
@Suite(.timeLimit(.minutes(2)))
struct TransferCodingTests {
    private static func answer(_ fields: String..., version: String = "1.1", body: String = "5\r\nhello\r\n0\r\n\r\n")
        -> String
    {
        "HTTP/\(version) 200 OK\r\n" + fields.map { "\($0)\r\n" }.joined() + "\r\n\(body)"
    }

    @Test(arguments: [
        Fault("gzip", answer("Transfer-Encoding: gzip"), .close),
        Fault("gzip, chunked", answer("Transfer-Encoding: gzip, chunked")),
        Fault("chunked, gzip", answer("Transfer-Encoding: chunked, gzip"), .close),
        Fault("chunked twice", answer("Transfer-Encoding: chunked, chunked")),
        Fault("chunked in two fields", answer("Transfer-Encoding: chunked", "Transfer-Encoding: chunked")),
        Fault("chunked, identity", answer("Transfer-Encoding: chunked, identity")),
        Fault("identity, chunked", answer("Transfer-Encoding: identity, chunked")),
        Fault("xchunked", answer("Transfer-Encoding: xchunked"), .close),
        Fault("with a parameter", answer("Transfer-Encoding: chunked;q=1"), .close),
        Fault("empty", answer("Transfer-Encoding:", "Content-Length: 5", body: "hello")),
        Fault("vertical tab", answer("Transfer-Encoding: \u{0B}chunked"), .close),
    ])
    func noneButChunkedIsUnderstood(_ fault: Fault) async throws {
        let (receiver, connections) = try await fault.run()
        #expect(receiver.code == .badResponse)
        #expect(receiver.body.isEmpty)
        #expect(connections == 2)
    }

    @Test(arguments: [
        Fault("plain", answer("Transfer-Encoding: chunked")),
        Fault("another case", answer("transfer-encoding: CHUNKED")),
        Fault(
            "many chunks", answer("Transfer-Encoding: chunked", body: "1\r\nh\r\n2\r\nel\r\n02\r\nlo\r\n000\r\n\r\n")),
        Fault("extensions", answer("Transfer-Encoding: chunked", body: "5;a=b;c=\"d\"\r\nhello\r\n0;last\r\n\r\n")),
        Fault("upper-case hex", answer("Transfer-Encoding: chunked", body: "00005\r\nhello\r\n0\r\n\r\n")),
    ])
    func chunksAreRead(_ fault: Fault) async throws {
        let (receiver, connections) = try await fault.run()
        #expect(receiver.code == nil)
        #expect(receiver.text == "hello")
        #expect(receiver.head?.expectedBodyLength == nil)
        #expect(connections == 1)
    }

    /// Rule 3: chunked goes before the length, which is then of nothing; the connection ends, since another reader on the way
    /// may have gone by the length.
    @Test(arguments: ["Content-Length: 5", "Content-Length: 3", "Content-Length: 1000", "Content-Length: 0"])
    func chunkedGoesBeforeALength(_ length: String) async throws {
        for fields in [["Transfer-Encoding: chunked", length], [length, "Transfer-Encoding: chunked"]] {
            let fault = Fault("both", Self.answer(fields[0], fields[1]))
            let (receiver, connections) = try await fault.run { $0.maximumBodySize = 5 }
            #expect(receiver.code == nil)
            #expect(receiver.text == "hello")
            #expect(receiver.head?.expectedBodyLength == nil)
            #expect(receiver.head?.headers.contains("Content-Length") == false)
            #expect(receiver.head?.receivedHeaders.contains("Content-Length") == true)
            #expect(connections == 2)
        }
    }

    /// Section 6.1: HTTP/1.0 has no transfer codings; the connection ends.
    @Test func chunkedFromHTTP10EndsTheConnection() async throws {
        let fault = Fault("1.0", Self.answer("Transfer-Encoding: chunked", "Connection: keep-alive", version: "1.0"))
        let (receiver, connections) = try await fault.run()
        #expect(receiver.text == "hello")
        #expect(connections == 2)
    }

    /// Of RFC 2616; some servers still say it. Rule 4: without chunked the close is the end.
    @Test func identityEndsTheConnection() async throws {
        let open = Fault("identity", Self.answer("Transfer-Encoding: identity", body: "hello"), .close)
        let (receiver, connections) = try await open.run()
        #expect(receiver.text == "hello")
        #expect(connections == 2)
        let withLength = Fault(
            "both", Self.answer("Transfer-Encoding: identity", "Content-Length: 3", body: "hello"), .close)
        let (second, secondConnections) = try await withLength.run()
        #expect(second.text == "hello")
        #expect(second.head?.expectedBodyLength == nil)
        #expect(secondConnections == 2)
    }

    @Test(arguments: [
        "", "x", "-5", "+5", "0x5", "ffffffffffffffff", "8000000000000000", "11111111111111111", ";a",
        "\r\n5", "5zz", "5 5", "5,", " 5",
    ])
    func badChunkSizes(_ size: String) async throws {
        let body = "\(size)\r\nhello\r\n0\r\n\r\n"
        for prefix in ["", "3\r\nabc\r\n"] {
            let fault = Fault("size", Self.answer("Transfer-Encoding: chunked", body: prefix + body), .close)
            let (receiver, connections) = try await fault.run()
            #expect(receiver.code == .badResponse, "\(size.debugDescription) after \(prefix.debugDescription)")
            #expect(receiver.text == (prefix.isEmpty ? "" : "abc"))
            #expect(connections == 2)
        }
    }

    @Test func dataLongerThanItsChunk() async throws {
        let fault = Fault("long", Self.answer("Transfer-Encoding: chunked", body: "3\r\nhello\r\n0\r\n\r\n"))
        let (receiver, connections) = try await fault.run()
        #expect(receiver.code == .badResponse)
        #expect(connections == 2)
    }
}
