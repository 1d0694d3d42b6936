import LupineCore
import LupineTesting
import LupineTransport
import Testing

/// Fields after a chunked body (RFC 9112 section 7.1.2): told apart, never merged.
@Suite(.timeLimit(.minutes(2)))
struct TrailerTests {
    private static func answer(_ trailers: String) -> String {
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nEtag: \"h\"\r\n\r\n5\r\nhello\r\n0\r\n\(trailers)\r\n"
    }

    /// B30.
    @Test(arguments: [
        ("Etag: \"x\"\r\n", [["Etag", "\"x\""]]),
        ("A: 1\r\nB: 2\r\na: 3\r\n", [["A", "1"], ["B", "2"], ["a", "3"]]),
        (
            "Content-Length: 3\r\nTransfer-Encoding: gzip\r\n",
            [["Content-Length", "3"], ["Transfer-Encoding", "gzip"]]
        ),
        ("X:\r\n", [["X", ""]]),
        ("X: a: b \t\r\n", [["X", "a: b"]]),
    ])
    func comeApart(_ text: String, _ fields: [[String]]) async throws {
        let (receiver, connections) = try await Fault("trailers", Self.answer(text)).run()
        #expect(receiver.code == nil)
        #expect(receiver.text == "hello")
        #expect(receiver.trailers?.map { [$0.name, $0.value] } == fields)
        #expect(receiver.head?.headers.values(for: "Etag") == ["\"h\""])
        #expect(receiver.head?.headers.count == 2)
        #expect(receiver.order == ["head", "body", "trailers", "finish"])
        #expect(connections == 1)
    }

    @Test func noneAreNotTold() async throws {
        let (receiver, _) = try await Fault("none", Self.answer("")).run()
        #expect(receiver.order == ["head", "body", "finish"])
    }

    @Test(arguments: ["no colon\r\n", "X : y\r\n", "X: a\0b\r\n", ": x\r\n"])
    func malformedOnesAreBadResponses(_ text: String) async throws {
        let (receiver, connections) = try await Fault("malformed", Self.answer(text), .close).run()
        #expect(receiver.code == .badResponse)
        #expect(connections == 2)
    }
}
