import Glibc
import LupineCore
import LupineTesting
import Testing

@Suite(.timeLimit(.minutes(2)))
struct LoopbackServerTests {
    @Test func answersOnAFreePort() throws {
        let server = try LoopbackServer { connection in
            let request = try connection.readRequest()
            try connection.send(.text("you asked for \(request?.target ?? "nothing")"))
        }
        #expect(server.port > 0)
        #expect(server.url("/a?b") == "http://127.0.0.1:\(server.port)/a?b")
        #expect(server.url("/", host: "localhost") == "http://localhost:\(server.port)/")
        let client = try RawClient(server)
        try client.send("GET /a?b HTTP/1.1\r\nHost: x\r\n\r\n")
        let answer = try client.receiveAll()
        #expect(
            answer.hasPrefix("HTTP/1.1 200 OK\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: 18\r\n\r\n")
        )
        #expect(answer.hasSuffix("you asked for /a?b"))
        server.stop()
        #expect(server.failures.isEmpty)
    }

    @Test func listensOnIPv6() throws {
        let server = try LoopbackServer(on: .ipv6, handler: LoopbackServer.routes(["/": .text("six")]))
        #expect(server.url() == "http://[::1]:\(server.port)/")
        let client = try RawClient(server)
        #expect(try client.exchange("GET / HTTP/1.1\r\n\r\n", until: "six").hasPrefix("HTTP/1.1 200"))
    }

    @Test func listensOnAUnixSocketAndRemovesIt() throws {
        let directory = try TemporaryDirectory()
        let path = directory.file("server.socket")
        let server = try LoopbackServer(on: .unix(path), handler: LoopbackServer.routes(["/": .text("unix")]))
        #expect(server.url("/x") == "http://localhost/x")
        #expect(server.port == 0)
        let client = try RawClient(server)
        #expect(try client.exchange("GET / HTTP/1.1\r\n\r\n", until: "unix").hasPrefix("HTTP/1.1 200"))
        #expect(access(path, F_OK) == 0)
        server.stop()
        #expect(access(path, F_OK) != 0)
    }

    @Test func refusesAPathTooLongForASocket() {
        #expect(throws: LoopbackError.self) {
            try LoopbackServer(on: .unix("/tmp/" + String(repeating: "x", count: 200))) { _ in }
        }
    }

    @Test func numbersConnectionsAndKeepsThemApart() async throws {
        let server = try LoopbackServer { connection in
            while let request = try connection.readRequest() {
                try connection.send(.text("\(connection.index)\(request.target)\n"))
            }
        }
        let first = try RawClient(server)
        #expect(try first.exchange("GET /a HTTP/1.1\r\n\r\n", until: "\n\r\n0/a\n").count > 0)
        let second = try RawClient(server)
        #expect(try second.exchange("GET /b HTTP/1.1\r\n\r\n", until: "1/b\n").count > 0)
        #expect(try first.exchange("GET /c HTTP/1.1\r\n\r\n", until: "0/c\n").count > 0)
        #expect(server.connectionCount == 2)
        #expect(server.requests.map(\.connection) == [0, 1, 0])
        #expect(server.requests.map(\.target) == ["/a", "/b", "/c"])
        #expect(server.openConnectionCount == 2)
        first.close()
        second.close()
        try await server.waitForOpenConnections()
        #expect(server.failures.isEmpty)
    }

    @Test func servesHundredsAtOnce() async throws {
        let gate = Gate()
        let server = try LoopbackServer { connection in
            while let request = try connection.readRequest() {
                try connection.wait(gate)
                try connection.send(.text(request.target + "\n"))
            }
        }
        let clients = try (0..<300).map { _ in try RawClient(server) }
        for (index, client) in clients.enumerated() { try client.send("GET /\(index) HTTP/1.1\r\n\r\n") }
        try await server.waitForRequests(300)
        gate.open()
        for (index, client) in clients.enumerated() {
            #expect(try client.receive(until: "/\(index)\n").hasPrefix("HTTP/1.1 200"))
        }
        #expect(server.connectionCount == 300)
        server.stop()
        #expect(server.openConnectionCount == 0)
        #expect(server.failures.isEmpty)
    }

    @Test func countsOnlyWhenToldNotToRecord() async throws {
        let server = try LoopbackServer(recordsTraffic: false, handler: LoopbackServer.echo)
        let client = try RawClient(server)
        let request = "POST / HTTP/1.1\r\nContent-Length: 3\r\n\r\nabc"
        _ = try client.exchange(request, until: "}\n")
        #expect(server.requestCount == 1)
        #expect(server.requests.isEmpty)
        #expect(server.receivedBytes(connection: 0).isEmpty)
        #expect(server.receivedByteCount(connection: 0) == request.utf8.count)
    }

    @Test func waitsHaveAnUpperBound() async throws {
        let server = try LoopbackServer { _ in }
        await #expect(throws: WaitTimeoutError.self) {
            try await server.waitForConnections(1, within: .milliseconds(5))
        }
        await #expect(throws: WaitTimeoutError(subject: "2 requests", limit: .milliseconds(5))) {
            try await server.waitForRequests(2, within: .milliseconds(5))
        }
    }
}
