import FoundationEssentials
import LupineCore
import LupineTesting
import LupineTransport
import Testing

/// Request bodies that cannot be sent, or not any more, and sources that never come to an end.
@Suite(.timeLimit(.minutes(2)))
struct BodyUseTests {
    @Test func aNegativeLengthIsRefusedBeforeAnythingIsSent() async throws {
        for body in [
            HTTPBody.stream(length: -5) { PiecesReader([]) }, .oneShotStream(length: -1, reader: PiecesReader([])),
        ] {
            let server = try LoopbackServer(handler: LoopbackServer.echo)
            let transport = CurlTransport.alone()
            let receiver = try await transport.run(server, method: .post, body: body)
            #expect(receiver.code == .invalidRequest)
            #expect(server.connectionCount == 0)
            await transport.shutdown()
        }
    }

    /// Read, it would go out a second time as nothing, and be answered.
    @Test func whatCanBeReadOnceIsSentOnce() async throws {
        let server = try LoopbackServer(handler: LoopbackServer.echo)
        for length in [nil, 3] as [Int64?] {
            let body = HTTPBody.oneShotStream(length: length, reader: PiecesReader(["abc"]))
            let coded = try body.gzipped(length: length)
            let first = CurlTransport.alone(), second = CurlTransport.alone()
            #expect(try await first.run(server, "/sent", method: .post, body: body).code == nil)
            for transport in [first, second] {
                for body in [body, coded] {
                    let again = try await transport.run(server, "/again", method: .post, body: body)
                    #expect(again.code == .uploadSourceFailed && again.completion?.delivery == .unsent)
                }
            }
            for transport in [first, second] { await transport.shutdown() }
        }
        #expect(server.requests.map(\.path) == ["/sent", "/sent"])
        #expect(server.requests.allSatisfy { $0.body == Array("abc".utf8) })
    }

    /// A request that ended before a byte was asked of the source has not used it up.
    @Test func whatWasNotReadCanStillBeSent() async throws {
        let body = HTTPBody.oneShotStream(reader: PiecesReader(["abc"]))
        let transport = CurlTransport.alone()
        let closed = try ClosedPort()
        var options = TransferOptions()
        options.route.proxy = .none
        let refused = RecordingReceiver()
        _ = transport.start(
            HTTPRequest(
                method: .post, url: try HTTPURL("http://127.0.0.1:\(closed.port)/"), body: body, options: options),
            receiver: refused)
        try await refused.finish()
        #expect(refused.code == .couldNotConnect)
        let server = try LoopbackServer(handler: LoopbackServer.echo)
        let receiver = try await transport.run(server, method: .post, body: body)
        #expect(receiver.code == nil)
        #expect(server.requests.first?.body == Array("abc".utf8))
        await transport.shutdown()
    }

    /// More sources of empty pieces than threads: other requests go on, and cancelling ends them.
    @Test func sourcesOfEmptyPiecesHoldUpNobody() async throws {
        final class Idle: BodyReader {
            let begun: Gate, closed: Gate
            init(_ begun: Gate, _ closed: Gate) { (self.begun, self.closed) = (begun, closed) }
            func read(upTo count: Int) async throws -> Data? {
                begun.open()
                return Data()
            }
            func close() { closed.open() }
        }
        let server = try LoopbackServer(handler: LoopbackServer.serving { .text($0.text) })
        var configuration = TransportConfiguration()
        configuration.maximumConnectionsPerHost = 20
        let transport = CurlTransport.alone(configuration)
        var running: [(receiver: RecordingReceiver, control: any ExchangeControl, closed: Gate)] = []
        for index in 0..<12 {
            let begun = Gate(), closed = Gate()
            var body = HTTPBody.stream { Idle(begun, closed) }
            if index % 2 == 0 { body = try body.gzipped(length: nil) }
            let (receiver, control) = try transport.begin(server, method: .post, body: body)
            try await begun.opened()
            running.append((receiver, control, closed))
        }
        #expect(try await transport.run(server, method: .post, body: .text("x")).text == "x")
        for (_, control, _) in running { control.cancel() }
        for (receiver, _, closed) in running {
            try await receiver.finish()
            try await closed.opened()
            #expect(receiver.code == .cancelled)
        }
        await transport.shutdown()
    }
}
