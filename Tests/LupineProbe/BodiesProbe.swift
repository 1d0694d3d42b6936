import FoundationEssentials
import Lupine
import LupineCore
import LupineTesting

/// Large bodies through the seam, and the process's peak of memory meanwhile.
struct BodiesProbe {
    let size: Int64

    func run() async throws -> JSONValue {
        let size = size
        let piece = [UInt8](repeating: 0x4C, count: 1 << 20)
        let server = try LoopbackServer(recordsTraffic: false) { connection in
            while let head = try connection.readHead() {
                if head.method == .get {
                    try connection.sendHead(headers: ["Content-Length": "\(size)"])
                    for _ in 0..<size / Int64(piece.count) { try connection.send(piece) }
                } else {
                    var left = size
                    while left > 0 {
                        let read = try connection.read(upTo: 256 << 10)
                        if read.isEmpty { return }
                        left -= Int64(read.count)
                    }
                    try connection.send(.text("\(size)"))
                }
            }
        }
        let transport = CurlTransport()
        // Once small, so that what is paid once is not counted.
        let before = Probe.peak()
        let down = try await exchange(transport, .get, server)
        let afterDown = Probe.peak()
        let up = try await exchange(transport, .put, server)
        let afterUp = Probe.peak()
        let slow = try await exchange(transport, .get, server, pausing: true)
        let afterSlow = Probe.peak()
        await transport.shutdown()
        return [
            "down": ["bytes": JSONValue(down.received), "kB": JSONValue(afterDown - before)],
            "up": ["bytes": JSONValue(up.sent), "kB": JSONValue(afterUp - before)],
            "paused": ["bytes": JSONValue(slow.received), "kB": JSONValue(afterSlow - before)],
        ]
    }

    private func exchange(
        _ transport: CurlTransport, _ method: HTTPMethod, _ server: LoopbackServer, pausing: Bool = false
    ) async throws -> (received: Int64, sent: Int64) {
        var options = TransferOptions()
        options.route.proxy = .none
        let size = size
        let body = method == .put ? HTTPBody.stream(length: size) { RepeatingReader(count: size) } : .empty
        let request = HTTPRequest(method: method, url: try HTTPURL(server.url("/")), body: body, options: options)
        let counter = CountingReceiver(pausesEvery: pausing ? 64 : 0)
        counter.control.withLock { $0 = transport.start(request, receiver: counter) }
        let completion = await counter.finish()
        counter.control.withLock { $0 = nil }  // each would keep the other
        if let error = completion.error { throw error }
        return (counter.received.withLock { $0 }, completion.metrics.sentBytes)
    }
}

/// The same byte, so often.
struct RepeatingReader: BodyReader {
    let count: Int64
    private let position = Lock<Int64>(0)

    init(count: Int64) { self.count = count }

    func read(upTo limit: Int) async throws -> Data? {
        let piece = position.withLock { position in
            let piece = min(count - position, Int64(limit))
            position += piece
            return Int(piece)
        }
        return piece == 0 ? nil : Data(repeating: 0x55, count: piece)
    }
}

/// Counts a body; pauses at every so many pieces, and resumes from elsewhere.
private final class CountingReceiver: ExchangeReceiver {
    let received = Lock<Int64>(0)
    let control = Lock<(any ExchangeControl)?>(nil)
    private let pieces = Lock(0)
    private let pausesEvery: Int
    private let (ends, end) = AsyncStream<ExchangeCompletion>.makeStream()

    init(pausesEvery: Int) { self.pausesEvery = pausesEvery }

    func finish() async -> ExchangeCompletion {
        for await completion in ends { return completion }
        return ExchangeCompletion()
    }

    func didReceive(head response: HTTPResponse) {}

    func didReceive(body bytes: UnsafeRawBufferPointer) -> ExchangeFlow {
        received.withLock { $0 += Int64(bytes.count) }
        let count = pieces.withLock { pieces in
            pieces += 1
            return pieces
        }
        guard pausesEvery > 0, count % pausesEvery == 0 else { return .proceed }
        Task.detached { [control] in control.withLock { $0 }?.resume() }
        return .pause
    }

    func didFinish(_ completion: ExchangeCompletion) { end.yield(completion) }
}
