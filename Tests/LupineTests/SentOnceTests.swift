import FoundationEssentials
import Lupine
import LupineTesting
import Testing

/// What a dying connection does to a request, counted at the server: nothing is acted on twice unless that is harmless.
@Suite(.timeLimit(.minutes(2)))
struct SentOnceTests {
    /// How a server ends a kept connection.
    enum Ending: CaseIterable, Sendable {
        /// When the next request's first bytes have come: it was read, and is never answered.
        case closesOnArrival, resetsOnArrival
        /// When the whole next request has come.
        case closesAfterReading, resetsAfterReading
        /// By itself, at the moment at which the client sends.
        case closesIdle, resetsIdle
    }

    /// Answers one request a connection, then ends it.
    private static func server(_ ending: Ending) throws -> LoopbackServer {
        try LoopbackServer { connection in
            guard let first = try connection.readRequest() else { return }
            try connection.send(.text("first \(first.target)"))
            switch ending {
            case .closesOnArrival, .resetsOnArrival:
                guard try connection.readHead() != nil else { return }
                if ending == .resetsOnArrival { connection.reset() }
            case .closesAfterReading, .resetsAfterReading:
                guard try connection.readRequest() != nil else { return }
                if ending == .resetsAfterReading { connection.reset() }
            case .closesIdle, .resetsIdle:
                // Some of these meet the client's next request on its way, some come before it.
                try connection.delay(.microseconds(connection.index * 37 % 400))
                if ending == .resetsIdle { connection.reset() }
            }
        }
    }

    private func run(
        _ method: HTTPMethod, _ ending: Ending, rounds: Int, body: HTTPBody
    ) async throws -> (sent: [String: Int], answered: Set<String>, errors: [LupineError]) {
        let server = try Self.server(ending)
        let session = URLSessionManager.direct { $0.transport.maximumConnectionsPerHost = 1 }
        var answered: Set<String> = [], errors: [LupineError] = []
        for round in 0..<rounds {
            // A connection of its own that will be kept: the one before has ended.
            _ = try await session.send(.get, server.url("/warm/\(round)"))
            do {
                let reply = try await session.send(method, server.url("/\(round)"), body: body)
                #expect(reply.text == "first /\(round)")
                answered.insert("/\(round)")
            } catch let error as LupineError {
                errors.append(error)
            }
        }
        await session.invalidate()
        var sent: [String: Int] = [:]
        for request in server.requests where request.method == method && !request.target.hasPrefix("/warm") {
            sent[request.target, default: 0] += 1
        }
        return (sent, answered, errors)
    }

    @Test(arguments: Ending.allCases)
    func postIsNeverSentTwice(_ ending: Ending) async throws {
        let (sent, answered, errors) = try await run(.post, ending, rounds: 150, body: .text("order=1"))
        #expect(sent.values.allSatisfy { $0 == 1 }, "\(sent.filter { $0.value > 1 })")
        #expect(errors.allSatisfy { $0.code == .connectionLost }, "\(errors.map(\.description))")
        #expect(answered.count + errors.count == 150)
        // Where no byte left, it is not lost either: a connection known to be dead is not used.
        if ending == .closesIdle || ending == .resetsIdle { #expect(!answered.isEmpty) }
    }

    @Test(arguments: Ending.allCases)
    func streamedPostIsNeverSentTwice(_ ending: Ending) async throws {
        let body = HTTPBody.stream(length: 200_000) { PatternReader(count: 200_000) }
        let (sent, answered, errors) = try await run(.post, ending, rounds: 40, body: body)
        #expect(sent.values.allSatisfy { $0 == 1 }, "\(sent.filter { $0.value > 1 })")
        #expect(errors.allSatisfy { $0.code == .connectionLost }, "\(errors.map(\.description))")
        #expect(answered.count + errors.count == 40)
    }

    @Test(arguments: Ending.allCases)
    func idempotentRequestsGetTheirAnswer(_ ending: Ending) async throws {
        for (method, body) in [(HTTPMethod.get, HTTPBody.empty), (.put, .text("x")), (.delete, .empty)] {
            let (_, answered, errors) = try await run(method, ending, rounds: 60, body: body)
            #expect(errors.isEmpty, "\(method): \(errors.map(\.description))")
            #expect(answered.count == 60)
        }
    }

    @Test func aOneShotBodyIsNotSentAgain() async throws {
        let server = try Self.server(.closesAfterReading)
        let session = URLSessionManager.direct()
        _ = try await session.send(.get, server.url("/warm"))
        let (error, _) = try await session.failure(
            .put, server.url("/x"), body: .oneShotStream(length: 3, reader: PatternReader(count: 3)))
        #expect(error.code == .connectionLost)
        #expect(server.requests.filter { $0.target == "/x" }.count == 1)
    }

    /// A server that ends each first request is no dead connection: nothing is sent again, and the error comes at once.
    @Test(arguments: [HTTPMethod.get, .post])
    func aFreshConnectionThatEndsIsToldAtOnce(_ method: HTTPMethod) async throws {
        let server = try LoopbackServer { connection in _ = try connection.readRequest() }
        let session = URLSessionManager.direct()
        let (error, after) = try await session.failure(method, server.url("/"))
        #expect(error.code == .connectionLost)
        #expect(after < .seconds(25))
        #expect(server.requestCount == 1)
    }
}
