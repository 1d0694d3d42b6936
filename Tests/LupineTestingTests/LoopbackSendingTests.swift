import LupineCore
import LupineTesting
import Testing

@Suite(.timeLimit(.minutes(2)))
struct LoopbackSendingTests {
    /// What a client receives that connects and sends nothing.
    private func received(_ script: @escaping LoopbackServer.Handler) throws -> String {
        let server = try LoopbackServer(handler: script)
        let text = try RawClient(server).receiveAll()
        server.stop()
        #expect(server.failures.isEmpty)
        return text
    }

    @Test func sendsRawBytes() throws {
        let text = try received { connection in
            try connection.send("HTTP/1.1 2")
            try connection.send([UInt8(ascii: "0"), UInt8(ascii: "0")])
            try connection.send(" \r\n\r\n")
        }
        #expect(text == "HTTP/1.1 200 \r\n\r\n")
    }

    @Test func statesTheLengthUnlessToldOtherwise() throws {
        #expect(
            try received { try $0.send(status: 201, headers: ["A": "1", "A": "2"], body: "häh") }
                == "HTTP/1.1 201 Created\r\nA: 1\r\nA: 2\r\nContent-Length: 4\r\n\r\nhäh")
        #expect(
            try received { try $0.send(status: 200, headers: ["Content-Length": "99"], body: "short") }
                == "HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\nshort")
        #expect(try received { try $0.send(.empty()) } == "HTTP/1.1 204 No Content\r\n\r\n")
        #expect(
            try received { try $0.send(LoopbackResponse(status: 599, reason: "Odd"), isLast: true) }
                == "HTTP/1.1 599 Odd\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
        #expect(
            try received { try $0.send(.redirect(to: "/b")) }
                == "HTTP/1.1 302 Found\r\nLocation: /b\r\nContent-Length: 0\r\n\r\n")
        #expect(
            try received {
                try $0.send(.json("{}", status: 400, headers: ["Content-Type": "application/problem+json"]))
            }
                == "HTTP/1.1 400 Bad Request\r\nContent-Type: application/problem+json\r\nContent-Length: 2\r\n\r\n{}")
    }

    @Test func sendsChunks() throws {
        let text = try received { connection in
            try connection.sendHead(headers: ["Transfer-Encoding": "chunked"])
            try connection.sendChunk("hello, world 123")
            try connection.sendChunk("")
            try connection.sendChunk([0x41])
            try connection.endChunks(trailers: ["Digest": "x"])
        }
        #expect(
            text
                == "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n10\r\nhello, world 123\r\n1\r\nA\r\n0\r\nDigest: x\r\n\r\n"
        )
    }

    @Test func cutsAnAnswerIntoChunks() throws {
        let text = try received { try $0.send(LoopbackResponse(body: Array("abcde".utf8), chunkSize: 2)) }
        #expect(
            text
                == "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n2\r\ncd\r\n1\r\ne\r\n0\r\n\r\n")
    }

    @Test func dripsBytes() throws {
        #expect(try received { try $0.drip("abc", each: .milliseconds(1)) } == "abc")
    }

    @Test func delaysAtLeastSoLong() throws {
        let clock = ContinuousClock()
        let start = clock.now
        #expect(
            try received { connection in
                try connection.delay(.milliseconds(20))
                try connection.send("late")
            } == "late")
        #expect(start.duration(to: clock.now) >= .milliseconds(20))
    }

    @Test func halfClosesAndReadsOn() throws {
        let server = try LoopbackServer { connection in
            try connection.send("over")
            try connection.halfClose()
            _ = try connection.readExactly(3)
        }
        let client = try RawClient(server)
        #expect(try client.receiveAll() == "over")
        try client.send("end")
        client.close()
        server.stop()
        #expect(server.failures.isEmpty)
    }

    @Test func resets() throws {
        let server = try LoopbackServer { $0.reset() }
        let client = try RawClient(server)
        #expect {
            try client.receive()
        } throws: {
            "\($0)".contains("reset")
        }
    }

    @Test func anAnswerSurvivesARequestThatWasNotRead() throws {
        let server = try LoopbackServer { connection in
            _ = try connection.readHead()
            try connection.send(.empty(413))
        }
        let client = try RawClient(server)
        try client.send("POST / HTTP/1.1\r\nContent-Length: 500000\r\n\r\n" + String(repeating: "x", count: 500_000))
        #expect(try client.receiveAll().hasPrefix("HTTP/1.1 413 Content Too Large\r\n"))
        client.close()
        server.stop()
        #expect(server.failures.isEmpty)
    }

    @Test func stallsUntilAGateOpensOrThePeerEnds() async throws {
        let gate = Gate()
        let server = try LoopbackServer { connection in
            try connection.stall(until: gate)
            try connection.send("gate")
            try connection.stall()
            try connection.send("end")
        }
        let client = try RawClient(server)
        // Unread bytes are no end.
        try client.send("unread")
        gate.open()
        #expect(try client.receive(until: "gate") == "gate")
        client.closeWrite()
        #expect(try client.receiveAll() == "end")
    }

    @Test func aPeerThatLeavesWhileSentToIsNoFailure() async throws {
        let server = try LoopbackServer { connection in
            while true { try connection.send([UInt8](repeating: 1, count: 1 << 16)) }
        }
        let client = try RawClient(server)
        _ = try client.receive()
        client.reset()
        try await server.waitForOpenConnections()
        #expect(server.failures.isEmpty)
    }

    @Test func whatAScriptThrowsIsAFailure() async throws {
        struct Complaint: Error, Equatable {}
        let server = try LoopbackServer { connection in
            if connection.index == 0 { throw Complaint() }
            try connection.close()
            try connection.send("late")
        }
        #expect(try RawClient(server).receiveAll().isEmpty)
        #expect(try RawClient(server).receiveAll().isEmpty)
        server.stop()
        let failures = server.failures.sorted { $0.connection ?? 0 < $1.connection ?? 0 }
        #expect(failures.map(\.connection) == [0, 1])
        #expect(failures.first?.error as? Complaint == Complaint())
        #expect((failures.last?.error as? LoopbackError)?.code == .connectionClosed)
        #expect(failures.first?.description == "connection 0: Complaint()")
    }
}
