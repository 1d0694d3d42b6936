import FoundationEssentials
import Lupine
import LupineCore
import LupineTesting
import Testing

@Suite(.timeLimit(.minutes(1)))
struct GzipRequestTests {
    /// What a server reads of a request, and what zlib, which checks its sum, makes of the body.
    private func exchange(_ request: (String) throws -> HTTPRequest) async throws -> (seen: RecordedRequest, body: Data)
    {
        let server = try LoopbackServer(
            handler: LoopbackServer.serving { request in
                LoopbackResponse(headers: ["Content-Encoding": "gzip"], body: request.body)
            })
        let session = URLSessionManager.direct()
        var request = try request(server.url("/"))
        request.options.route.proxy = .none
        let answer = try await session.data(for: request)
        await session.invalidate()
        return (try #require(server.requests.last), answer.data)
    }

    private static let text = Data(String(repeating: "gzip of a text that repeats. ", count: 5_000).utf8)

    @Test func bytes() async throws {
        let (seen, body) = try await exchange { url in
            try HTTPRequest(
                method: .post, url: HTTPURL(url), headers: ["Content-Length": "\(Self.text.count)"],
                body: .bytes(Self.text)
            ).gzipped()
        }
        #expect(body == Self.text)
        #expect(seen.headers.values(for: "Content-Encoding") == ["gzip"])
        #expect(seen.headers.values(for: "Content-Length") == ["\(seen.body.count)"])
        #expect(seen.body.count < Self.text.count / 20)
    }

    @Test(arguments: [0, 1, 1_000_000])
    func streams(_ count: Int) async throws {
        let (seen, body) = try await exchange { url in
            try HTTPRequest(
                method: .put, url: HTTPURL(url), body: .stream { PatternReader(count: Int64(count)) }
            ).gzipped()
        }
        #expect(body == PatternReader.bytes(count))
        #expect(seen.headers["Transfer-Encoding"] == "chunked")
    }

    @Test func aSourceThatFails() async throws {
        struct Failing: BodyReader { func read(upTo count: Int) async throws -> Data? { throw CancellationError() } }
        let session = URLSessionManager.direct(), server = try LoopbackServer { _ = try $0.readRequest() }
        let request = try HTTPRequest(method: .put, url: HTTPURL(server.url("/")), body: .stream { Failing() })
            .gzipped()
        let error = await #expect(throws: LupineError.self) { try await session.data(for: request) }
        #expect(error?.code == .uploadSourceFailed)
        await session.invalidate()
    }

    /// What is compressed is held to its length as it would be uncompressed; a shorter source would pass for a whole one.
    @Test(arguments: [10, 2, 0, -1])
    func aSourceThatBreaksItsWord(_ length: Int64) async throws {
        let session = URLSessionManager.direct(), server = try LoopbackServer { _ = try $0.readRequest() }
        let url = try HTTPURL(server.url("/"))
        var requests = [
            HTTPRequest(method: .post, url: url, body: .stream(length: length) { PiecesReader(["abc"]) }),
            HTTPRequest(method: .post, url: url, body: .oneShotStream(length: length, reader: PiecesReader(["abc"]))),
        ]
        if length >= 0 {
            requests.append(
                HTTPRequest(
                    method: .post, url: url, headers: ["Content-Length": "\(length)"],
                    body: .stream { PiecesReader(["abc"]) }))
        }
        for request in requests {
            let error = await #expect(throws: LupineError.self) {
                var request = try request.gzipped()
                request.options.route.proxy = .none
                _ = try await session.data(for: request)
            }
            #expect(error?.code == (length < 0 ? .invalidRequest : .uploadSourceFailed))
        }
        #expect(server.requestCount == 0)
        await session.invalidate()
    }

    /// Compressing does not make a source one that can be read twice.
    @Test func whatCanBeReadOnce() async throws {
        let (_, body) = try await exchange { url in
            let once = HTTPRequest(
                method: .post, url: try HTTPURL(url), body: .oneShotStream(reader: PiecesReader(["abc"])))
            let first = try once.gzipped(), second = try once.gzipped()
            #expect(!first.body.isRewindable)
            #expect(first.body.ticket === second.body.ticket && first.body.ticket === once.body.ticket)
            return first
        }
        #expect(body == Data("abc".utf8))
    }

    @Test func bySerializer() throws {
        let api = HTTPSessionManager(transport: StubTransport([]))
        let large: Parameters = ["text": JSONValue(String(repeating: "x", count: 2_000))]
        let serializer = GzipRequestSerializer(JSONRequestSerializer())
        let made = try api.makeRequest(.post, "http://h/", parameters: large, serializer: serializer)
        #expect(made.headers["Content-Encoding"] == "gzip" && made.headers["Content-Type"] == "application/json")
        let small = try api.makeRequest(.post, "http://h/", parameters: ["a": 1], serializer: serializer)
        #expect(!small.headers.contains("Content-Encoding"))
        #expect(!(try api.makeRequest(.get, "http://h/", serializer: serializer)).headers.contains("Content-Encoding"))
    }

    @Test func codedOnceOnly() throws {
        let request = HTTPRequest(
            method: .post, url: try HTTPURL("http://h/"), headers: ["content-encoding": "br"], body: .text("x"))
        let error = #expect(throws: LupineError.self) { try request.gzipped() }
        #expect(error?.code == .requestSerializationFailed)
    }
}
