import FoundationEssentials
import Lupine
import LupineCore
import LupineTesting
import Testing

/// What Foundation's URLSession does wrong on Linux, row by row: a letter and a number name the row of the measurements.
@Suite(.timeLimit(.minutes(2)))
struct URLSessionRowTests {
    private let session = URLSessionManager.direct()

    /// URLSession never completes.
    @Test func a1ChallengeWithoutCredentialIsAnAnswer() async throws {
        let server = try LoopbackServer(
            handler: LoopbackServer.serving { _ in
                .text("no", status: 401, headers: ["WWW-Authenticate": "Basic realm=\"r\""])
            })
        let reply = try await session.send(.get, server.url("/"))
        #expect(reply.status == 401)
        #expect(reply.text == "no")
        #expect(server.requestCount == 1)
    }

    /// Alamofire's completion is not called.
    @Test func a6LastReferenceDroppedWithARequestInFlight() async throws {
        let server = try LoopbackServer { connection in
            _ = try connection.readRequest()
            try connection.stall()
        }
        let receiver = RecordingReceiver()
        var transport: CurlTransport? = CurlTransport()
        transport?.start(try .direct(.get, server.url("/")), receiver: receiver)
        try await server.waitForRequests(1)
        transport = nil
        #expect(try await receiver.finish(within: .seconds(5)).error?.code == .cancelled)
        #expect(receiver.violations == [])
        try await server.waitForOpenConnections()
    }

    @Test func a7ManySessionsAndCancellations() async throws {
        let server = try LoopbackServer(handler: LoopbackServer.echo)
        let url = server.url("/")
        await withTaskGroup(of: Void.self) { group in
            for index in 0..<300 {
                group.addTask {
                    let session = URLSessionManager.direct()
                    let task = Task { try await session.send(.get, url) }
                    if index % 3 == 0 { task.cancel() }
                    if index % 3 == 1 { await session.invalidate() }
                    switch await task.result {
                    case .success(let reply): #expect(reply.status == 200)
                    case .failure(let error): #expect((error as? LupineError)?.code == .cancelled, "\(error)")
                    }
                }
            }
        }
        try await server.waitForOpenConnections()
    }

    /// URLSession keeps the method and drops the body.
    @Test(arguments: [307, 308], [HTTPBody.text("body"), .stream { PiecesReader(["bo", "dy"]) }])
    func b1RedirectsKeepTheBody(_ status: Int, _ body: HTTPBody) async throws {
        let server = try LoopbackServer(
            handler: LoopbackServer.serving { request in
                request.path == "/"
                    ? .redirect(to: "/x", status: HTTPStatus(rawValue: status))
                    : .text("\(request.method) \(request.text)")
            })
        let reply = try await session.send(.post, server.url("/"), body: body)
        #expect(reply.text == "POST body")
        #expect(server.requests.map(\.text) == ["body", "body"])
    }

    /// URLSession sends the request again from its start and delivers too much.
    @Test func b3PauseAndResumeContinue() async throws {
        let body = Array(PatternReader.bytes(400_000))
        let server = try LoopbackServer(handler: LoopbackServer.serving { _ in .bytes(body) })
        let transport = CurlTransport()
        let receiver = RecordingReceiver { $0 == 0 ? .pause : .proceed }
        let control = transport.start(try .direct(.get, server.url("/")), receiver: receiver)
        try await receiver.waitForBodyPieces(1)
        control.pause()
        control.resume()
        #expect(try await receiver.finish().error == nil)
        #expect(receiver.body == body)
        #expect(server.requestCount == 1)
        #expect(receiver.violations == [])
        await transport.shutdown()
    }

    /// URLSession says -1.
    @Test func b4ShortBodyIsIncomplete() async throws {
        let server = try LoopbackServer { connection in
            _ = try connection.readRequest()
            try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n12345")
        }
        let (error, _) = try await session.failure(.get, server.url("/"))
        #expect(error.code == .incompleteBody)
        #expect(error.response?.status == 200)
        #expect(error.data == Data("12345".utf8))
    }

    /// URLSession fails the whole request.
    @Test func b5FieldThatIsNoUTF8() async throws {
        let server = try LoopbackServer { connection in
            _ = try connection.readRequest()
            try connection.send(
                Array("HTTP/1.1 200 OK\r\nX-L: h".utf8) + [0xE9] + Array("\r\nContent-Length: 2\r\n\r\nok".utf8))
        }
        let reply = try await session.send(.get, server.url("/"))
        #expect(reply.headers["X-L"] == "h\u{E9}")
        #expect(reply.text == "ok")
    }

    /// URLSession folds them into one.
    @Test func b6RepeatedFieldsStaySeparate() async throws {
        let server = try LoopbackServer(
            handler: LoopbackServer.serving { _ in
                .text("x", headers: ["Set-Cookie": "a=1; Path=/", "X-Multi": "1", "Set-Cookie": "b=2", "x-multi": "2"])
            })
        let reply = try await session.send(.get, server.url("/"))
        #expect(reply.headers.values(for: "set-cookie") == ["a=1; Path=/", "b=2"])
        #expect(reply.headers.values(for: "X-Multi") == ["1", "2"])
        #expect(reply.headers.map(\.name).prefix(4) == ["Set-Cookie", "X-Multi", "Set-Cookie", "x-multi"])
    }

    /// URLSession's delegate gets 100 for the response.
    @Test func b7ContinueIsNotTheHead() async throws {
        let server = try LoopbackServer { connection in
            guard let head = try connection.readHead() else { return }
            try connection.send("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n")
            try connection.readBody(of: head)
            try connection.send(.text("done"))
        }
        let receiver = RecordingReceiver()
        let transport = CurlTransport()
        transport.start(
            try .direct(
                .post, server.url("/"), headers: ["Expect": "100-continue"],
                body: .stream { PatternReader(count: 100_000) }), receiver: receiver)
        #expect(try await receiver.finish().error == nil)
        #expect(receiver.informational.map(\.status) == [100, 103])
        #expect(receiver.informational.last?.headers["Link"] == "</a>")
        #expect(receiver.head?.status == 200)
        #expect(receiver.text == "done")
        #expect(receiver.violations == [])
        await transport.shutdown()
    }

    /// URLSession sends both `Transfer-Encoding` and `Content-Length`.
    @Test func b8OneFramingOnly() async throws {
        let server = try LoopbackServer(handler: LoopbackServer.echo)
        let count: Int64 = 1000
        let bodies: [() -> HTTPBody] = [
            { .stream { PatternReader(count: count) } }, { .stream(length: count) { PatternReader(count: count) } },
            { .oneShotStream(reader: PatternReader(count: count)) },
        ]
        for makeBody in bodies {
            for headers in [[:], ["Content-Length": "\(count)"]] as [HTTPHeaders] {
                let body = makeBody()
                _ = try await session.send(.post, server.url("/"), headers: headers, body: body)
                let request = try #require(server.requests.last)
                let lengths = request.headers.values(for: "Content-Length").count
                let codings = request.headers.values(for: "Transfer-Encoding").count
                #expect(lengths + codings == 1)
                #expect((lengths == 1) == (body.length != nil || !headers.isEmpty))
                #expect(Data(request.body) == PatternReader.bytes(Int(count)))
                #expect(!request.headers.contains("Content-Type"))
            }
        }
    }

    // MARK: Back-pressure, times, metrics

    /// URLSession piles up the whole body.
    @Test func cPausedReceiverHoldsTheServerBack() async throws {
        let accepted = Lock(0), piece = [UInt8](repeating: 7, count: 64 << 10), pieces = 1024
        let server = try LoopbackServer { connection in
            _ = try connection.readRequest()
            try connection.sendHead(headers: ["Content-Length": "\(piece.count * pieces)"])
            for _ in 0..<pieces {
                try connection.send(piece)
                accepted.withLock { $0 += piece.count }
            }
        }
        let transport = CurlTransport(), receiver = RecordingReceiver(keepsBody: false) { $0 == 2 ? .pause : .proceed }
        let control = transport.start(try .direct(.get, server.url("/")), receiver: receiver)
        try await receiver.waitForBodyPieces(3)
        // Time enough for a server that nothing holds back.
        await Duration.milliseconds(1200).pass()
        #expect(receiver.completion == nil)
        #expect(receiver.bodyPieceCount == 3)
        #expect(accepted.withLock { $0 } < 16 << 20)
        control.resume()
        let completion = try await receiver.finish()
        #expect(completion.error == nil)
        #expect(completion.metrics.receivedBytes == Int64(piece.count * pieces))
        await transport.shutdown()
    }

    /// URLSession reads 1.5 s as 1 s, and 0.5 s as 0.
    @Test(arguments: [0.05, 0.5, 1.25])
    func cTimeoutsCountFractions(_ seconds: Double) async throws {
        let server = try LoopbackServer { connection in
            _ = try connection.readRequest()
            try connection.stall()
        }
        let limit = Duration.seconds(seconds)
        let (error, after) = try await session.failure(.get, server.url("/")) { $0.timeouts.idle = limit }
        #expect(error.code == .timedOut)
        #expect(after >= limit - .milliseconds(3) && after < limit + .seconds(25))
    }

    /// URLSession delivers none.
    @Test func cMetrics() async throws {
        let authority = try TestCertificateAuthority(), directory = try TemporaryDirectory()
        try authority.certificate.writePEM(to: directory.file("roots.pem"))
        let session = URLSessionManager.direct {
            $0.transport.certificateAuthorities = .file(directory.file("roots.pem"))
        }
        let server = try LoopbackServer(tls: authority.issue()) { connection in
            try connection.serve { request in
                try connection.delay(.milliseconds(30))
                return .text(request.text)
            }
        }
        let first = try await session.send(.post, server.url("/"), body: .text("12345678")).metrics
        #expect(first.connect > .zero && first.connect <= first.tls && first.tls < first.firstByte)
        #expect(first.firstByte - first.tls >= .milliseconds(29) && first.firstByte <= first.total)
        #expect((first.sentBytes, first.receivedBytes) == (8, 8))
        #expect(!first.isReusedConnection)
        #expect(first.remoteAddress == SocketAddress(ip: "127.0.0.1", port: server.port))
        #expect(first.localAddress?.ip == "127.0.0.1")
        #expect(first.httpVersion == .http1_1)
        let second = try await session.send(.get, server.url("/")).metrics
        #expect(second.isReusedConnection)
        #expect(second.tls == .zero || second.tls < second.firstByte)
        #expect(second.localAddress == first.localAddress)
        #expect(second.sentBytes == 0)
    }

    /// URLSession's stays -1, or counts more than there is.
    @Test func cProgress() async throws {
        let body = [UInt8](repeating: 1, count: 3_000_000)
        let server = try LoopbackServer(handler: LoopbackServer.serving { _ in .bytes(body) })
        let up = Lock<[TransferProgress]>([]), down = Lock<[TransferProgress]>([])
        let request = try HTTPRequest.direct(.post, server.url("/"), body: .bytes(Data(body)))
        _ = try await session.data(
            for: request, uploadProgress: { step in up.withLock { $0.append(step) } },
            downloadProgress: { step in down.withLock { $0.append(step) } })
        for steps in [up.withLock({ $0 }), down.withLock({ $0 })] {
            #expect(steps.last == TransferProgress(completed: 3_000_000, total: 3_000_000))
            #expect(steps.last?.fractionCompleted == 1)
            #expect(steps.map(\.completed) == steps.map(\.completed).sorted())
            #expect(steps.allSatisfy { $0.total == 3_000_000 })
        }
    }

    // MARK: D. Further gaps

    @Test func dBareMethodsStateNoLength() async throws {
        let server = try LoopbackServer(handler: LoopbackServer.echo)
        for method in [HTTPMethod.get, .delete, .options, "QUERY"] {
            _ = try await session.send(method, server.url("/"))
            let request = try #require(server.requests.last)
            #expect(request.method == method)
            #expect(!request.headers.contains("Content-Length") && !request.headers.contains("Transfer-Encoding"))
            #expect(
                request.headers.map(\.name).filter { $0 != "Accept-Language" } == [
                    "Host", "Accept-Encoding", "Accept", "User-Agent",
                ])
        }
        for method in [HTTPMethod.get, .delete, "QUERY"] {
            _ = try await session.send(method, server.url("/"), body: .text("q"))
            #expect(server.requests.last?.text == "q")
            #expect(server.requests.last?.headers.values(for: "Content-Length") == ["1"])
        }
        for method in [HTTPMethod.post, .put, .patch] {
            _ = try await session.send(method, server.url("/"))
            #expect(server.requests.last?.headers.values(for: "Content-Length") == ["0"])
        }
    }

    /// URLSession writes them to disk, and sends them again in the next run.
    @Test func dCookiesEndWithTheirSession() async throws {
        let server = try LoopbackServer(
            handler: LoopbackServer.serving { _ in
                .text("x", headers: ["Set-Cookie": "a=1; Path=/; Expires=Fri, 01 Jan 2100 00:00:00 GMT"])
            })
        for _ in 0..<2 {
            let session = URLSessionManager.direct()
            for _ in 0..<2 { _ = try await session.send(.get, server.url("/")) }
            await session.invalidate()
        }
        #expect(server.requests.map { $0.headers["Cookie"] } == [nil, "a=1", nil, "a=1"])
    }

    @Test func dProxyIsUsed() async throws {
        let proxy = try LoopbackServer(handler: LoopbackServer.echo)
        let reply = try await session.send(.get, "http://site.example/path?q=1") {
            $0.route.proxy = .url(proxy.url(""))
        }
        #expect(reply.status == 200)
        #expect(proxy.requests.map(\.target) == ["http://site.example/path?q=1"])
        #expect(proxy.requests.first?.headers["Host"] == "site.example")
    }

    /// URLSession opens hundreds.
    @Test func dSixConnectionsSuffice() async throws {
        let server = try LoopbackServer(recordsTraffic: false, handler: LoopbackServer.serving { _ in .text("x") })
        let request = try HTTPRequest.direct(.get, server.url("/"))
        let tally = await hammer(session, request, count: 2000, inFlight: 64) { $0.text == "x" }
        #expect(tally.answered == 2000, "\(tally)")
        #expect(server.connectionCount <= 6)
    }

    /// URLSession says -1 for nearly all.
    @Test func dErrorCodes() async throws {
        let answers: [(String, LupineError.Code)] = [
            ("", .connectionLost), ("HTTP/1.1 200 O", .connectionLost),
            ("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nx", .incompleteBody),
            ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nabc", .incompleteBody),
            ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n", .badResponse),
            ("HTTP/1.1 200 OK\r\nno field\r\n\r\n", .badResponse), ("not HTTP at all\r\n\r\n", .badResponse),
            ("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 3\r\n\r\nabc", .contentDecodingFailed),
        ]
        for (bytes, code) in answers {
            let server = try LoopbackServer { connection in
                _ = try connection.readRequest()
                try connection.send(bytes)
            }
            let (error, after) = try await session.failure(.get, server.url("/"))
            #expect(error.code == code, "\(bytes): \(error)")
            #expect(after < .seconds(25))
        }
    }

    @Test func dOwnAcceptEncodingIsTheCallersToDecode() async throws {
        let server = try LoopbackServer(
            handler: LoopbackServer.serving { _ in .text("raw", headers: ["Content-Encoding": "gzip"]) })
        let reply = try await session.send(.get, server.url("/"), headers: ["Accept-Encoding": "gzip"])
        #expect(reply.text == "raw")
        #expect(reply.headers["Content-Encoding"] == "gzip")
        #expect(reply.headers["Content-Length"] == "3")
    }

    @Test(arguments: [true, false])
    func dEarlyRefusalIsTheAnswer(closes: Bool) async throws {
        let server = try LoopbackServer { connection in
            guard try connection.readHead() != nil else { return }
            try connection.send(
                .text("too large", status: 413, headers: closes ? ["Connection": "close"] : [:]))
            if !closes { try connection.stall() }
        }
        let reply = try await session.send(
            .post, server.url("/"), body: .stream(length: 50 << 20) { PatternReader(count: 50 << 20) })
        #expect(reply.status == 413)
        #expect(reply.text == "too large")
        // The connection is in the middle of a body: the next request must not go out on it.
        #expect(server.connectionCount == 1)
        let fresh = try await session.send(.post, server.url("/"))
        #expect(fresh.status == 413)
        #expect(server.connectionCount == 2)
    }
}
