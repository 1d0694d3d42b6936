import LupineCore
import LupineTesting
import LupineTransport
import Testing

/// 1xx heads (RFC 9110 section 15.2).
@Suite(.timeLimit(.minutes(2)))
struct InformationalTests {
    private static let final = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"

    @Test(arguments: [
        ("HTTP/1.1 100 Continue\r\n\r\n", [100]),
        ("HTTP/1.1 103 Early Hints\r\nLink: </a>; rel=preload\r\nLink: </b>\r\n\r\n", [103]),
        ("HTTP/1.1 102 Processing\r\n\r\nHTTP/1.1 103 x\r\n\r\nHTTP/1.1 100 y\r\n\r\n", [102, 103, 100]),
        ("HTTP/1.1 199 Own\r\nContent-Length: 100\r\nTransfer-Encoding: chunked\r\n\r\n", [199]),
    ])
    func comeApart(_ text: String, _ statuses: [Int]) async throws {
        let (receiver, connections) = try await Fault("1xx", text + Self.final).run()
        #expect(receiver.code == nil)
        #expect(receiver.informational.map(\.status.rawValue) == statuses)
        #expect(receiver.text == "ok")
        #expect(receiver.order == ["informational", "head", "body", "finish"])
        #expect(receiver.head?.headers.map(\.name) == ["Content-Length"])
        #expect(connections == 1)
    }

    @Test func fieldsOfEarlyHintsAreKept() async throws {
        let text = "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\nLink: </b>\r\n\r\n"
        let (receiver, _) = try await Fault("103", text + Self.final).run()
        #expect(receiver.informational.first?.headers.values(for: "Link") == ["</a>", "</b>"])
    }

    @Test func manyAreFine() async throws {
        let many = String(repeating: "HTTP/1.1 102 Processing\r\n\r\n", count: 1000)
        let (receiver, _) = try await Fault("many", many + Self.final).run()
        #expect(receiver.code == nil)
        #expect(receiver.informational.count == 1000)
    }

    @Test func endAloneIsNoAnswer() async throws {
        let (receiver, _) = try await Fault("100 and the end", "HTTP/1.1 100 Continue\r\n\r\n", .close).run()
        #expect(receiver.code == .connectionLost)
        #expect(receiver.completion?.delivery == .answered)
    }
}
