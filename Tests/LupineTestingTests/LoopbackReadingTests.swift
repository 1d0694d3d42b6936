import LupineCore
import LupineTesting
import Testing

@Suite(.timeLimit(.minutes(2)))
struct LoopbackReadingTests {
    /// Sends `bytes`, perhaps in pieces, and answers what the server recorded after the end.
    private func recorded(_ pieces: String...) async throws -> LoopbackServer {
        let server = try LoopbackServer { connection in while try connection.readRequest() != nil {} }
        let client = try RawClient(server)
        for piece in pieces { try client.send(piece) }
        client.closeWrite()
        _ = try client.receiveAll()
        try await server.waitForOpenConnections()
        return server
    }

    @Test func readsAHead() async throws {
        let text = "GET /a/b?c=d HTTP/1.1\r\nHost: example.com\r\nX-Two: 1\r\nx-two:  2\t\r\nEmpty:\r\n\r\n"
        let server = try await recorded(text)
        let request = try #require(server.requests.first)
        #expect(request.method == .get)
        #expect(request.target == "/a/b?c=d")
        #expect(request.path == "/a/b")
        #expect(request.query == "c=d")
        #expect(request.version == .http1_1)
        #expect(request.headers.map(\.name) == ["Host", "X-Two", "x-two", "Empty"])
        #expect(request.headers.values(for: "X-TWO") == ["1", "2"])
        #expect(request.headers["Empty"] == "")
        #expect(request.headText == text)
        #expect(request.isComplete)
        #expect(server.receivedBytes(connection: 0) == Array(text.utf8))
        #expect(server.receivedBytes(connection: 7).isEmpty)
        #expect(server.failures.isEmpty)
    }

    @Test func readsABodyByLength() async throws {
        let server = try await recorded("POST / HTTP/1.1\r\nContent-Length: 5\r\n\r\nhel", "lo")
        #expect(server.requests.map(\.text) == ["hello"])
        #expect(server.requests[0].body == Array("hello".utf8))
    }

    @Test func readsAChunkedBodyAndTrailers() async throws {
        let server = try await recorded(
            "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n5;name=value\r\nhello\r\n",
            "A\r\n0123456789\r\n0\r\n",
            "Digest: abc\r\n\r\nGET /next HTTP/1.1\r\n\r\n")
        let request = try #require(server.requests.first)
        #expect(request.text == "hello0123456789")
        #expect(request.trailers["digest"] == "abc")
        #expect(server.requests.last?.target == "/next")
    }

    @Test func readsPipelinedRequests() async throws {
        let server = try await recorded(
            "GET /1 HTTP/1.1\r\n\r\nPOST /2 HTTP/1.1\r\nContent-Length: 1\r\n\r\nxGET /3 HTTP/1.0\r\n\r\n")
        #expect(server.requests.map(\.target) == ["/1", "/2", "/3"])
        #expect(server.requests[2].version == .http1_0)
    }

    @Test func readsByteByByte() async throws {
        let server = try LoopbackServer { connection in while try connection.readRequest() != nil {} }
        let client = try RawClient(server)
        for byte in "PUT /x HTTP/1.1\r\nContent-Length: 2\r\n\r\nok".utf8 { try client.send([byte]) }
        try await server.waitForRequests(1)
        #expect(server.requests.map(\.text) == ["ok"])
    }

    @Test(arguments: [
        "GET /\r\n\r\n", "GET / HTTP/3\r\n\r\n", "GET  / HTTP/1.1\r\n\r\n", "G@T / HTTP/1.1\r\n\r\n",
        "GET / HTTP/1.1\r\nno field\r\n\r\n", "POST / HTTP/1.1\r\nContent-Length: x\r\n\r\n",
        "POST / HTTP/1.1\r\nTransfer-Encoding: gzip\r\n\r\n",
        "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n",
        "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nab\r\n",
    ])
    func reportsWhatIsNoRequest(_ text: String) async throws {
        let server = try await recorded(text)
        #expect(server.failures.map { ($0.error as? LoopbackError)?.code } == [.malformedRequest])
        #expect(server.failures.first?.connection == 0)
        #expect(server.requests.isEmpty)
    }

    @Test(arguments: [
        "GET / HTT", "GET / HTTP/1.1\r\nHost: x\r\n", "POST / HTTP/1.1\r\nContent-Length: 5\r\n\r\nabc",
        "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nab",
        "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n",
    ])
    func reportsARequestThatEndsTooSoon(_ text: String) async throws {
        let server = try await recorded(text)
        #expect(server.failures.map { ($0.error as? LoopbackError)?.code } == [.unexpectedEnd])
    }

    @Test func anEndBetweenRequestsIsNoFailure() async throws {
        let server = try LoopbackServer { connection in while try connection.readRequest() != nil {} }
        let first = try RawClient(server)
        try first.send("GET / HTTP/1.1\r\n\r\n")
        try await server.waitForRequests(1)
        first.reset()
        let second = try RawClient(server)
        second.close()
        try await server.waitForConnections(2)
        try await server.waitForOpenConnections()
        #expect(server.failures.isEmpty)
    }

    @Test func readsPiecesAsTheScriptLikes() async throws {
        let server = try LoopbackServer { connection in
            let first = try connection.readExactly(3)
            let second = try connection.read(upTo: 2)
            try connection.send("\(first.count),\(second.count)\n")
            let rest = try connection.readToEnd()
            try connection.send("\(rest.count)\n")
            try connection.send("\(try connection.read(upTo: 9).count)\n")
        }
        let client = try RawClient(server)
        try client.send("abcdefgh")
        #expect(try client.receive(until: "\n") == "3,2\n")
        client.closeWrite()
        #expect(try client.receiveAll() == "3\n0\n")
        #expect(server.receivedBytes(connection: 0) == Array("abcdefgh".utf8))
    }

    @Test func aHeadIsRecordedBeforeItsBodyAndCompletedAfterwards() async throws {
        let gate = Gate()
        let server = try LoopbackServer { connection in
            guard let head = try connection.readHead() else { return }
            try connection.wait(gate)
            try connection.send("HTTP/1.1 100 Continue\r\n\r\n")
            let request = try connection.readBody(of: head)
            try connection.send(.text(request.text))
        }
        let client = try RawClient(server)
        try client.send("POST / HTTP/1.1\r\nContent-Length: 4\r\nExpect: 100-continue\r\n\r\n")
        try await server.waitForRequests(1)
        #expect(server.requests.map(\.isComplete) == [false])
        gate.open()
        #expect(try client.receive(until: "\r\n\r\n") == "HTTP/1.1 100 Continue\r\n\r\n")
        try client.send("body")
        #expect(try client.receiveAll().hasSuffix("\r\n\r\nbody"))
        #expect(server.requests.map(\.isComplete) == [true])
        #expect(server.requests.map(\.text) == ["body"])
        #expect(server.requestCount == 1)
    }

    @Test func expectationsAreAnsweredOnlyOnDemand() async throws {
        let server = try LoopbackServer { connection in
            try connection.readRequest(continuing: connection.index == 1)
            try connection.send(.empty())
        }
        let silent = try RawClient(server)
        try silent.send("PUT / HTTP/1.1\r\nContent-Length: 1\r\nExpect: 100-Continue\r\n\r\nx")
        #expect(try silent.receiveAll().hasPrefix("HTTP/1.1 204 No Content\r\n\r\n"))
        let answered = try RawClient(server)
        try answered.send("PUT / HTTP/1.1\r\nContent-Length: 1\r\nExpect: 100-Continue\r\n\r\n")
        #expect(try answered.receive(until: "\r\n\r\n") == "HTTP/1.1 100 Continue\r\n\r\n")
        try answered.send("x")
        #expect(try answered.receiveAll().hasPrefix("HTTP/1.1 204"))
    }

    @Test func waitsForBytes() async throws {
        let server = try LoopbackServer { connection in _ = try connection.readToEnd() }
        let client = try RawClient(server)
        try client.send("12345")
        try await server.waitForBytes(5)
        #expect(server.receivedByteCount(connection: 0) == 5)
        #expect(server.receivedByteCount(connection: 1) == 0)
    }
}
