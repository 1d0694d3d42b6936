import Foundation
import FoundationNetworking
import Lupine
import LupineCore
import LupineFoundationBridge
import LupineTesting
import Testing

/// Bodies that are Foundation streams.
@Suite(.timeLimit(.minutes(2)))
struct StreamBodyTests {
    private let session = URLSessionManager.direct()

    private func request(_ server: LoopbackServer, _ stream: InputStream) throws -> HTTPRequest {
        try HTTPRequest(URLRequest(url: server, stream), options: session.configuration.options)
    }

    @Test func aSmallOne() async throws {
        let server = try LoopbackServer(handler: LoopbackServer.echo)
        let request = try request(server, InputStream(data: Data("hello".utf8)))
        #expect(request.body.length == nil && !request.body.isRewindable)
        #expect(try await session.data(for: request).status == 200)
        #expect(server.requests.first?.body == Array("hello".utf8))
        #expect(server.requests.first?.headers["Transfer-Encoding"] == "chunked")
        await session.invalidate()
    }

    /// A `Content-Length` beside it states its length, and has to be true.
    @Test(arguments: [5, 4, 6])
    func ofAStatedLength(_ length: Int) async throws {
        let server = try LoopbackServer(handler: LoopbackServer.echo)
        var foundation = try URLRequest(url: server, InputStream(data: Data("hello".utf8)))
        foundation.setValue("\(length)", forHTTPHeaderField: "Content-Length")
        let request = try HTTPRequest(foundation, options: session.configuration.options)
        if length == 5 {
            _ = try await session.data(for: request)
            #expect(server.requests.first?.headers["Content-Length"] == "5")
            #expect(server.requests.first?.body == Array("hello".utf8))
        } else {
            let error = await #expect(throws: LupineError.self) { try await session.data(for: request) }
            #expect(error?.code == .uploadSourceFailed)
        }
        await session.invalidate()
    }

    /// Read in bounded pieces on one queue that is not the loop's, opened once, closed once.
    @Test func aHugeOne() async throws {
        let server = try LoopbackServer(
            recordsTraffic: false, handler: LoopbackServer.serving { .text("\($0.body.count)") })
        let stream = MadeStream(count: 96 << 20)
        #expect(try await session.data(for: request(server, stream)).text == "\(96 << 20)")
        await session.invalidate()
        try await stream.closed.opened()
        #expect(stream.largestRead <= 64 << 10)
        #expect(stream.opened == 1)
        #expect(!stream.wasOnLoop)
    }

    @Test(arguments: [0, 100_000])
    func oneThatFails(after count: Int) async throws {
        let server = try LoopbackServer(handler: LoopbackServer.echo)
        let stream = MadeStream(count: count, fails: true)
        let error = await #expect(throws: LupineError.self) { try await session.data(for: request(server, stream)) }
        #expect(error?.code == .uploadSourceFailed)
        try await stream.closed.opened()
        await session.invalidate()
    }

    @Test(arguments: ["/nonexistent/file", "/"])
    func ofAFileThatCannotBeRead(_ path: String) async throws {
        let server = try LoopbackServer(handler: LoopbackServer.echo)
        let stream = try #require(InputStream(fileAtPath: path))
        let error = await #expect(throws: LupineError.self) { try await session.data(for: request(server, stream)) }
        #expect(error?.code == .uploadSourceFailed)
        await session.invalidate()
    }

    @Test func ofAFile() async throws {
        let server = try LoopbackServer(handler: LoopbackServer.echo)
        let directory = try TemporaryDirectory()
        let path = directory.path + "/body", data = Data((0..<300_000).map { UInt8(truncatingIfNeeded: $0 % 251) })
        try data.write(to: URL(fileURLWithPath: path))
        let stream = try #require(InputStream(fileAtPath: path))
        _ = try await session.data(for: request(server, stream))
        #expect(server.requests.first.map { Data($0.body) } == data)
        await session.invalidate()
    }

    /// It may be open already; read and closed, it would pass for an empty body.
    @Test func openedAndClosedBefore() async throws {
        let server = try LoopbackServer(handler: LoopbackServer.echo)
        let stream = InputStream(data: Data("hello".utf8))
        stream.open()
        _ = try await session.data(for: request(server, stream))
        #expect(server.requests.first?.body == Array("hello".utf8))
        let error = await #expect(throws: LupineError.self) { try await session.data(for: request(server, stream)) }
        #expect(error?.code == .uploadSourceFailed)
        await session.invalidate()
    }

    /// Sent to where a redirect leads, a stream is needed anew.
    @Test func notTwice() async throws {
        let server = try LoopbackServer(
            handler: LoopbackServer.serving { $0.path == "/" ? .redirect(to: "/there", status: 307) : .text("there") })
        var handlers = TaskHandlers()
        let request = try request(server, InputStream(data: Data("hello".utf8)))
        let error = await #expect(throws: LupineError.self) { try await session.data(for: request) }
        #expect(error?.code == .uploadSourceFailed)
        handlers.newBody = { [server] _ in
            try HTTPRequest(URLRequest(url: server, InputStream(data: Data("again".utf8)))).body
        }
        let again = try self.request(server, InputStream(data: Data("hello".utf8)))
        #expect(try await session.dataTask(with: again, handlers: handlers).result().text == "there")
        #expect(server.requests.last?.body == Array("again".utf8))
        await session.invalidate()
    }

    /// Let go of in the middle, it is closed.
    @Test func cancelled() async throws {
        let server = try LoopbackServer { connection in
            _ = try connection.readHead()
            try connection.stall()
        }
        let stream = MadeStream(count: 1 << 30)
        let task = session.dataTask(with: try request(server, stream))
        task.resume()
        for await case .sent in task.events { break }
        task.cancel()
        try await stream.closed.opened()
        await session.invalidate()
    }
}

/// A stream that makes its bytes, and may fail after them.
///
/// Read by one reader, one call at a time, and looked at once it is closed.
private final class MadeStream: InputStream {
    private var left: Int
    private let fails: Bool
    private var status = Stream.Status.notOpen
    private(set) var largestRead = 0
    private(set) var opened = 0
    private(set) var wasOnLoop = false
    let closed = Gate()

    init(count: Int, fails: Bool = false) {
        left = count
        self.fails = fails
        super.init(data: Data())
    }

    override var streamStatus: Stream.Status { status }
    override var hasBytesAvailable: Bool { true }
    override func open() {
        opened += 1
        status = .open
    }
    override func close() {
        status = .closed
        closed.open()
    }
    override func read(_ buffer: UnsafeMutablePointer<UInt8>, maxLength count: Int) -> Int {
        largestRead = max(largestRead, count)
        wasOnLoop = wasOnLoop || EventLoop.shared.isCurrent
        if left == 0 { return fails ? -1 : 0 }
        let piece = min(count, left)
        buffer.update(repeating: 7, count: piece)
        left -= piece
        return piece
    }
}
