import Lupine
import LupineCore
import Testing

/// Servers that end connections: nginx with its stock limit of 1,000 requests a connection, with a lower one, and one
/// that drops what is idle for a moment.
@Suite(.serialized, .enabled(if: LivePeers.nginx != nil, LivePeers.hint), .timeLimit(.minutes(10)))
struct LivePeerEndingsTests {
    private static let count = 20_000
    private static let rounds = Int(environment("LUPINE_ROUNDS") ?? "") ?? 1

    private func expectAllAnswered(
        _ session: URLSessionManager, _ method: HTTPMethod, _ url: String, count: Int, inFlight: Int = 64,
        body: HTTPBody = .empty
    ) async throws -> Tally {
        let request = HTTPRequest(
            method: method, url: try HTTPURL(url), body: body, options: session.configuration.options)
        let start = ContinuousClock.now
        let tally = await hammer(session, request, count: count, inFlight: inFlight) {
            $0.status == 200 && $0.data.count == 1024
        }
        print("\(method) \(url), \(inFlight) in flight: \(tally), \(start.duration(to: .now))")
        #expect(tally.failed == 0, "\(tally)")
        #expect(tally.answered == count, "\(tally)")
        return tally
    }

    @Test(arguments: 1...rounds)
    func http1WithSixtyFourConnections(_ round: Int) async throws {
        let session = URLSessionManager.direct { $0.transport.maximumConnectionsPerHost = 64 }
        let tally = try await expectAllAnswered(session, .get, try #require(LivePeers.nginx) + "/1k", count: Self.count)
        #expect(tally.connections >= 20 && tally.connections <= 200, "\(tally)")
        await session.invalidate()
    }

    @Test(arguments: 1...rounds)
    func http2WithGoAway(_ round: Int) async throws {
        let session = try URLSessionManager.trustingNginx()
        let tally = try await expectAllAnswered(
            session, .get, try #require(LivePeers.nginxTLS) + "/1k", count: Self.count)
        #expect(tally.connections >= 20 && tally.connections <= 200, "\(tally)")
        await session.invalidate()
    }

    @Test(arguments: 1...rounds)
    func http1ClosingEveryTenth(_ round: Int) async throws {
        let session = URLSessionManager.direct()
        _ = try await expectAllAnswered(session, .get, try #require(LivePeers.nginxFew) + "/1k", count: 3000)
        await session.invalidate()
    }

    /// The server drops connections 100 ms after their last answer; each request comes 90 to 110 ms after it, so that some
    /// go out as the connection ends.
    @Test func droppedWhileIdle() async throws {
        let session = URLSessionManager.direct { $0.transport.maximumConnectionsPerHost = 200 }
        let url = try #require(LivePeers.nginxIdle) + "/1k"
        let request = HTTPRequest(url: try HTTPURL(url), options: session.configuration.options)
        let results = Lock(Tally()), started = ContinuousClock.now
        let perWorker = isNightly ? 50 : 10
        await withTaskGroup(of: Void.self) { group in
            for worker in 0..<100 {
                group.addTask {
                    for index in 0..<perWorker {
                        let pause = Duration.milliseconds(90 + (worker * 7 + index * 3) % 20)
                        await pause.pass()
                        let result: Result<DataResponse, LupineError>
                        do throws(LupineError) {
                            result = .success(try await session.data(for: request))
                        } catch {
                            result = .failure(error)
                        }
                        results.withLock { $0.add(result) { $0.data.count == 1024 } }
                    }
                }
            }
        }
        let tally = results.withLock { $0 }
        print("idle: \(tally), \(started.duration(to: .now))")
        #expect(tally.failed == 0, "\(tally)")
        #expect(tally.answered == 100 * perWorker)
        await session.invalidate()
    }
}
