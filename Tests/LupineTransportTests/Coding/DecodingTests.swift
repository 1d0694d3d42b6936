import LupineCore
import LupineTesting
import LupineTransport
import Testing

/// Content codings (RFC 9110 section 8.4.1), asked for and removed.
@Suite(.timeLimit(.minutes(2)))
struct DecodingTests {
    static func answer(_ codings: String..., body: [UInt8], chunkSize: Int? = nil) -> LoopbackResponse {
        LoopbackResponse(
            headers: HTTPHeaders(
                [HTTPHeader(name: "X-First", value: "1")]
                    + codings.map { HTTPHeader(name: "Content-Encoding", value: $0) }),
            body: body, chunkSize: chunkSize)
    }

    private func run(
        _ response: LoopbackResponse, method: HTTPMethod = .get, headers: HTTPHeaders = [:],
        options: (inout TransferOptions) -> Void = { _ in }
    ) async throws -> (RecordingReceiver, RecordedRequest) {
        let server = try LoopbackServer(
            handler: LoopbackServer.serving { $0.path == "/next" ? .text("this is /next") : response })
        let transport = CurlTransport()
        let receiver = try await transport.run(server, method: method, headers: headers, options: options)
        try await transport.expectUnharmed(server)
        await transport.shutdown()
        return (receiver, try #require(server.requests.first))
    }

    /// B65, and that a head says what is true of the bytes that are delivered.
    @Test(arguments: Coded.allCases, [nil, 1, 7, 1000])
    func isRemoved(_ coded: Coded, _ chunkSize: Int?) async throws {
        let (receiver, request) = try await run(Self.answer(coded.name, body: coded.bytes, chunkSize: chunkSize))
        #expect(receiver.code == nil)
        #expect(receiver.text == Coded.plain)
        let head = try #require(receiver.head)
        #expect(head.headers["Content-Encoding"] == nil)
        #expect(head.headers["Content-Length"] == nil)
        #expect(head.expectedBodyLength == nil)
        #expect(head.headers["X-First"] == "1")
        #expect(head.receivedHeaders["Content-Encoding"] == coded.name)
        if chunkSize == nil { #expect(head.receivedHeaders["Content-Length"] == String(coded.bytes.count)) }
        #expect(request.headers.values(for: "Accept-Encoding") == ["gzip, deflate, br, zstd"])
    }

    @Test(arguments: [
        (["br, gzip"], Coded.gzip(Coded.br.bytes)),
        (["br", "gzip"], Coded.gzip(Coded.br.bytes)),
        (["zstd , DEFLATE"], Coded.deflate(Coded.zstd.bytes, windowBits: 15)),
        (["gzip, gzip, gzip"], Coded.gzip(Coded.gzip(Coded.gzip.bytes))),
        (["identity, gzip, identity"], Coded.gzip.bytes),
        (["", "gzip"], Coded.gzip.bytes),
        (["GZip"], Coded.gzip.bytes),
        (["X-GZIP"], Coded.gzip.bytes),
    ])
    func stackedCodingsAreRemovedFromTheLast(_ codings: [String], _ body: [UInt8]) async throws {
        var response = LoopbackResponse(body: body)
        for coding in codings { response.headers.add(name: "Content-Encoding", value: coding) }
        let (receiver, _) = try await run(response)
        #expect(receiver.code == nil)
        #expect(receiver.text == Coded.plain)
    }

    @Test(arguments: ["compress", "gzip, foo", "foo, gzip", "identity", "gzip, gzip, gzip, gzip", "gzip;q=1"])
    func whatIsUnknownStaysAsItCame(_ coding: String) async throws {
        let (receiver, _) = try await run(Self.answer(coding, body: Coded.gzip.bytes))
        #expect(receiver.code == nil)
        #expect(receiver.body == Coded.gzip.bytes)
        #expect(receiver.head?.headers["Content-Encoding"] == coding)
        #expect(receiver.head?.expectedBodyLength == Int64(Coded.gzip.bytes.count))
        #expect(receiver.head?.encodedHeaders == nil)
    }

    @Test(arguments: ["gzip", "identity", "br;q=1, *;q=0"])
    func aCallersOwnAcceptEncodingIsTheCallersToDecode(_ value: String) async throws {
        let (receiver, request) = try await run(
            Self.answer("gzip", body: Coded.gzip.bytes), headers: ["accept-encoding": value])
        #expect(request.headers.values(for: "Accept-Encoding") == [value])
        #expect(receiver.body == Coded.gzip.bytes)
        #expect(receiver.head?.headers["Content-Encoding"] == "gzip")
    }

    @Test func decodingCanBeOff() async throws {
        let (receiver, request) = try await run(Self.answer("gzip", body: Coded.gzip.bytes)) {
            $0.decodesContent = false
        }
        #expect(!request.headers.contains("Accept-Encoding"))
        #expect(receiver.body == Coded.gzip.bytes)
    }

    @Test func membersFollowEachOther() async throws {
        for coded in [Coded.gzip, .zstd] {
            let (receiver, _) = try await run(Self.answer(coded.name, body: coded.bytes + coded.bytes))
            #expect(receiver.code == nil)
            #expect(receiver.text == Coded.plain + Coded.plain)
        }
    }

    @Test(arguments: Coded.allCases)
    func aBodyOfNoBytesIsEmpty(_ coded: Coded) async throws {
        for chunkSize in [nil, 1] {
            let (receiver, _) = try await run(Self.answer(coded.name, body: [], chunkSize: chunkSize))
            #expect(receiver.code == nil)
            #expect(receiver.body.isEmpty)
        }
    }
}
