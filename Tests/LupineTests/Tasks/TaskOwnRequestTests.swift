import FoundationEssentials
import Lupine
import LupineCore
import LupineTesting
import Testing

/// Requests that a redirect handler makes itself, in place of the proposed ones.
@Suite(.timeLimit(.minutes(1)))
struct TaskOwnRequestTests {
    /// Redirects `/start`, and answers all else with a body of 5,000 bytes.
    private let server: LoopbackServer

    init() throws {
        server = try LoopbackServer(
            handler: LoopbackServer.serving { request in
                request.path == "/start"
                    ? .redirect(to: "/end") : LoopbackResponse(body: [UInt8](repeating: 7, count: 5000))
            })
    }

    private func task(
        _ session: URLSessionManager, _ url: String, headers: HTTPHeaders = [:],
        _ redirect: @escaping @Sendable (HTTPRequest) throws -> HTTPRequest
    ) throws -> SessionTask {
        var handlers = TaskHandlers()
        handlers.redirect = { _, _, next in try redirect(next) }
        let request = HTTPRequest(url: try HTTPURL(url), headers: headers, options: session.configuration.options)
        return session.dataTask(with: request, handlers: handlers)
    }

    /// The session's fields and its limit for bodies are for each request; its credentials are not for each origin.
    @Test(arguments: [true, false])
    func hasWhatTheSessionGives(_ crosses: Bool) async throws {
        let other = try LoopbackServer(
            handler: LoopbackServer.serving { _ in .bytes([UInt8](repeating: 7, count: 5000)) })
        let session = URLSessionManager.direct {
            $0.headers["X-Session"] = "s"
            $0.headers["X-Api-Key"] = "k"
            $0.maximumInMemoryBodySize = 1000
        }
        let target = crosses ? other : server
        let url = try HTTPURL(target.url("/mine"))
        let task = try task(session, server.url("/start")) { next in
            HTTPRequest(url: url, headers: ["User-Agent": "mine"], options: session.configuration.options)
        }
        let error = await #expect(throws: LupineError.self) { try await task.result() }
        #expect(error?.code == .responseTooLarge)
        let sent = try #require(target.requests.last)
        #expect(sent.path == "/mine")
        #expect(sent.headers["X-Session"] == "s")
        #expect(sent.headers.values(for: "User-Agent") == ["mine"])
        #expect(sent.headers["X-Api-Key"] == nil)
        #expect(task.currentRequest.headers["X-Session"] == "s")
        await session.invalidate()
    }

    /// Credentials that the handler puts into the URL are sent, as those of a first request are; those it takes out are not.
    @Test func credentialsInItsURL() async throws {
        let session = URLSessionManager.direct()
        let start = server.url("/start").replacing("://", with: "://ada:pw@")
        let mine = try HTTPURL(server.url("/mine").replacing("://", with: "://bob:pw@"))
        _ = try await task(session, start) { next in
            var next = next
            next.url = mine
            return next
        }.result()
        #expect(server.requests.last?.headers["Authorization"] == "Basic Ym9iOnB3")
        _ = try await task(session, start) { next in
            var next = next
            next.headers["Authorization"] = nil
            return next
        }.result()
        #expect(server.requests.last?.path == "/end")
        #expect(server.requests.last?.headers["Authorization"] == nil)
        _ = try await task(session, start) { next in
            var next = next
            next.url = mine
            next.headers["Authorization"] = "Bearer own"
            return next
        }.result()
        #expect(server.requests.last?.headers["Authorization"] == "Bearer own")
        await session.invalidate()
    }
}
