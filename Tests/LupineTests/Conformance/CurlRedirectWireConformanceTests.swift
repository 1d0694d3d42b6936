import FoundationEssentials
import Lupine
import LupineCore
import LupineTesting
import Testing

/// curl's own tests of redirects over real connections: a session sends the first request as curl does, servers answer with the
/// replies as they stand, one after another, and what arrives is what curl sends: method, target, host, the fields that a
/// redirect may take away, the body.
///
/// Every host leads to the servers, past any proxy: what a proxy is sent is the same request with its URL spelled out. Each
/// reply ends its connection, as curl's server does where it is told `swsclose`.
@Suite(.enabled(if: ConformanceCases.areThere, ConformanceCases.hint), .timeLimit(.minutes(3)))
struct CurlRedirectWireConformanceTests {
    /// Two servers with one script: in the clear, and with TLS where the table has its https port.
    private final class Servers: Sendable {
        private struct State {
            var replies: [[UInt8]] = []
            var requests: [RecordedRequest] = []
        }

        private let state: Lock<State>
        private let plain: LoopbackServer
        private let secure: LoopbackServer
        private let directory: TemporaryDirectory

        init() throws {
            let state = Lock(State())
            let handler: LoopbackServer.Handler = { connection in
                guard let request = try connection.readRequest() else { return }
                let reply = state.withLock { state -> [UInt8] in
                    defer { state.requests.append(request) }
                    return state.replies[min(state.requests.count, state.replies.count - 1)]
                }
                try connection.send(reply)
            }
            let authority = try TestCertificateAuthority()
            directory = try TemporaryDirectory()
            try authority.certificate.writePEM(to: directory.file("root.pem"))
            plain = try LoopbackServer(handler: handler)
            secure = try LoopbackServer(tls: authority.issue(for: ["127.0.0.1"]), handler: handler)
            self.state = state
        }

        func session(maximumRedirects: Int) -> URLSessionManager {
            .direct {
                $0.redirects.maximumRedirects = maximumRedirects
                $0.transport.certificateAuthorities = .file(directory.file("root.pem"))
                $0.options.timeouts.total = .seconds(30)
                $0.options.usesNewConnection = true
                // curl keeps cookies when it is told to, which none of these does.
                $0.options.handlesCookies = false
                $0.options.route.connectTo = [
                    ConnectTo(port: 8991, toHost: "127.0.0.1", toPort: secure.port),
                    ConnectTo(toHost: "127.0.0.1", toPort: plain.port),
                ]
            }
        }

        func begin(_ replies: [[UInt8]]) { state.withLock { $0 = State(replies: replies) } }
        var requests: [RecordedRequest] { state.withLock { $0.requests } }
    }

    @Test func chains() async throws {
        let all = try ["curl/curl-http-1.json", "curl/curl-http-2.json"].flatMap {
            try ConformanceCases.read($0, as: CurlRedirectCase.Table.self).cases
        }
        let servers = try Servers()
        var comparison = Comparison("curl redirects over connections")
        var notRun = Set(Self.notRun.flatMap(\.ids))
        for testCase in all where testCase.area == "redirect" {
            guard let chain = testCase.chain else {
                comparison.skipped += 1
                if notRun.remove(testCase.id) == nil { Issue.record("\(testCase.id) is not run, and not listed") }
                continue
            }
            comparison.add(
                testCase.id, try await Self.difference(of: chain, testCase.maximumRedirects, over: servers))
        }
        for id in notRun.sorted() { Issue.record("\(id) is listed as not run, and is, or is not in the table") }
        comparison.conclude(known: CurlRedirectConformanceTests.known)
    }

    private static func difference(
        of chain: CurlRedirectCase.Chain, _ maximum: Int, over servers: Servers
    ) async throws -> String? {
        guard let first = chain.requests.first else { return "nothing is sent" }
        let session = servers.session(maximumRedirects: maximum)
        var request = try first.request(isReadOnce: false)
        request.options = session.configuration.options
        if chain.isReadOnce { request.body = .oneShotStream(reader: PiecesReader([first.body])) }
        servers.begin(chain.bytes)
        let result: Result<DataResponse, LupineError>
        do throws(LupineError) {
            result = .success(try await session.data(for: request))
        } catch {
            result = .failure(error)
        }
        await session.invalidate()
        let sent = servers.requests.map { request in
            CurlRedirectCase.Sent(
                request.method.rawValue, target: request.target, headers: request.headers, body: request.text)
        }
        for (number, (seen, expected)) in zip(sent, chain.requests).enumerated() where seen != expected {
            return "request \(number) is \(seen), must be \(expected)"
        }
        guard sent.count == chain.requests.count else {
            return "\(sent.count) requests are sent, must be \(chain.requests.count): \(result)"
        }
        switch result {
        case .success(let answer):
            guard chain.isGood else { return "\(answer.status) is the answer, must be refused" }
            let last = chain.replies[min(sent.count, chain.replies.count) - 1]
            return answer.status == last.status ? nil : "\(answer.status) is the answer, must be \(last.status)"
        case .failure(let error): return chain.isGood ? "refused (\(error)), must be the answer" : nil
        }
    }

    /// Nor are they run against the policy alone.
    private static let notRun = [
        KnownDifference(
            "credentials are sent on to other hosts (--location-trusted), which Lupine does not do",
            ["curl-234", "curl-318", "curl-975", "curl-976", "curl-998", "curl-1088", "curl-2011"]),
        KnownDifference(
            "a POST stays one where the standard makes it a GET (--post301, --post302, --post303)",
            ["curl-1012", "curl-1054", "curl-1076", "curl-1332"]),
        KnownDifference(
            "redirects are not followed, or there are several URLs",
            ["curl-999", "curl-1029", "curl-1080", "curl-1081", "curl-1143", "curl-1159"]),
        KnownDifference("Referer is made of the URL before", ["curl-1067", "curl-2081"]),
        KnownDifference("the credentials are what the server asks for (--anyauth)", ["curl-1087"]),
        KnownDifference("a proxy makes a tunnel", ["curl-2009", "curl-2010", "curl-3106"]),
        KnownDifference("the path is sent with its dot segments (--path-as-is)", ["curl-391"]),
        KnownDifference("the body is a form whose boundary, and so its length, the table does not have", ["curl-1053"]),
        KnownDifference(
            "a program over libcurl asks, whose options the table does not tell",
            [
                "curl-599", "curl-650", "curl-1518", "curl-1519", "curl-1571", "curl-1572", "curl-1573", "curl-1574",
                "curl-1575", "curl-1576", "curl-1577", "curl-1578", "curl-1579", "curl-1580", "curl-1581", "curl-1662",
                "curl-1910",
            ]),
    ]
}
