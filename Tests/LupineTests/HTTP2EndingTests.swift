import FoundationEssentials
import Lupine
import LupineCore
import LupineTesting
import Testing

/// How HTTP/2 ends streams and connections, and which requests go out again (RFC 9113 section 8.7).
@Suite(.timeLimit(.minutes(1)))
struct HTTP2EndingTests {
    private let authority: TestCertificateAuthority
    private let directory: TemporaryDirectory
    private let session: URLSessionManager

    init() throws {
        let authority = try TestCertificateAuthority(), directory = try TemporaryDirectory()
        let roots = directory.file("roots.pem")
        try authority.certificate.writePEM(to: roots)
        self.authority = authority
        self.directory = directory
        session = .direct { $0.transport.certificateAuthorities = .file(roots) }
    }

    /// Answers the first request of the first connection, then does `ending` to the second; later connections answer all.
    /// The box counts the requests that came, by connection.
    private func server(
        _ seen: Lock<[Int]>, _ ending: @escaping @Sendable (HTTP2Script, UInt32) throws -> Void
    ) throws -> LoopbackServer {
        var tls = LoopbackTLS(certificate: try authority.issue())
        tls.offersHTTP2 = true
        return try LoopbackServer(tls: tls) { connection in
            guard let script = try HTTP2Script(connection) else { return }
            while true {
                let stream = try script.nextRequest()
                let isSecond = seen.withLock { seen in
                    seen.append(connection.index)
                    return seen == [0, 0]
                }
                if !isSecond {
                    try script.answer(stream, "connection \(connection.index)")
                    continue
                }
                try ending(script, stream)
                return
            }
        }
    }

    enum Refusal: CaseIterable, Sendable { case refusedStream, goAwayBelow, goAwayBelowThenReset }

    /// What a server refuses is sent again when that does no harm. A POST could be too, but libcurl does not tell a refused
    /// stream from a dead connection: it goes out once. All without a body: with one they go over HTTP/1.1 where libcurl is old.
    @Test(arguments: [HTTPMethod.get, .post, .put], Refusal.allCases)
    func refusedIsSentAgain(_ method: HTTPMethod, _ refusal: Refusal) async throws {
        let seen = Lock<[Int]>([])
        let server = try server(seen) { script, stream in
            switch refusal {
            case .refusedStream:
                try script.reset(stream, .refusedStream)
                try script.connection.stall()
            case .goAwayBelow:
                try script.goAway(last: stream - 2)
                try script.connection.stall()
            case .goAwayBelowThenReset:
                try script.goAway(last: stream - 2, .protocolError)
                script.connection.reset()
            }
        }
        let first = try await session.send(.get, server.url("/"))
        #expect(first.metrics.httpVersion == .http2)
        guard method.isIdempotent else {
            let error = await #expect(throws: LupineError.self) {
                try await session.send(method, server.url("/"))
            }
            #expect(error?.code == .connectionLost)
            #expect(seen.withLock { $0 } == [0, 0])
            return
        }
        let reply = try await session.send(method, server.url("/"))
        #expect(reply.text == "connection 1")
        #expect(seen.withLock { $0 } == [0, 0, 1])
    }

    /// A server that does not want the body says so before it has read it, and its answer counts.
    @Test(arguments: [1, 1_000, 40_000])
    func earlyRefusalsAreAnswers(_ size: Int) async throws {
        var tls = LoopbackTLS(certificate: try authority.issue())
        tls.offersHTTP2 = true
        let server = try LoopbackServer(tls: tls) { connection in
            if let script = try HTTP2Script(connection) {
                while true { try script.refuseEarly(script.nextRequest(headAlone: true), "no") }
            }
            while try connection.readRequest() != nil { try connection.send(.text("no", status: 404)) }
        }
        for _ in 0..<20 {
            try await withThrowingTaskGroup(of: DataResponse.self) { group in
                for _ in 0..<5 {
                    group.addTask { [session] in
                        try await session.send(.post, server.url("/"), body: .bytes(Data(count: size)))
                    }
                }
                for try await answer in group { #expect(answer.status == 404 && answer.text == "no") }
            }
        }
    }

    enum Doubt: CaseIterable, Sendable { case goAwayAbove, closedSilently, resetSilently, internalError }

    /// What it may have acted on is not, unless that does no harm.
    @Test(arguments: [HTTPMethod.post, .patch], Doubt.allCases)
    func doubtfulIsNotSentAgain(_ method: HTTPMethod, _ doubt: Doubt) async throws {
        let seen = Lock<[Int]>([])
        let server = try server(seen) { script, stream in try doubt.end(script, stream) }
        _ = try await session.send(.get, server.url("/"))
        let (error, after) = try await session.failure(method, server.url("/"))
        #expect(error.code == .connectionLost)
        #expect(after < .seconds(25))
        #expect(seen.withLock { $0 } == [0, 0])
    }

    @Test(arguments: [Doubt.goAwayAbove, .closedSilently, .resetSilently])
    func doubtfulButHarmlessIsSentAgain(_ doubt: Doubt) async throws {
        let seen = Lock<[Int]>([])
        let server = try server(seen) { script, stream in try doubt.end(script, stream) }
        _ = try await session.send(.get, server.url("/"))
        #expect(try await session.send(.get, server.url("/")).text == "connection 1")
        #expect(seen.withLock { $0 } == [0, 0, 1])
    }

    /// A server that judged the request, or its sender, is not asked again.
    @Test(arguments: [HTTP2Script.ErrorCode.protocolError, .enhanceYourCalm, .inadequateSecurity])
    func judgedIsNotSentAgain(_ code: HTTP2Script.ErrorCode) async throws {
        let seen = Lock<[Int]>([])
        let server = try server(seen) { script, stream in
            try script.reset(stream, code)
            try script.connection.stall()
        }
        _ = try await session.send(.get, server.url("/"))
        let (error, _) = try await session.failure(.get, server.url("/"))
        #expect(error.code == .badResponse)
        #expect(seen.withLock { $0 } == [0, 0])
    }

    /// A status line that says HTTP/2 where HTTP/1.1 was agreed on: no answer, and nobody else's answer is mixed up.
    @Test func aStatusLineThatLiesAboutTheVersion() async throws {
        let gate = Gate()
        let server = try LoopbackServer(tls: LoopbackTLS(certificate: authority.issue())) { connection in
            while let request = try connection.readRequest() {
                if request.path == "/lie" {
                    try connection.send("HTTP/2 200 \r\nContent-Length: 2\r\n\r\nno")
                    continue
                }
                if request.path == "/slow" { try connection.wait(gate) }
                try connection.send(.text("this is \(request.path)"), to: request)
            }
        }
        async let slow = session.send(.get, server.url("/slow")).text
        try await server.waitForRequests(1)
        for path in ["/a", "/b", "/c"] {
            #expect(try await session.failure(.get, server.url("/lie")).error.code == .badResponse)
            // Sent over the slow one's connection it would wait for ever.
            #expect(try await session.send(.get, server.url(path)).text == "this is \(path)")
        }
        gate.open()
        #expect(try await slow == "this is /slow")
    }

    /// A server that refuses for ever ends the request, and soon.
    @Test(arguments: [HTTPMethod.get, .post])
    func endlessRefusalEnds(_ method: HTTPMethod) async throws {
        var tls = LoopbackTLS(certificate: try authority.issue())
        tls.offersHTTP2 = true
        let server = try LoopbackServer(tls: tls) { connection in
            guard let script = try HTTP2Script(connection) else { return }
            while true { try script.reset(try script.nextRequest(), .refusedStream) }
        }
        let (error, after) = try await session.failure(
            method, server.url("/"), body: method == .get ? .empty : .text("b"))
        #expect(error.code == .connectionLost)
        #expect(after < .seconds(25))
    }
}

extension HTTP2EndingTests.Doubt {
    fileprivate func end(_ script: HTTP2Script, _ stream: UInt32) throws {
        switch self {
        case .goAwayAbove: try script.goAway(last: stream)
        case .closedSilently: break
        case .resetSilently: script.connection.reset()
        case .internalError:
            try script.reset(stream, .internalError)
            try script.connection.stall()
        }
    }
}
