import FoundationEssentials
import LupineCore
import LupineTesting
import Testing

@Suite(.timeLimit(.minutes(2)))
struct LoopbackServingTests {
    @Test func routesByMethodAndPath() throws {
        let server = try LoopbackServer(
            handler: LoopbackServer.routes(["/a": .text("any"), "POST /a": .text("posted")]))
        let client = try RawClient(server)
        #expect(try client.exchange("GET /a?q HTTP/1.1\r\n\r\n", until: "any").hasPrefix("HTTP/1.1 200"))
        #expect(
            try client.exchange("POST /a HTTP/1.1\r\nContent-Length: 0\r\n\r\n", until: "posted").hasPrefix(
                "HTTP/1.1 200"))
        #expect(try client.exchange("GET /b HTTP/1.1\r\n\r\n", until: "/b\n").hasPrefix("HTTP/1.1 404 Not Found"))
        #expect(server.connectionCount == 1)
    }

    @Test func headHasNoBodyAndKeepsTheConnection() throws {
        let server = try LoopbackServer(handler: LoopbackServer.routes(["/": .text("text")]))
        let client = try RawClient(server)
        let head = try client.exchange("HEAD / HTTP/1.1\r\n\r\n", until: "\r\n\r\n")
        #expect(head.contains("Content-Length: 4"))
        #expect(try client.exchange("GET / HTTP/1.1\r\n\r\n", until: "text").hasPrefix("HTTP/1.1 200"))
    }

    @Test(arguments: ["GET / HTTP/1.1\r\nConnection: close\r\n\r\n", "GET / HTTP/1.0\r\n\r\n"])
    func endsWhenTheRequestSaysSo(_ request: String) throws {
        let server = try LoopbackServer(handler: LoopbackServer.routes(["/": .text("text")]))
        let client = try RawClient(server)
        try client.send(request)
        #expect(try client.receiveAll().contains("\r\nConnection: close\r\n"))
    }

    @Test func endsWhenTheAnswerSaysSo() throws {
        let server = try LoopbackServer(
            handler: LoopbackServer.serving { _ in LoopbackResponse(headers: ["Connection": "close"]) })
        let client = try RawClient(server)
        try client.send("GET / HTTP/1.1\r\n\r\n")
        #expect(try client.receiveAll() == "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 0\r\n\r\n")
    }

    @Test func answersExpectations() throws {
        let server = try LoopbackServer(handler: LoopbackServer.echo)
        let client = try RawClient(server)
        #expect(
            try client.exchange(
                "PUT / HTTP/1.1\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n", until: "\r\n\r\n")
                == "HTTP/1.1 100 Continue\r\n\r\n")
        #expect(try client.exchange("ok", until: "}\n").contains(#""body": "ok""#))
    }

    private struct Echo: Decodable, Equatable {
        var method: String
        var target: String
        var headers: [[String]]
        var bodyLength: Int
        var body: String?
    }

    @Test func echoesWhatItReadsAsJSON() throws {
        let server = try LoopbackServer(handler: LoopbackServer.echo)
        let client = try RawClient(server)
        let body = "quote \" back \\ line\n tab\t nul\0 bell\u{7} é 🐺"
        try client.send("POST /a?b=\"c\" HTTP/1.1\r\nX: \\1\r\nx: 2\r\nContent-Length: \(body.utf8.count)\r\n")
        try client.send("Connection: close\r\n\r\n\(body)")
        let text = try client.receiveAll()
        let start = try #require(text.firstIndex(of: "{"))
        let echo = try JSONDecoder().decode(Echo.self, from: Data(text[start...].utf8))
        #expect(
            echo
                == Echo(
                    method: "POST", target: "/a?b=\"c\"",
                    headers: [
                        ["X", "\\1"], ["x", "2"], ["Content-Length", "\(body.utf8.count)"], ["Connection", "close"],
                    ],
                    bodyLength: body.utf8.count, body: body))
    }

    @Test func echoesNoTextForBytesThatAreNone() throws {
        let server = try LoopbackServer(handler: LoopbackServer.echo)
        let client = try RawClient(server)
        try client.send(Array("POST / HTTP/1.1\r\nContent-Length: 2\r\n\r\n".utf8) + [0xFF, 0x00])
        #expect(try client.receive(until: "}\n").hasSuffix(#""bodyLength": 2, "body": null}"# + "\n"))
    }
}
