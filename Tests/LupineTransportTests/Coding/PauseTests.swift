import LupineCore
import LupineTesting
import LupineTransport
import Testing

/// A receiver that pauses gets nothing until it is resumed, and then every byte.
@Suite(.timeLimit(.minutes(2)))
struct PauseTests {
    private static let plain: [UInt8] = {
        var state: UInt64 = 42
        return (0..<700_000).map { _ in
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return UInt8(truncatingIfNeeded: state >> 60)
        }
    }()

    enum Body: CaseIterable { case plain, chunks, gzip, deflate, stacked, small }

    private func response(_ body: Body) -> (LoopbackResponse, [UInt8]) {
        switch body {
        case .plain: (LoopbackResponse(body: Self.plain), Self.plain)
        case .chunks: (LoopbackResponse(body: Self.plain, chunkSize: 50_000), Self.plain)
        case .gzip: (DecodingTests.answer("gzip", body: Coded.gzip(Self.plain)), Self.plain)
        case .deflate:
            (DecodingTests.answer("deflate", body: Coded.deflate(Self.plain, windowBits: -15)), Self.plain)
        case .stacked: (DecodingTests.answer("gzip, gzip", body: Coded.gzip(Coded.gzip(Self.plain))), Self.plain)
        case .small:
            // libcurl is done with it before the first pause.
            (
                DecodingTests.answer("gzip", body: Coded.gzip([UInt8](repeating: 7, count: 300_000))),
                [UInt8](repeating: 7, count: 300_000)
            )
        }
    }

    @Test(arguments: Body.allCases)
    func atEachPiece(_ body: Body) async throws {
        let (response, plain) = response(body)
        let server = try LoopbackServer(
            handler: LoopbackServer.serving { $0.path == "/body" ? response : .text("this is \($0.path)") })
        let transport = CurlTransport.alone()
        let receiver = RecordingReceiver { _ in .pause }
        let (_, control) = try transport.begin(server, "/body", receiver: receiver)
        var pieces = 0
        while receiver.body.count < plain.count {
            pieces += 1
            try await receiver.waitForBodyPieces(pieces)
            // The loop has gone round several times for another exchange; nothing moved here.
            try await transport.expectUnharmed(server)
            #expect(receiver.bodyPieceCount == pieces)
            if receiver.body.count < plain.count { #expect(receiver.completion == nil) }
            control.resume()
        }
        // The last piece may have come before it was looked for: it paused too.
        control.resume()
        try await receiver.finish()
        #expect(receiver.code == nil)
        #expect(receiver.body == plain)
        #expect(receiver.violations.isEmpty)
        #expect(receiver.bodyPieceCount > 3)
        await transport.shutdown()
    }

    @Test func pausedBeforeTheHeadGetsTheHeadAlone() async throws {
        let gate = Gate()
        let server = try LoopbackServer(
            handler: { connection in
                guard try connection.readRequest() != nil else { return }
                if connection.index == 0 { try connection.wait(gate) }
                try connection.send(.text("body"))
            })
        let transport = CurlTransport.alone()
        let (receiver, control) = try transport.begin(server)
        try await server.waitForRequests(1)
        control.pause()
        // When another exchange has gone round the loop, the pause has been heard.
        try await transport.run(server)
        gate.open()
        try await receiver.waitForHead()
        try await transport.run(server)
        #expect(receiver.bodyPieceCount == 0)
        #expect(receiver.completion == nil)
        control.resume()
        try await receiver.finish()
        #expect(receiver.text == "body")
        await transport.shutdown()
    }

    /// Silence is then the receiver's own wish.
    @Test func theIdleLimitDoesNotRunMeanwhile() async throws {
        let server = try LoopbackServer(
            handler: LoopbackServer.serving { request in
                request.path == "/body"
                    ? LoopbackResponse(body: [UInt8](repeating: 1, count: 8 << 20)) : .text("this is \(request.path)")
            })
        let transport = CurlTransport.alone()
        let receiver = RecordingReceiver(keepsBody: false) { $0 == 0 ? .pause : .proceed }
        let (_, control) = try transport.begin(server, "/body", receiver: receiver) {
            $0.timeouts.idle = .seconds(5)
        }
        try await receiver.waitForBodyPieces(1)
        // Another exchange waits out a longer limit meanwhile.
        let silent = try LoopbackServer { try $0.stall() }
        let other = try await transport.run(silent) { $0.timeouts.idle = .seconds(6) }
        #expect(other.code == .timedOut)
        #expect(receiver.completion == nil)
        control.resume()
        try await receiver.finish()
        #expect(receiver.code == nil)
        #expect(receiver.completion?.metrics.receivedBytes == 8 << 20)
        await transport.shutdown()
    }

    @Test func theTotalLimitRunsMeanwhile() async throws {
        let server = try LoopbackServer(
            handler: LoopbackServer.routes(["/": .bytes([UInt8](repeating: 1, count: 8 << 20))]))
        let transport = CurlTransport.alone()
        let receiver = RecordingReceiver(keepsBody: false) { _ in .pause }
        try transport.begin(server, receiver: receiver) { $0.timeouts.total = .milliseconds(200) }
        let completion = try await receiver.finish()
        #expect(completion.error?.code == .timedOut)
        await transport.shutdown()
        try await server.waitForOpenConnections()
    }
}
