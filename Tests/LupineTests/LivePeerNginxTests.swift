import FoundationEssentials
import Lupine
import LupineCore
import LupineTesting
import Testing

@Suite(.enabled(if: LivePeers.nginx != nil, LivePeers.hint), .timeLimit(.minutes(3)))
struct LivePeerNginxTests {
    private let base: String
    private let secure: String
    private let session = URLSessionManager.direct()
    private let secureSession: URLSessionManager

    init() throws {
        base = try #require(LivePeers.nginx)
        secure = try #require(LivePeers.nginxTLS)
        secureSession = try .trustingNginx()
    }

    @Test func keepAliveUsesOneConnection() async throws {
        var ports: Set<Int?> = []
        for index in 0..<20 {
            let reply = try await session.send(.get, base + "/echo")
            #expect(reply.text?.contains("request-of-connection: \(index + 1)\n") == true)
            #expect(reply.metrics.isReusedConnection == (index > 0))
            #expect(reply.metrics.httpVersion == .http1_1)
            ports.insert(reply.metrics.localAddress?.port)
        }
        #expect(ports.count == 1)
    }

    @Test(arguments: [HTTPVersion.http2, .http1_1])
    func versionOverTLS(_ version: HTTPVersion) async throws {
        let reply = try await secureSession.send(.get, secure + "/echo") { $0.maximumHTTPVersion = version }
        #expect(reply.metrics.httpVersion == version)
        #expect(reply.response.version == version)
        #expect(reply.text?.contains("protocol: HTTP/\(version == .http2 ? "2.0" : "1.1")\n") == true)
        #expect(reply.metrics.tls > reply.metrics.connect)
        #expect(reply.metrics.firstByte >= reply.metrics.tls)
        #expect(reply.metrics.total >= reply.metrics.firstByte)
        #expect(reply.metrics.remoteAddress?.ip == "127.0.0.1")
    }

    @Test func http2SharesAConnection() async throws {
        let request = HTTPRequest(url: try HTTPURL(secure + "/1k"), options: secureSession.configuration.options)
        let tally = await hammer(secureSession, request, count: 300, inFlight: 64) { $0.data.count == 1024 }
        #expect(tally.answered == 300, "\(tally)")
        // The first burst opens no more than the limit of HTTP/1.1, and not one a request.
        #expect(tally.connections <= 6, "\(tally)")
    }

    /// URLSession ends the process here.
    @Test func urlSessionA2RedirectsOverHTTP2() async throws {
        let request = HTTPRequest(
            url: try HTTPURL(secure + "/redirect/302"), options: secureSession.configuration.options)
        let tally = await hammer(secureSession, request, count: 200, inFlight: 200) {
            $0.status == 200 && $0.redirects.count == 1 && $0.request.url.path == "/echo"
        }
        #expect(tally.answered == 200, "\(tally)")
    }

    @Test(arguments: [false, true])
    func hundredMebibytes(overTLS: Bool) async throws {
        let count = 100 << 20
        let reply = try await (overTLS ? secureSession : session).send(.get, (overTLS ? secure : base) + "/100m")
        #expect(reply.data.count == count)
        #expect(reply.response.expectedBodyLength == Int64(count))
        #expect(reply.metrics.receivedBytes == Int64(count))
        #expect(reply.data == Data(count: count))
    }

    @Test(arguments: [false, true])
    func sixtyFourTimesOneMebibyte(overTLS: Bool) async throws {
        let session = overTLS ? secureSession : session
        let request = HTTPRequest(
            url: try HTTPURL((overTLS ? secure : base) + "/1m"), options: session.configuration.options)
        let tally = await hammer(session, request, count: 64, inFlight: 64) { $0.data.countsItsWords }
        #expect(tally.answered == 64, "\(tally)")
    }

    @Test func gzipIsRemoved() async throws {
        let coded = try await session.send(.get, base + "/gzip/text.txt")
        let plain = try await session.send(.get, base + "/text.txt")
        #expect(coded.data == plain.data)
        #expect(coded.data.count > 100_000)
        #expect(coded.headers["Content-Encoding"] == nil)
        #expect(coded.response.receivedHeaders["Content-Encoding"] == "gzip")
        #expect(coded.metrics.receivedBytes < plain.metrics.receivedBytes / 4)
    }

    @Test func headHasTheLengthAndNoBody() async throws {
        for _ in 0..<3 {
            let reply = try await session.send(.head, base + "/1m")
            #expect(reply.headers["Content-Length"] == "1048576")
            #expect(reply.data.isEmpty)
        }
        #expect(try await session.send(.get, base + "/1k").metrics.isReusedConnection)
    }

    @Test func ranges() async throws {
        let part = try await session.send(.get, base + "/1m", headers: ["Range": "bytes=4000-4007"])
        #expect(part.status == 206)
        #expect(part.headers["Content-Range"] == "bytes 4000-4007/1048576")
        #expect(Array(part.data) == [0, 0, 3, 232, 0, 0, 3, 233])
        let last = try await session.send(.get, base + "/1k", headers: ["Range": "bytes=-2"])
        #expect(Array(last.data) == [254, 255])
        let beyond = try await session.send(.get, base + "/1k", headers: ["Range": "bytes=5000-"])
        #expect(beyond.status == 416)
        #expect(beyond.headers["Content-Range"] == "bytes */1024")
        let parts = try await session.send(.get, base + "/1k", headers: ["Range": "bytes=0-1,4-5"])
        #expect(parts.status == 206)
        #expect(parts.headers["Content-Type"]?.hasPrefix("multipart/byteranges; boundary=") == true)
    }

    @Test func notModified() async throws {
        let first = try await session.send(.get, base + "/user.json")
        let tag = try #require(first.headers["ETag"])
        let again = try await session.send(.get, base + "/user.json", headers: ["If-None-Match": tag])
        #expect(again.status == 304)
        #expect(again.headers["ETag"] == tag)
        #expect(again.data.isEmpty)
        let changed = try await session.send(.get, base + "/user.json", headers: ["If-None-Match": "\"other\""])
        #expect(changed.status == 200)
        #expect(changed.metrics.isReusedConnection)
    }

    @Test func authentication() async throws {
        let refused = try await session.send(.get, base + "/private")
        #expect(refused.status == 401)
        #expect(refused.headers["WWW-Authenticate"] == "Basic realm=\"the private room\"")
        let named = base.replacing("http://", with: "http://user:passwd@") + "/private"
        #expect(try await session.send(.get, named).data.count == 1024)
        let wrong = try await session.send(.get, base.replacing("http://", with: "http://user:no@") + "/private")
        #expect(wrong.status == 401)
    }

    @Test func pagesOfErrors() async throws {
        for status in [404, 413, 429, 500, 503] {
            let reply = try await session.send(.get, "\(base)/status/\(status)")
            #expect(reply.status.rawValue == status)
            #expect(reply.text?.contains("<title>\(status) ") == true)
        }
        #expect(try await session.send(.get, base + "/status/429").headers["Retry-After"] == "1")
        #expect(try await session.send(.get, base + "/no-such-file").text?.contains("404 Not Found") == true)
        #expect(try await session.send(.get, base + "/status/204").data.isEmpty)
    }

    @Test func trailers() async throws {
        let reply = try await session.send(.get, base + "/trailer/user.json")
        #expect(reply.trailers["X-Trailer"] == "after the body")
        #expect(reply.headers["X-Trailer"] == nil)
        #expect(reply.text == "{\"id\": 42, \"name\": \"Ada\"}\n")
    }

    @Test(arguments: [false, true])
    func fieldsStayAsTheyCame(overTLS: Bool) async throws {
        let reply = try await (overTLS ? secureSession : session).send(.get, (overTLS ? secure : base) + "/fields")
        #expect(reply.headers.values(for: "X-Twice") == ["one", "two"])
        #expect(reply.headers["X-Latin1"] == "caf\u{E9}")
    }

    @Test func unixSocket() async throws {
        let path = try #require(LivePeers.nginxSocket)
        let reply = try await session.send(.get, "http://inside.example/echo") { $0.route.unixSocket = path }
        #expect(reply.text?.contains("host: inside.example\n") == true)
        let again = try await session.send(.get, "http://inside.example/1k") { $0.route.unixSocket = path }
        #expect(again.metrics.isReusedConnection)
        // The same host without the socket is another connection.
        let (error, _) = try await session.failure(.get, "http://inside.invalid.\(String(repeating: "x", count: 64))/")
        #expect(error.code == .couldNotResolve)
    }

    @Test(arguments: [false, true])
    func fiftyMegabytesUp(overTLS: Bool) async throws {
        let session = overTLS ? secureSession : session
        let url = (overTLS ? secure : base) + "/uploads/\(overTLS ? "secure" : "plain")"
        let count: Int64 = 50_000_000
        let sent = Lock<[Int64]>([])
        let request = HTTPRequest(
            method: .put, url: try HTTPURL(url), body: .stream(length: count) { PatternReader(count: count) },
            options: session.configuration.options)
        let reply = try await session.data(
            for: request, uploadProgress: { progress in sent.withLock { $0.append(progress.completed) } })
        #expect(reply.status == 201)
        #expect(reply.metrics.sentBytes == count)
        let steps = sent.withLock { $0 }
        #expect(steps.last == count && steps == steps.sorted() && steps.count > 5)
        let back = try await session.send(.get, url)
        #expect(back.data == PatternReader.bytes(Int(count)))
        #expect(try await session.send(.delete, url).status == 204)
        #expect(try await session.send(.get, url).status == 404)
    }

    @Test func earlyRefusalOfALargeUpload() async throws {
        let reply = try await session.send(
            .put, base + "/uploads/small/big", body: .stream(length: 50_000_000) { PatternReader(count: 50_000_000) })
        #expect(reply.status == 413)
        #expect(reply.metrics.sentBytes < 50_000_000)
        #expect(reply.text?.contains("413 ") == true)
    }

    @Test func pauseAndResumeOverHTTP2() async throws {
        let file = try #require(LivePeers.nginxCA)
        var configuration = TransportConfiguration()
        configuration.certificateAuthorities = .file(file)
        let transport = CurlTransport(configuration: configuration)
        let receiver = RecordingReceiver { $0 % 3 == 0 ? .pause : .proceed }
        let control = transport.start(try .direct(.get, secure + "/1m"), receiver: receiver)
        var resumed = 0
        while receiver.completion == nil, resumed < 10_000 {
            control.resume()
            resumed += 1
            let seen = receiver.bodyPieceCount
            try? await receiver.waitForBodyPieces(seen + 1, within: .milliseconds(20))
        }
        #expect(try await receiver.finish().error == nil)
        #expect(Data(receiver.body).countsItsWords)
        #expect(receiver.violations == [])
        await transport.shutdown()
    }
}

extension Data {
    /// nginx's `/1m`: 32-bit words, big-endian, each its own index.
    private static let words = Data(
        (0..<UInt32(1 << 18)).flatMap { word in
            [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: word >> $0) }
        })

    var countsItsWords: Bool { self == Self.words }

    /// nginx refuses each with 405 before it has read the body: none of the answers is lost.
    @Test(arguments: [1000, 60_000, 100_000, 1_000_000])
    func earlyRefusalsOfManyAtOnce(_ size: Int) async throws {
        let session = try URLSessionManager.trustingNginx()
        let request = HTTPRequest(
            method: .post, url: try HTTPURL(try #require(LivePeers.nginxTLS) + "/1k"), body: .bytes(Data(count: size)),
            options: session.configuration.options)
        for _ in 0..<5 {
            try await withThrowingTaskGroup(of: HTTPStatus.self) { group in
                for _ in 0..<20 { group.addTask { try await session.data(for: request).status } }
                for try await status in group { #expect(status == 405) }
            }
        }
        await session.invalidate()
    }
}
