import FoundationEssentials
import LupineCore
import LupineTesting
import LupineTransport
import Testing

/// `Expect: 100-continue` (RFC 9110 section 10.1.1), sent only when the caller gives it.
@Suite(.timeLimit(.minutes(2)))
struct ExpectTests {
    private func run(
        size: Int, _ script: @escaping LoopbackServer.Handler
    ) async throws -> (RecordingReceiver, LoopbackServer) {
        let server = try LoopbackServer(handler: script)
        let transport = CurlTransport.alone()
        let receiver = try await transport.run(
            server, method: .post, headers: ["Expect": "100-continue"], body: .bytes(Data(count: size)))
        await transport.shutdown()
        return (receiver, server)
    }

    @Test(arguments: [5, 100_000, 2 << 20])
    func theBodyWaitsForTheWord(_ size: Int) async throws {
        let (receiver, server) = try await run(size: size) { connection in
            guard let head = try connection.readHead() else { return }
            try connection.send("HTTP/1.1 100 Continue\r\n\r\n")
            let request = try connection.readBody(of: head)
            try connection.send(.text("\(request.body.count)"))
        }
        #expect(receiver.code == nil)
        #expect(receiver.text == "\(size)")
        #expect(receiver.informational.map(\.status) == [100])
        #expect(server.requests.first?.headers.values(for: "Expect") == ["100-continue"])
    }

    /// B52: after a bounded wait, about a second, it goes without.
    @Test(arguments: [5, 100_000])
    func aServerThatSaysNothingGetsTheBodyAllTheSame(_ size: Int) async throws {
        let (receiver, _) = try await run(size: size) { connection in
            while let request = try connection.readRequest() { try connection.send(.text("\(request.body.count)")) }
        }
        #expect(receiver.text == "\(size)")
        #expect(receiver.informational.isEmpty)
    }

    /// An answer instead of the word: the body stays here.
    @Test(arguments: [401, 413, 500])
    func aRefusalIsTheAnswer(_ status: Int) async throws {
        let (receiver, server) = try await run(size: 2 << 20) { connection in
            guard try connection.readHead() != nil else { return }
            try connection.send(.text("no", status: HTTPStatus(rawValue: status)))
            try connection.close()
        }
        #expect(receiver.code == nil)
        #expect(receiver.head?.status.rawValue == status)
        #expect(receiver.text == "no")
        #expect(server.connectionCount == 1)
    }

    /// 417: the same again without the expectation.
    @Test(arguments: [5, 100_000])
    func anExpectationThatFailsIsDropped(_ size: Int) async throws {
        let (receiver, server) = try await run(size: size) { connection in
            while let head = try connection.readHead() {
                if head.headers.contains("Expect") {
                    try connection.send(.text("what?", status: 417))
                } else {
                    let request = try connection.readBody(of: head)
                    try connection.send(.text("\(request.body.count)"))
                }
            }
        }
        #expect(receiver.code == nil)
        #expect(receiver.head?.status == 200)
        #expect(receiver.text == "\(size)")
        #expect(receiver.order.filter { $0 == "head" }.count == 1)
        #expect(server.requests.map { $0.headers.contains("Expect") } == [true, false])
    }

    @Test func a417ToTheWholeRequestIsTheAnswer() async throws {
        let (receiver, server) = try await run(size: 5) { connection in
            guard let head = try connection.readHead() else { return }
            try connection.send("HTTP/1.1 100 Continue\r\n\r\n")
            try connection.readBody(of: head)
            try connection.send(.text("still no", status: 417))
        }
        #expect(receiver.code == nil)
        #expect(receiver.head?.status == 417)
        #expect(receiver.text == "still no")
        #expect(server.requestCount == 1)
    }

    /// The whole answer comes while the source of the body still has nothing: the body goes on, and both end well.
    @Test(arguments: [3, nil] as [Int64?])
    func anEarlyAnswerWhileTheSourceIsQuiet(_ length: Int64?) async throws {
        let server = try LoopbackServer { connection in
            guard let head = try connection.readHead() else { return }
            try connection.send(.text("early"))
            guard head.path != "/next" else { return }
            try connection.readBody(of: head)
            try connection.serve { .text("this is \($0.path)") }
        }
        let gates = [Gate(), Gate(), Gate()]
        let transport = CurlTransport.alone()
        let (receiver, _) = try transport.begin(
            server, method: .post, body: .oneShotStream(length: length, reader: GatedReader(gates)))
        gates[0].open()
        try await receiver.waitForHead()
        gates[1].open()
        gates[2].open()
        try await receiver.finish()
        #expect(receiver.code == nil, "\(String(describing: receiver.completion?.error))")
        #expect(receiver.text == "early")
        await transport.shutdown()
    }

    /// A refusal comes while the source of the body has nothing, and never will have.
    @Test(arguments: [3, nil] as [Int64?], [401, 413, 500])
    func anEarlyRefusalWhileTheSourceIsQuiet(_ length: Int64?, _ status: Int) async throws {
        let server = try LoopbackServer { connection in
            guard try connection.readHead() != nil else { return }
            try connection.send(.text("no", status: HTTPStatus(rawValue: status)))
            try connection.stall()
        }
        let gates = [Gate(), Gate(), Gate()]
        gates[0].open()
        let transport = CurlTransport.alone()
        let receiver = try await transport.run(
            server, method: .post, body: .oneShotStream(length: length, reader: GatedReader(gates)))
        #expect(receiver.code == nil, "\(String(describing: receiver.completion?.error))")
        #expect(receiver.head?.status.rawValue == status)
        #expect(receiver.text == "no")
        await transport.shutdown()
    }

    /// An early answer, nothing having been asked: delivered, the rest of the body given up.
    @Test func anEarlyRefusalOfALargeBodyIsDelivered() async throws {
        let server = try LoopbackServer(recordsTraffic: false) { connection in
            guard let request = try connection.readHead() else { return }
            guard request.path != "/next" else { return try connection.send(.text("this is /next")) }
            try connection.send(.text("too large", status: 413))
            try connection.close()
        }
        let transport = CurlTransport.alone()
        let receiver = try await transport.run(server, method: .put, body: .bytes(Data(count: 50 << 20)))
        #expect(receiver.code == nil)
        #expect(receiver.head?.status == 413)
        #expect(receiver.text == "too large")
        try await transport.expectUnharmed(server)
        await transport.shutdown()
    }
}
