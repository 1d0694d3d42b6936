import Dispatch
import FoundationEssentials
import Lupine
import LupineCore
import LupineTesting
import Testing

/// Progress: never falls, never above 1, never on the loop.
@Suite(.timeLimit(.minutes(2)))
struct ProgressTests {
    private final class Seen: Sendable {
        let values = Lock<[TransferProgress]>([])
        let onLoop = Lock(false)
        let loop: EventLoop

        init(_ loop: EventLoop) { self.loop = loop }

        func note(_ progress: TransferProgress) {
            let isOnLoop = loop.isCurrent
            onLoop.withLock { $0 = $0 || isOnLoop }
            values.withLock { $0.append(progress) }
        }

        func check(completed: Int64, total: Int64?) {
            let values = values.withLock { $0 }
            #expect(!values.isEmpty)
            #expect(values.last?.completed == completed)
            #expect(values.last?.total == total)
            #expect(zip(values, values.dropFirst()).allSatisfy { $0.completed <= $1.completed })
            #expect(values.allSatisfy { ($0.fractionCompleted ?? 0) <= 1 })
            #expect(!onLoop.withLock { $0 })
        }
    }

    private func session() -> URLSessionManager {
        var configuration = SessionConfiguration()
        configuration.options.route.proxy = .none
        configuration.eventLoop = EventLoop()
        return URLSessionManager(configuration: configuration)
    }

    /// B67: a coded body's total is not known.
    @Test(arguments: ["length", "chunks", "gzip", "close"])
    func ofADownload(_ framing: String) async throws {
        let plain = [UInt8](repeating: 7, count: 1000)
        let server = try LoopbackServer { connection in
            guard let request = try connection.readRequest() else { return }
            switch framing {
            case "length": try connection.send(LoopbackResponse(body: plain), to: request)
            case "chunks": try connection.send(LoopbackResponse(body: plain, chunkSize: 300), to: request)
            case "gzip":
                try connection.send(
                    LoopbackResponse(headers: ["Content-Encoding": "gzip"], body: Self.gzip), to: request)
            default:
                try connection.sendHead(headers: ["Connection": "close"])
                try connection.send(plain)
            }
        }
        let session = session()
        let seen = Seen(session.eventLoop)
        let request = HTTPRequest(url: try HTTPURL(server.url()), options: session.configuration.options)
        let reply = try await session.data(for: request, downloadProgress: seen.note)
        #expect(reply.data == Data(plain))
        seen.check(completed: 1000, total: framing == "length" ? 1000 : nil)
        await session.invalidate()
    }

    @Test func ofAnUpload() async throws {
        let server = try LoopbackServer(
            recordsTraffic: false, handler: LoopbackServer.serving { .text("\($0.body.count)") })
        let session = session()
        let data = Data(count: 5 << 20)
        let bodies: [(HTTPBody, Int64?)] = [
            (.bytes(data), 5 << 20), (.text("small"), 5), (.stream { OnePiece(data) }, nil),
            (.stream(length: 5 << 20) { OnePiece(data) }, 5 << 20),
        ]
        for (body, total) in bodies {
            let seen = Seen(session.eventLoop)
            let request = HTTPRequest(
                method: .put, url: try HTTPURL(server.url()), body: body, options: session.configuration.options)
            let reply = try await session.data(for: request, uploadProgress: seen.note)
            let count = body.length ?? 5 << 20
            #expect(reply.text == "\(count)")
            #expect(reply.metrics.sentBytes == count)
            if total != nil { seen.check(completed: count, total: total) }
        }
        await session.invalidate()
    }

    /// A thousand times 7.
    private static let gzip: [UInt8] = [
        0x1f, 0x8b, 0x08, 0x00, 0x00, 0x00, 0x00, 0x00, 0x02, 0x03, 0x63, 0x67, 0x1f, 0x05, 0xa3, 0x60, 0x14, 0x0c,
        0x77, 0x00, 0x00, 0xdc, 0x30, 0x98, 0x45, 0xe8, 0x03, 0x00, 0x00,
    ]
}

private final class OnePiece: BodyReader {
    private let data: Lock<Data?>

    init(_ data: Data) { self.data = Lock(data) }

    func read(upTo count: Int) async throws -> Data? { data.withLock { $0.take() } }
}
