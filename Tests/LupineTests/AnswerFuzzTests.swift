import FoundationEssentials
import Lupine
import LupineCore
import LupineTesting
import Testing

/// Damaged answers: each ends once and in time, none is called whole that is not, and the next request is unharmed.
///
/// A failure names its seed; `LUPINE_FUZZ_SEED=N` runs that one alone.
@Suite(.timeLimit(.minutes(10)))
struct AnswerFuzzTests {
    private static let seeds: Range<UInt64> = {
        if let seed = UInt64(environment("LUPINE_FUZZ_SEED") ?? "") { return seed..<seed + 1 }
        return 0..<(isNightly ? 20_000 : 200)
    }()

    private static func server() throws -> LoopbackServer {
        try LoopbackServer(recordsTraffic: false) { connection in
            while let request = try connection.readRequest() {
                guard let seed = UInt64(request.path.dropFirst()) else {
                    try connection.send(.text("right \(request.path)"))
                    continue
                }
                let answer = MutatedAnswer(seed: seed)
                // What comes after an answer's end must come with it: HTTP/1.1 has no means to tell it from the answer to a
                // request that left before it came.
                let pieces = FramingOracle.hasExcess(answer.bytes) ? [answer.bytes] : answer.pieces
                for piece in pieces { try connection.send(piece) }
                if !answer.ends { connection.reset() }
                return
            }
        }
    }

    @Test func damagedAnswers() async throws {
        let server = try Self.server()
        let session = URLSessionManager.direct()
        let workers: UInt64 = 8
        let outcomes = Lock<[String: Int]>([:])
        await withTaskGroup(of: Void.self) { group in
            for worker in 0..<workers {
                group.addTask {
                    for seed in Self.seeds where seed % workers == worker {
                        let outcome = await Self.run(seed, session, server)
                        outcomes.withLock { $0[outcome, default: 0] += 1 }
                        await Self.expectUnharmed(session, server, after: seed)
                    }
                }
            }
        }
        print("fuzz: \(outcomes.withLock { $0 }.sorted { $0.key < $1.key })")
        await session.invalidate()
        try await server.waitForOpenConnections()
        #expect(server.failures.isEmpty)
    }

    /// What a bad answer can be: nothing else, since the request and the way are right.
    private static let codesOfAnswers: Set<LupineError.Code> = [
        .badResponse, .incompleteBody, .connectionLost, .contentDecodingFailed, .responseTooLarge,
    ]

    /// One damaged answer, at the seam. The result names how it ended.
    private static func run(_ seed: UInt64, _ session: URLSessionManager, _ server: LoopbackServer) async -> String {
        let answer = MutatedAnswer(seed: seed)
        do {
            let reply = try await session.send(.get, server.url("/\(seed)")) {
                $0.timeouts.total = .seconds(20)
            }
            switch FramingOracle.meaning(of: answer.bytes) {
            case .whole(let body, let isCoded):
                let expected = isCoded ? MutatedAnswer.text : body
                #expect(Array(reply.data) == expected, "seed \(seed): another body than was sent")
            case .cut: Issue.record("seed \(seed): a cut body was taken for whole")
            case .unreadable:
                Issue.record(
                    "seed \(seed): taken for a good answer: \(reply.response) \(reply.text ?? "") \(reply.metrics)")
            }
            return "whole"
        } catch let error as LupineError {
            #expect(Self.codesOfAnswers.contains(error.code), "seed \(seed): \(error)")
            if !answer.isDamaged, answer.ends { Issue.record("seed \(seed): an undamaged answer failed: \(error)") }
            return error.code.rawValue
        } catch {
            Issue.record("seed \(seed): \(error)")
            return "another error"
        }
    }

    private static func expectUnharmed(_ session: URLSessionManager, _ server: LoopbackServer, after seed: UInt64) async
    {
        do {
            let reply = try await session.send(.get, server.url("/next-\(seed)"))
            #expect(reply.text == "right /next-\(seed)", "seed \(seed): the next request got another answer")
        } catch {
            Issue.record("seed \(seed): the next request failed: \(error)")
        }
    }

    /// The same at the seam: one end each, and the order of events kept.
    @Test func eventsKeepTheirOrder() async throws {
        let server = try Self.server()
        let transport = CurlTransport()
        for seed in Self.seeds.prefix(isNightly ? 4000 : 100) {
            let receiver = RecordingReceiver()
            transport.start(
                try .direct(.get, server.url("/\(seed)")) { $0.timeouts.total = .seconds(20) }, receiver: receiver)
            try await receiver.finish()
            #expect(receiver.violations == [], "seed \(seed)")
            #expect(receiver.events.count { $0.kind == "finish" } == 1, "seed \(seed)")
        }
        await transport.shutdown()
    }
}
