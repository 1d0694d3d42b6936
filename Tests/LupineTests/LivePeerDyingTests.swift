import FoundationEssentials
import Glibc
import Lupine
import LupineCore
import LupineTesting
import Testing

/// A server that is stopped and started under requests: nginx before an application that counts what reaches it.
@Suite(.serialized, .enabled(if: LivePeers.nginx != nil, LivePeers.hint), .timeLimit(.minutes(10)))
struct LivePeerDyingTests {
    private static let count = 2000
    private static let inFlight = 64
    /// Ends between two deaths.
    private static let livesFor = 150

    /// nginx on a port that it keeps, before an application.
    private final class Peer: Sendable {
        private let directory: TemporaryDirectory
        private let program: Lock<Program?>
        let port: Int
        let deaths = Lock(0)

        init(application: Int) throws {
            directory = try TemporaryDirectory()
            port = try LoopbackServer { _ in }.port
            let configuration = """
                daemon off; master_process off; pid \(directory.path)/pid; error_log \(directory.path)/error;
                events { worker_connections 1024; }
                http {
                    access_log off;
                    client_body_temp_path \(directory.path)/bodies;
                    proxy_temp_path \(directory.path)/proxied;
                    fastcgi_temp_path \(directory.path)/f; uwsgi_temp_path \(directory.path)/u;
                    scgi_temp_path \(directory.path)/s;
                    server {
                        listen 127.0.0.1:\(port) backlog=512;
                        keepalive_requests 50;
                        location / { proxy_pass http://127.0.0.1:\(application); proxy_next_upstream off; }
                    }
                }

                """
            try Data(configuration.utf8).write(to: URL(filePath: directory.path + "/conf"))
            program = Lock(nil)
            try start()
        }

        private func start() throws {
            let started = try Program(["nginx", "-p", directory.path, "-c", directory.path + "/conf"])
            program.withLock { $0 = started }
        }

        /// By turns in the middle of everything, and at once but with a last word to each connection.
        func stop() {
            let number = deaths.withLock { deaths in
                deaths += 1
                return deaths
            }
            guard let program = program.withLock({ $0.take() }) else { return }
            program.signal(number.isMultiple(of: 2) ? SIGTERM : SIGKILL)
            program.end()
        }

        func startAgain() throws { try start() }
    }

    /// Stops the peer after so many ends, and starts it again after so many retries.
    private actor Reaper {
        private let peer: Peer
        private var ends = 0
        private var retries = 0
        private var isDown = false

        init(_ peer: Peer) { self.peer = peer }

        func ended() {
            ends += 1
            guard !isDown, ends >= LivePeerDyingTests.livesFor else { return }
            peer.stop()
            isDown = true
            (ends, retries) = (0, 0)
        }

        func retried() throws {
            retries += 1
            guard isDown, retries >= 2 * LivePeerDyingTests.inFlight / 3 else { return }
            try peer.startAgain()
            isDown = false
        }

        func endedForGood() { peer.stop() }
    }

    private struct Sent: Sendable {
        let number: Int
        let method: HTTPMethod
        let result: Result<DataResponse, LupineError>
    }

    @Test func everyIdempotentRequestEndsWellAndNoPostArrivesTwice() async throws {
        let arrivals = Lock<[Int: Int]>([:])
        let application = try LoopbackServer(
            handler: LoopbackServer.serving { request in
                let number = Int(request.headers["X-Number"] ?? "") ?? -1
                arrivals.withLock { $0[number, default: 0] += 1 }
                return LoopbackResponse(body: Array("\(request.method) \(number) \(request.body.count)".utf8))
            })
        let peer = try Peer(application: application.port)
        let reaper = Reaper(peer)
        let session = URLSessionManager.direct { configuration in
            var policy = RetryPolicy(limit: 1000)
            policy.exponentialBackoffScale = .milliseconds(5)
            policy.maximumDelay = .milliseconds(50)
            // Also those of which nothing has left.
            policy.methods.insert(.post)
            configuration.handlers = TaskHandlers(retriers: [
                Retrier { _, _ in
                    do { try await reaper.retried() } catch { return .doNotRetryWithError(error) }
                    return .doNotRetry
                }, policy,
            ])
            configuration.maximumRetries = 1000
            configuration.retryBudget = nil
            configuration.transport.maximumConnectionsPerHost = Self.inFlight
        }
        let sent = await requests(session, port: peer.port, reaper)
        await reaper.endedForGood()
        let counts = arrivals.withLock { $0 }
        var lostPosts = 0
        for request in sent {
            let times = counts[request.number] ?? 0
            switch request.result {
            case .success(let answer):
                let size = request.method == .get ? 0 : 100
                #expect(answer.text == "\(request.method) \(request.number) \(size)")
                #expect(times >= 1)
            case .failure(let error):
                #expect(request.method == .post, "\(request.method) \(request.number): \(error)")
                lostPosts += 1
            }
            if request.method == .post { #expect(times <= 1, "POST \(request.number) arrived \(times) times") }
        }
        let deaths = peer.deaths.withLock { $0 }, resent = counts.values.filter { $0 > 1 }.count
        print(
            "\(Self.count) requests, nginx stopped \(deaths) times: \(lostPosts) POSTs failed,",
            "\(resent) idempotent requests arrived more than once")
        #expect(deaths > Self.count / Self.livesFor / 2)
        await session.invalidate()
    }

    private func requests(_ session: URLSessionManager, port: Int, _ reaper: Reaper) async -> [Sent] {
        let next = Lock(0)
        return await withTaskGroup(of: [Sent].self) { group in
            for _ in 0..<Self.inFlight {
                group.addTask {
                    var sent: [Sent] = []
                    while true {
                        let number = next.withLock { next in
                            next += 1
                            return next - 1
                        }
                        guard number < Self.count else { return sent }
                        sent.append(await send(number, session, port: port))
                        await reaper.ended()
                    }
                }
            }
            return await group.reduce(into: []) { $0 += $1 }
        }
    }

    private func send(_ number: Int, _ session: URLSessionManager, port: Int) async -> Sent {
        let method: HTTPMethod = [.get, .post, .put, .get][number % 4]
        let body = method == .get ? HTTPBody.empty : .bytes(Data(repeating: 7, count: 100))
        let result: Result<DataResponse, LupineError>
        do throws(LupineError) {
            let request = HTTPRequest(
                method: method, url: try HTTPURL("http://127.0.0.1:\(port)/"), headers: ["X-Number": "\(number)"],
                body: body, options: session.configuration.options)
            // An application that cannot be reached is no answer of it.
            let answer = try await session.data(for: request, handlers: TaskHandlers(validators: [.acceptable]))
            result = .success(answer)
        } catch {
            result = .failure(error)
        }
        return Sent(number: number, method: method, result: result)
    }
}
