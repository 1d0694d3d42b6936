import LupineCore
import LupineTesting
import LupineTransport
import Testing

/// Fields come as they are: each its own, in order, whatever their bytes.
@Suite(.timeLimit(.minutes(2)))
struct HeadFieldTests {
    private func head(_ bytes: [UInt8]) async throws -> HTTPResponse {
        let (receiver, _) = try await Fault("head", bytes: bytes).run()
        #expect(receiver.code == nil)
        return try #require(receiver.head)
    }

    @Test func repeatedFieldsStayApartAndInOrder() async throws {
        let head = try await head(
            Array(
                """
                HTTP/1.1 200 OK\r\nSet-Cookie: a=1; Path=/, x\r\nX-Multi: one\r\nset-cookie: b=2\r\nX-Multi: two\r\n\
                Content-Length: 0\r\nSET-COOKIE: c=3\r\n\r\n
                """.utf8))
        #expect(head.headers.values(for: "Set-Cookie") == ["a=1; Path=/, x", "b=2", "c=3"])
        #expect(
            head.headers.map(\.name) == [
                "Set-Cookie", "X-Multi", "set-cookie", "X-Multi", "Content-Length", "SET-COOKIE",
            ])
    }

    @Test func aByteOfLatin1IsACharacter() async throws {
        let bytes =
            Array("HTTP/1.1 200 Tr".utf8) + [0xE8] + Array("s bien\r\nX-L: h".utf8) + [0xE9]
            + Array("\r\nX-U: hé\r\nContent-Length: 0\r\n\r\n".utf8)
        let head = try await head(bytes)
        #expect(head.reason == "Très bien")
        #expect(head.headers["X-L"] == "hé")
        #expect(head.headers["X-U"] == "hé")
    }

    /// libcurl before 8.3 continues the last field of the answer before, whose memory it has freed by then.
    @Test(arguments: [1, 3, 30])
    func aFoldedFirstFieldAfterAnotherAnswer(_ answers: Int) async throws {
        let fault = Fault("folded", "HTTP/1.1 200 OK\r\n folded: x\r\n\tand more: y\r\nContent-Length: 2\r\n\r\nno")
        let server = try fault.server()
        let transport = CurlTransport()
        for _ in 0..<20 {
            for index in 0..<answers { try await transport.expectUnharmed(server, "/\(index)") }
            let receiver = try await transport.run(server, "/fault")
            #expect(receiver.code == .badResponse)
            #expect(receiver.body.isEmpty)
        }
        try await transport.expectUnharmed(server)
        await transport.shutdown()
    }

    @Test(arguments: [
        ("X: y", "y"), ("X:y", "y"), ("X: \t y \t ", "y"), ("X:", ""), ("X:   ", ""), ("X: a: b", "a: b"),
        ("X: a\tb", "a\tb"), ("X: a\r\n b", "a b"), ("X: a\r\n\t \tb\r\n c", "a b c"), ("X:\r\n b", " b"),
        ("X: a\r\n ", "a"),
    ])
    func valuesLoseTheirOuterSpaceAlone(_ line: String, _ value: String) async throws {
        let head = try await head(Array("HTTP/1.1 200 OK\r\n\(line)\r\nContent-Length: 0\r\n\r\n".utf8))
        // A fold is one space or more (RFC 9112 section 5.2); around a value space means nothing.
        #expect(head.headers["X"]?.trimmingOWSForTest == value.trimmingOWSForTest)
        #expect(head.headers.count == 2)
    }

    @Test(arguments: [
        ("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", 200, "OK"),
        ("HTTP/1.1 200 \r\nContent-Length: 0\r\n\r\n", 200, ""),
        ("HTTP/1.1 200\r\nContent-Length: 0\r\n\r\n", 200, ""),
        (
            "HTTP/1.1 299 a long  reason: with 12 words\r\nContent-Length: 0\r\n\r\n", 299,
            "a long  reason: with 12 words"
        ),
        ("HTTP/1.1 599 x\r\nContent-Length: 0\r\n\r\n", 599, "x"),
        ("HTTP/1.1 999 x\r\nContent-Length: 0\r\n\r\n", 999, "x"),
        ("HTTP/1.1 200 OK\nContent-Length: 0\n\n", 200, "OK"),
        ("HTTP/1.0 200 OK\r\nContent-Length: 0\r\n\r\n", 200, "OK"),
    ])
    func statusLinesInUseAreRead(_ text: String, _ status: Int, _ reason: String) async throws {
        let (receiver, _) = try await Fault("line", text, text.hasPrefix("HTTP/1.0") ? .close : .keep).run()
        #expect(receiver.code == nil)
        #expect(receiver.head?.status.rawValue == status)
        #expect(receiver.head?.reason == reason)
        #expect(receiver.head?.version == (text.hasPrefix("HTTP/1.0") ? .http1_0 : .http1_1))
    }
}

extension String {
    fileprivate var trimmingOWSForTest: String {
        var text = self[...]
        while text.first == " " || text.first == "\t" { text.removeFirst() }
        while text.last == " " || text.last == "\t" { text.removeLast() }
        return String(text)
    }
}
