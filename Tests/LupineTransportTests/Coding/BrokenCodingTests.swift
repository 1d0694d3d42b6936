import LupineCore
import LupineTesting
import LupineTransport
import Testing

/// A coding that is cut, or is none, ends in an error: part of a text is never delivered as the whole.
@Suite(.timeLimit(.minutes(2)))
struct BrokenCodingTests {
    private func code(_ coding: String, _ body: [UInt8]) async throws -> (LupineError.Code?, String) {
        let server = try LoopbackServer(
            handler: LoopbackServer.serving {
                $0.path == "/next" ? .text("this is /next") : DecodingTests.answer(coding, body: body)
            })
        let transport = CurlTransport()
        let receiver = try await transport.run(server)
        try await transport.expectUnharmed(server)
        await transport.shutdown()
        return (receiver.code, receiver.text)
    }

    /// The framing is whole, the coding is not.
    @Test(arguments: Coded.allCases)
    func cutAtEachByte(_ coded: Coded) async throws {
        let bytes = coded.bytes
        let server = try LoopbackServer(
            handler: LoopbackServer.serving { request in
                let cut = Int(request.path.dropFirst()) ?? 0
                return DecodingTests.answer(coded.name, body: Array(bytes.prefix(cut)))
            })
        let transport = CurlTransport()
        for cut in 1..<bytes.count {
            let receiver = try await transport.run(server, "/\(cut)")
            #expect(receiver.code == .incompleteBody, "cut at \(cut)")
            #expect(Coded.plain.hasPrefix(receiver.text))
        }
        #expect(try await transport.run(server, "/\(bytes.count)").text == Coded.plain)
        await transport.shutdown()
        #expect(server.connectionCount == 1)
    }

    @Test(arguments: Coded.allCases)
    func garbage(_ coded: Coded) async throws {
        let (code, text) = try await code(coded.name, [UInt8](repeating: 0xFF, count: 100))
        #expect(code == .contentDecodingFailed)
        #expect(text.isEmpty)
    }

    @Test(arguments: Coded.allCases)
    func plainText(_ coded: Coded) async throws {
        let (code, _) = try await code(coded.name, Array("{\"json\": true, \"and\": [\"more\", \"of it\"]}".utf8))
        #expect(code == .contentDecodingFailed || code == .incompleteBody)
    }

    @Test(arguments: [
        (Coded.gzip, 8), (.gzip, 4), (.zlib, 1), (.zstd, 1), (.gzip, 30), (.zlib, 20), (.br, 20), (.zstd, 20),
    ])
    func aChangedByteFromTheEnd(_ coded: Coded, _ offset: Int) async throws {
        var bytes = coded.bytes
        bytes[bytes.count - offset] ^= 0x55
        let (code, _) = try await code(coded.name, bytes)
        #expect(code == .contentDecodingFailed || code == .incompleteBody)
        if offset < 9 { #expect(code == .contentDecodingFailed) }
    }

    @Test(arguments: Coded.allCases)
    func junkAfterTheEnd(_ coded: Coded) async throws {
        let (code, _) = try await code(coded.name, coded.bytes + Array("junk and more of it".utf8))
        #expect(code == .contentDecodingFailed)
    }

    @Test func aCutInsideAStack() async throws {
        let inner = Coded.br.bytes
        let (code, _) = try await code("br, gzip", Coded.gzip(Array(inner.dropLast(5))))
        #expect(code == .incompleteBody)
    }

    @Test(arguments: Coded.allCases)
    func bodyAndCodingCutTogether(_ coded: Coded) async throws {
        let head = "HTTP/1.1 200 OK\r\nContent-Encoding: \(coded.name)\r\nContent-Length: \(coded.bytes.count)\r\n\r\n"
        let fault = Fault("cut", bytes: Array(head.utf8) + coded.bytes.dropLast(3), .close)
        let (receiver, _) = try await fault.run()
        #expect(receiver.code == .incompleteBody)
    }
}
