import FoundationEssentials
import Glibc
import LupineCore
import LupineTesting
import LupineTransport
import Testing

/// Request bodies from every kind of source, and sources that break their word.
@Suite(.timeLimit(.minutes(2)))
struct BodySourceTests {
    private static let large = Data((0..<900_001).map { UInt8(truncatingIfNeeded: $0 &* 7 ^ $0 >> 9) })

    private func upload(
        _ body: HTTPBody, method: HTTPMethod = .post, headers: HTTPHeaders = [:]
    ) async throws -> (RecordingReceiver, LoopbackServer) {
        let server = try LoopbackServer { connection in
            // Scripts that lose their client within a body end there.
            while let request = try? connection.readRequest() { try connection.send(.text("\(request.body.count)")) }
        }
        let transport = CurlTransport.alone()
        let receiver = try await transport.run(server, method: method, headers: headers, body: body)
        let next = try await transport.run(server, "/next")
        #expect(next.text == "0")
        await transport.shutdown()
        try await server.waitForOpenConnections()
        return (receiver, server)
    }

    private func expectWhole(
        _ body: HTTPBody, _ expected: Data, headers: HTTPHeaders = [:], chunked: Bool
    ) async throws {
        let (receiver, server) = try await upload(body, headers: headers)
        #expect(receiver.code == nil)
        let request = try #require(server.requests.first)
        #expect(Data(request.body) == expected)
        #expect(request.headers["Transfer-Encoding"] == (chunked ? "chunked" : nil))
        #expect(request.headers["Content-Length"] == (chunked ? nil : String(expected.count)))
        #expect(receiver.completion?.metrics.sentBytes == Int64(expected.count))
        #expect(receiver.sent <= Int64(expected.count))
    }

    @Test func bytes() async throws {
        for count in [1, (64 << 10) - 1, 64 << 10, (64 << 10) + 1, 900_001] {
            try await expectWhole(.bytes(Self.large.prefix(count)), Self.large.prefix(count), chunked: false)
        }
        // A slice whose indices do not begin at zero.
        try await expectWhole(.bytes(Self.large[1000..<2000]), Self.large[1000..<2000], chunked: false)
        try await expectWhole(.bytes(Self.large[1000..<200_000]), Self.large[1000..<200_000], chunked: false)
    }

    @Test func files() async throws {
        let directory = try TemporaryDirectory()
        let path = try directory.write(Self.large, to: "body")
        try await expectWhole(.file(path), Self.large, chunked: false)
        try await expectWhole(.file(path, range: 5..<800_005), Self.large[5..<800_005], chunked: false)
        try await expectWhole(.file(path, range: 900_000..<900_001), Self.large.suffix(1), chunked: false)
    }

    @Test func streams() async throws {
        let plain = Data("hello, world".utf8)
        for pieces in [["hello, world"], ["hello", ", ", "world"], ["", "hello, wor", "", "", "ld", ""]] {
            try await expectWhole(.stream { PiecesReader(pieces) }, plain, chunked: true)
            try await expectWhole(.stream(length: 12) { PiecesReader(pieces) }, plain, chunked: false)
            try await expectWhole(.oneShotStream(reader: PiecesReader(pieces)), plain, chunked: true)
            try await expectWhole(.oneShotStream(length: 12, reader: PiecesReader(pieces)), plain, chunked: false)
            try await expectWhole(
                .stream { PiecesReader(pieces) }, plain, headers: ["Content-Length": "12"], chunked: false)
            try await expectWhole(
                .stream { PiecesReader(pieces) }, plain, headers: ["Transfer-Encoding": "chunked"], chunked: true)
        }
        try await expectWhole(.stream { PiecesReader([]) }, Data(), chunked: true)
        let sequence = AsyncStream<Data> { continuation in
            for start in stride(from: 0, to: 900_001, by: 100_000) {
                continuation.yield(Self.large[start..<min(start + 100_000, 900_001)])
            }
            continuation.finish()
        }
        try await expectWhole(.oneShotStream(sequence), Self.large, chunked: true)
    }

    /// The peer never sees a message that ends in order.
    private func expectRefused(_ body: HTTPBody) async throws {
        let (receiver, server) = try await upload(body)
        #expect(receiver.code == .uploadSourceFailed, "\(receiver.completion?.error?.message ?? "no error")")
        #expect(receiver.completion?.error?.host == "127.0.0.1")
        #expect(receiver.head == nil)
        #expect(server.requests.map(\.path) == ["/next"])
    }

    @Test func aSourceThatEndsEarly() async throws {
        try await expectRefused(.stream(length: 6) { PiecesReader(["hello"]) })
        try await expectRefused(.stream(length: 1) { PiecesReader([]) })
        try await expectRefused(.oneShotStream(length: 1_000_000, reader: PiecesReader(["hello"])))
    }

    @Test func aSourceThatGivesTooMuch() async throws {
        try await expectRefused(.stream(length: 4) { PiecesReader(["hello"]) })
        try await expectRefused(.stream(length: 5) { PiecesReader(["hello", "more"]) })
        try await expectRefused(.stream(length: 5) { PiecesReader(["hello", "", "m"]) })
        try await expectRefused(.stream(length: 1) { PiecesReader(["h", "e"]) })
    }

    /// A length of nothing is a length like another.
    @Test func aSourceOfNothing() async throws {
        for pieces in [[], [""]] {
            try await expectWhole(.stream(length: 0) { PiecesReader(pieces) }, Data(), chunked: false)
            try await expectWhole(.oneShotStream(length: 0, reader: PiecesReader(pieces)), Data(), chunked: false)
            try await expectWhole(
                .stream { PiecesReader(pieces) }, Data(), headers: ["Content-Length": "0"], chunked: false)
        }
        struct Broken: Error {}
        try await expectRefused(.stream(length: 0) { PiecesReader(["h"]) })
        try await expectRefused(.oneShotStream(length: 0, reader: PiecesReader(["", "hello"])))
        try await expectRefused(.stream(length: 0) { throw Broken() })
        try await expectRefused(.stream(length: 0) { FailingReader(after: []) })
    }

    /// Nothing goes out before it is known that nothing is to follow; a source that does not say is given up in time.
    @Test func aSourceOfNothingThatWaits() async throws {
        let server = try LoopbackServer(handler: LoopbackServer.serving { .text($0.text) })
        let transport = CurlTransport.alone()
        let gate = Gate()
        let (first, _) = try transport.begin(server, method: .post, body: .stream(length: 0) { GatedReader([gate]) })
        let (second, control) = try transport.begin(
            server, method: .post, body: .stream(length: 0) { GatedReader([Gate()]) })
        let (third, _) = try transport.begin(server, method: .post, body: .stream(length: 0) { GatedReader([Gate()]) })
        {
            $0.timeouts.total = .milliseconds(50)
        }
        gate.open()
        control.cancel()
        for receiver in [first, second, third] { try await receiver.finish() }
        #expect(first.code == .uploadSourceFailed)
        #expect(second.code == .cancelled)
        #expect(third.code == .timedOut)
        #expect(server.requestCount == 0)
        await transport.shutdown()
    }

    @Test func aSourceThatFails() async throws {
        struct Broken: Error {}
        try await expectRefused(.stream { throw Broken() })
        try await expectRefused(.stream(length: 5) { throw Broken() })
        for length in [nil, 5, 10, 1_000_000] as [Int64?] {
            try await expectRefused(.stream(length: length) { FailingReader(after: ["hello"]) })
            try await expectRefused(.stream(length: length) { FailingReader(after: []) })
        }
    }

    @Test func aFileThatShrinks() async throws {
        let directory = try TemporaryDirectory()
        let path = try directory.write(Self.large, to: "body")
        let body = try HTTPBody.file(path)
        try directory.write(Self.large.prefix(1000), to: "body")
        try await expectRefused(body)
        try FileManager.default.removeItem(atPath: path)
        try await expectRefused(body)
    }

    /// A file that is another by now does not go out as if it were the one that was chosen.
    @Test func aFileThatGrows() async throws {
        let directory = try TemporaryDirectory()
        let path = try directory.write(Self.large, to: "body")
        let body = try HTTPBody.file(path)
        try directory.write(Self.large + [1], to: "body")
        try await expectRefused(body)
    }

    /// The change comes while the peer holds the sending up: it gets no whole message.
    @Test func aFileThatChangesWhileItIsSent() async throws {
        let directory = try TemporaryDirectory()
        let path = try directory.write([], to: "body")
        // More than the socket's buffers hold.
        #expect(truncate(path, 64 << 20) == 0)
        let gate = Gate()
        let server = try LoopbackServer(recordsTraffic: false) { connection in
            guard let head = try connection.readHead() else { return }
            try connection.wait(gate)
            try connection.readBody(of: head)
            try connection.send(.text("whole"))
        }
        let transport = CurlTransport.alone()
        let (receiver, _) = try transport.begin(server, method: .put, body: .file(path))
        try await server.waitForRequests(1)
        #expect(truncate(path, (64 << 20) + 1) == 0)
        gate.open()
        try await receiver.finish()
        #expect(receiver.code == .uploadSourceFailed && receiver.head == nil)
        #expect(receiver.completion?.error?.message.contains("has changed") == true)
        await transport.shutdown()
    }

    @Test func anErrorOfTheSourceIsOneBoundedLine() async throws {
        struct Long: Error, CustomStringConvertible {
            var description: String { "first\nsecond" + String(repeating: "x", count: 5000) }
        }
        let (receiver, _) = try await upload(.stream { throw Long() })
        let error = try #require(receiver.completion?.error)
        #expect(error.message.hasPrefix("the source of the request body failed: first second"))
        #expect(error.message.count < 300)
    }

    /// Closed exactly once, however the exchange ends.
    @Test func readersAreClosedOnce() async throws {
        for (length, pieces) in [
            (5, ["hello"]), (5, ["hel", "lo"]), (5, ["hell"]), (5, ["hello", "x"]), (0, []), (0, ["x"]),
        ] {
            let closings = Lock(0)
            let closed = Gate()
            _ = try await upload(
                .stream(length: Int64(length)) {
                    ClosingReader(PiecesReader(pieces)) {
                        closings.withLock { $0 += 1 }
                        closed.open()
                    }
                })
            try await closed.opened()
            #expect(closings.withLock { $0 } == 1)
        }
    }

    /// What is asked of a source runs ahead of the peer by a bounded amount only.
    @Test func aPeerThatDoesNotReadHoldsTheSourceBack() async throws {
        let gate = Gate()
        let server = try LoopbackServer(recordsTraffic: false) { connection in
            guard let head = try connection.readHead() else { return }
            try connection.wait(gate)
            try connection.readBody(of: head)
            try connection.send(.text("ok"))
        }
        let given = Lock(0)
        let total = 64 << 20
        let transport = CurlTransport.alone()
        let (receiver, _) = try transport.begin(
            server, method: .put,
            body: .stream(length: Int64(total)) {
                CountingReader(total: total) { count in given.withLock { $0 += count } }
            })
        try await server.waitForRequests(1)
        // Another upload goes through meanwhile, several times the read-ahead.
        let other = try LoopbackServer(
            recordsTraffic: false, handler: LoopbackServer.serving { .text("\($0.body.count)") })
        let fast = try await transport.run(other, method: .put, body: .bytes(Data(count: 16 << 20)))
        #expect(fast.text == "\(16 << 20)")
        // The socket's own buffers, on both sides, are some megabytes at most.
        #expect(given.withLock { $0 } < 32 << 20)
        gate.open()
        try await receiver.finish()
        #expect(receiver.code == nil)
        #expect(given.withLock { $0 } == total)
        await transport.shutdown()
    }

    @Test func aSlowSourceIsWaitedFor() async throws {
        let gates = (0..<3).map { _ in Gate() }
        let server = try LoopbackServer(handler: LoopbackServer.serving { .text($0.text) })
        let transport = CurlTransport.alone()
        let (receiver, _) = try transport.begin(
            server, method: .post, body: .stream { GatedReader(gates) })
        for (index, gate) in gates.enumerated() {
            // The pieces before have arrived: nothing is held back for a fuller one.
            try await server.waitForBytes(60 + index, connection: 0)
            gate.open()
        }
        try await receiver.finish()
        #expect(receiver.text == "012")
        await transport.shutdown()
    }
}

private final class FailingReader: BodyReader {
    private let reader: PiecesReader
    struct Failure: Error {}

    init(after pieces: [String]) { reader = PiecesReader(pieces) }

    func read(upTo count: Int) async throws -> Data? {
        if let piece = try await reader.read(upTo: count) { return piece }
        throw Failure()
    }
}

private final class ClosingReader: BodyReader {
    private let reader: PiecesReader
    private let onClose: @Sendable () -> Void

    init(_ reader: PiecesReader, onClose: @escaping @Sendable () -> Void) {
        self.reader = reader
        self.onClose = onClose
    }

    func read(upTo count: Int) async throws -> Data? { try await reader.read(upTo: count) }
    func close() { onClose() }
}

private final class CountingReader: BodyReader {
    private let left: Lock<Int>
    private let onRead: @Sendable (Int) -> Void

    init(total: Int, onRead: @escaping @Sendable (Int) -> Void) {
        left = Lock(total)
        self.onRead = onRead
    }

    func read(upTo count: Int) async throws -> Data? {
        let part = left.withLock { left in
            let part = min(left, count)
            left -= part
            return part
        }
        onRead(part)
        return part == 0 ? nil : Data(count: part)
    }
}

/// Gives a digit for each gate, once it is open.
final class GatedReader: BodyReader {
    private let gates: Lock<[Gate]>
    private let total: Int

    init(_ gates: [Gate]) {
        self.gates = Lock(gates)
        total = gates.count
    }

    func read(upTo count: Int) async throws -> Data? {
        guard let (gate, index) = gates.withLock({ [total] gates in gates.first.map { ($0, total - gates.count) } })
        else {
            return nil
        }
        try await gate.opened()
        gates.withLock { _ = $0.removeFirst() }
        return Data("\(index)".utf8)
    }
}
