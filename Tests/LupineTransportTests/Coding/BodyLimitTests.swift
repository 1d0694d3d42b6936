import FoundationEssentials
import LupineCore
import LupineTesting
import LupineTransport
import Testing

/// Ceilings of a body's size and expansion.
@Suite(.timeLimit(.minutes(2)))
struct BodyLimitTests {
    enum Framing: CaseIterable { case length, chunks, close, gzip, gzipInChunks }

    private func run(
        _ response: LoopbackResponse, isLast: Bool = false, keepsBody: Bool = true,
        options: (inout TransferOptions) -> Void = { _ in }
    ) async throws -> RecordingReceiver {
        let server = try LoopbackServer { connection in
            while let request = try connection.readRequest() {
                if request.path == "/next" {
                    try connection.send(.text("this is /next"))
                } else if isLast {
                    try connection.sendHead(headers: ["Connection": "close"])
                    return try connection.send(response.body)
                } else {
                    try connection.send(response)
                }
            }
        }
        let transport = CurlTransport.alone()
        let receiver = try await transport.run(
            server, receiver: RecordingReceiver(keepsBody: keepsBody), options: options)
        try await transport.expectUnharmed(server)
        await transport.shutdown()
        return receiver
    }

    /// Bytes that coding makes longer, so that a limit of decoded bytes is one.
    private static let plain: [UInt8] = (0..<1000).map { UInt8(truncatingIfNeeded: ($0 * $0 * 31) ^ ($0 >> 3)) }

    @Test(arguments: Framing.allCases, [999, 1000, 1001])
    func countsDecodedBytes(_ framing: Framing, _ limit: Int64) async throws {
        let response =
            switch framing {
            case .length, .close: LoopbackResponse(body: Self.plain)
            case .chunks: LoopbackResponse(body: Self.plain, chunkSize: 100)
            case .gzip: DecodingTests.answer("gzip", body: Self.storedGzip)
            case .gzipInChunks: DecodingTests.answer("gzip", body: Self.storedGzip, chunkSize: 100)
            }
        let receiver = try await run(response, isLast: framing == .close) { $0.maximumBodySize = limit }
        #expect(receiver.code == (limit < 1000 ? .responseTooLarge : nil))
        #expect(receiver.body.count <= Int(limit))
        if limit >= 1000 { #expect(receiver.body == Self.plain) }
        if limit < 1000, framing == .length { #expect(receiver.body.isEmpty, "the head told already") }
    }

    /// Larger than its text: a stored block (RFC 1951 section 3.2.4), its CRC taken from a real coding.
    private static let storedGzip: [UInt8] = {
        let coded = Coded.gzip(plain)
        return coded.prefix(10) + [1, 0xE8, 0x03, 0x17, 0xFC] + plain + coded.suffix(8)
    }()

    @Test func theDecodersLimitIsAlsoOne() async throws {
        let response = DecodingTests.answer("gzip", body: Coded.gzip.bytes)
        let receiver = try await run(response) { $0.decodingLimits.maximumSize = 100 }
        #expect(receiver.code == .responseTooLarge)
        // A plain body is none of the decoder's.
        let plain = try await run(.text(Coded.plain)) { $0.decodingLimits.maximumSize = 100 }
        #expect(plain.code == nil)
        #expect(plain.text == Coded.plain)
    }

    @Test(arguments: ["gzip", "br", "gzip, gzip"])
    func bombsAreGivenUpAtTheRatio(_ coding: String) async throws {
        let zeros = [UInt8](repeating: 0, count: 64 << 20)
        let body =
            switch coding {
            case "gzip": Coded.gzip(zeros)
            case "br": Coded.brZeros
            default: Coded.gzip(Coded.gzip(zeros))
            }
        let receiver = try await run(DecodingTests.answer(coding, body: body), keepsBody: false)
        #expect(receiver.code == .responseTooLarge)
        // 16 MiB are free of the ratio by default; pieces are 64 KiB at most.
        #expect(receiver.bodyPieceCount < 400)
        #expect((receiver.completion?.metrics.receivedBytes ?? 0) < 1 << 20)
    }

    @Test func aRegularTextBelowTheThresholdIsNoBomb() async throws {
        let zeros = [UInt8](repeating: 0x20, count: 8 << 20)
        let receiver = try await run(DecodingTests.answer("gzip", body: Coded.gzip(zeros)))
        #expect(receiver.code == nil)
        #expect(Data(receiver.body) == Data(zeros))
    }

    @Test func ratioAndThresholdAreTheCallers() async throws {
        let response = DecodingTests.answer("gzip", body: Coded.gzip.bytes)
        let strict = try await run(response) {
            $0.decodingLimits.maximumRatio = 2
            $0.decodingLimits.ratioThreshold = 0
        }
        #expect(strict.code == .responseTooLarge)
        let lax = try await run(response) {
            $0.decodingLimits.maximumRatio = 2
            $0.decodingLimits.ratioThreshold = 1200
        }
        #expect(lax.code == nil)
    }
}
