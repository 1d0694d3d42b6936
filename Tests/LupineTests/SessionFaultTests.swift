import FoundationEssentials
import Lupine
import LupineTesting
import Testing

/// What goes wrong below, as a session's caller sees it.
@Suite(.timeLimit(.minutes(2)))
struct SessionFaultTests {
    private func session() -> URLSessionManager {
        var configuration = SessionConfiguration()
        configuration.options.route.proxy = .none
        return URLSessionManager(configuration: configuration)
    }

    private func request(
        _ session: URLSessionManager, _ server: LoopbackServer, _ path: String = "/", method: HTTPMethod = .get,
        headers: HTTPHeaders = [:], body: HTTPBody = .empty
    ) throws -> HTTPRequest {
        HTTPRequest(
            method: method, url: try HTTPURL(server.url(path)), headers: headers, body: body,
            options: session.configuration.options)
    }

    private func error(_ session: URLSessionManager, _ request: HTTPRequest) async throws -> LupineError {
        let error = await #expect(throws: LupineError.self) { try await session.data(for: request) }
        return try #require(error)
    }

    struct Answer: Sendable, CustomTestStringConvertible {
        let name: String
        let text: String
        let code: LupineError.Code
        var testDescription: String { name }
    }

    @Test(arguments: [
        Answer(name: "no answer", text: "", code: .connectionLost),
        Answer(name: "half a head", text: "HTTP/1.1 200 OK\r\nX: ", code: .connectionLost),
        Answer(name: "garbage", text: "garbage\r\n\r\n", code: .badResponse),
        Answer(
            name: "two lengths", text: "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab",
            code: .badResponse),
        Answer(name: "cut", text: "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\npart", code: .incompleteBody),
        Answer(
            name: "cut chunks", text: "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\npart\r\n",
            code: .incompleteBody),
        Answer(
            name: "no gzip", text: "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 4\r\n\r\npart",
            code: .contentDecodingFailed),
    ])
    func endsInItsCode(_ answer: Answer) async throws {
        let server = try LoopbackServer { connection in
            while let request = try connection.readRequest() {
                if request.path == "/next" {
                    try connection.send(.text("fine"))
                } else {
                    return try connection.send(answer.text)
                }
            }
        }
        let session = session()
        let error = try await error(session, request(session, server))
        #expect(error.code == answer.code)
        #expect(error.host == "127.0.0.1")
        #expect(error.metrics != nil)
        if answer.code == .incompleteBody {
            #expect(error.response?.status == 200)
            #expect(error.data == Data("part".utf8))
        }
        #expect(try await session.data(for: request(session, server, "/next")).text == "fine")
        await session.invalidate()
    }

    /// How the answer ended does not hide what the server said of itself.
    @Test(arguments: [
        "HTTP/1.1 502 Bad Gateway\r\nContent-Length: 9\r\n\r\npart",
        "HTTP/1.1 502 Bad Gateway\r\nContent-Encoding: gzip\r\nContent-Length: 4\r\n\r\npart",
    ])
    func aBadStatusIsToldBesideTheFault(_ answer: String) async throws {
        let server = try LoopbackServer { connection in
            while try connection.readRequest() != nil { return try connection.send(answer) }
        }
        let session = session()
        let error = try await error(session, request(session, server))
        #expect(error.code == .incompleteBody || error.code == .contentDecodingFailed)
        #expect(error.response?.status == 502)
        #expect(error.message.hasSuffix("; the answer's status was 502"))
        await session.invalidate()
    }

    /// With a length and without; the default limit is of every body in memory.
    @Test(arguments: [true, false])
    func aBodyTooLargeForMemory(_ states: Bool) async throws {
        let server = try LoopbackServer(
            handler: LoopbackServer.serving { _ in
                LoopbackResponse(body: [UInt8](repeating: 1, count: 1001), chunkSize: states ? nil : 100)
            })
        for (limit, code) in [(1000, LupineError.Code.responseTooLarge), (1001, nil)] as [(Int64, LupineError.Code?)] {
            var configuration = SessionConfiguration()
            configuration.options.route.proxy = .none
            configuration.maximumInMemoryBodySize = limit
            let session = URLSessionManager(configuration: configuration)
            let request = try request(session, server)
            if let code {
                #expect(try await error(session, request).code == code)
            } else {
                #expect(try await session.data(for: request).data.count == 1001)
            }
            // The request's own limit goes before it.
            var own = request
            own.options.maximumBodySize = 5000
            #expect(try await session.data(for: own).data.count == 1001)
            await session.invalidate()
        }
    }

    /// B92.
    @Test func aRequestsLimitGoesBeforeTheSessions() async throws {
        var configuration = SessionConfiguration()
        configuration.options.route.proxy = .none
        configuration.options.timeouts.total = .seconds(600)
        configuration.options.timeouts.idle = .seconds(600)
        let session = URLSessionManager(configuration: configuration)
        let server = try LoopbackServer { try $0.stall() }
        var request = try request(session, server)
        request.options.timeouts.idle = .milliseconds(50)
        #expect(try await error(session, request).code == .timedOut)
        request.options.timeouts.idle = nil
        request.options.timeouts.total = .milliseconds(50)
        #expect(try await error(session, request).code == .timedOut)
        await session.invalidate()
    }

    /// The same limit over all sendings.
    @Test func theTotalCoversResending() async throws {
        let server = try LoopbackServer { connection in
            guard try connection.readRequest() != nil else { return }
            guard connection.index == 0 else { return try connection.stall() }
            try connection.send(.text("first"))
            _ = try connection.readRequest()
        }
        let session = session()
        _ = try await session.data(for: request(session, server))
        var request = try request(session, server)
        request.options.timeouts.total = .seconds(1)
        #expect(try await error(session, request).code == .timedOut)
        await session.invalidate()
    }

    @Test func cancellingTheTaskCancelsTheExchange() async throws {
        let server = try LoopbackServer { connection in
            _ = try connection.readRequest()
            try connection.stall()
        }
        let session = session()
        let request = try request(session, server)
        let task = Task { try await self.error(session, request).code }
        try await server.waitForRequests(1)
        task.cancel()
        #expect(try await task.value == .cancelled)
        try await server.waitForOpenConnections()
        let early = Task { try await self.error(session, request).code }
        early.cancel()
        #expect(try await early.value == .cancelled)
        await session.invalidate()
    }

    @Test func invalidatingEndsAllAndForEver() async throws {
        let server = try LoopbackServer { try $0.stall() }
        let session = session()
        let request = try request(session, server)
        try await withThrowingTaskGroup(of: LupineError.Code.self) { group in
            for _ in 0..<50 { group.addTask { try await self.error(session, request).code } }
            try await server.waitForConnections(6)
            await session.invalidate()
            for try await code in group { #expect(code == .cancelled) }
        }
        #expect(try await error(session, request).code == .cancelled)
        try await server.waitForOpenConnections()
    }
}
