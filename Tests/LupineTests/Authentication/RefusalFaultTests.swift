import FoundationEssentials
import LupineCore
import LupineTesting
import Testing

@testable import Lupine

/// Refusals, and what is sent again for them.
@Suite(.timeLimit(.minutes(2)))
struct RefusalFaultTests {
    /// Attaches tokens, and takes an answer for a refusal by its body.
    private struct ByBody: Authenticator {
        let base = BearerAuthenticator { Token(value: $0.value + "'") }

        func apply(_ credential: Token, to request: inout HTTPRequest) { base.apply(credential, to: &request) }
        func refresh(_ credential: Token) async throws -> Token { try await base.refresh(credential) }
        func didRequest(_ request: HTTPRequest, failDueToAuthenticationError error: LupineError) -> Bool {
            error.data == Data("invalid_token".utf8)
        }
        func isRequest(_ request: HTTPRequest, authenticatedWith credential: Token) -> Bool {
            base.isRequest(request, authenticatedWith: credential)
        }
    }

    @Test func refusalsThatAreToldByTheirBodyAreBoundedToo() async throws {
        let transport = StubTransport { _ in .response(status: 400, body: "invalid_token") }
        let interceptor = AuthenticationInterceptor(
            authenticator: ByBody(), credential: .old, refreshWindow: nil)
        var handlers = TaskHandlers()
        handlers.intercept(with: interceptor)
        let answer = try await stubbed(transport, handlers).data(for: .to())
        #expect(answer.status == 400)
        #expect(transport.requests.count == 3)
    }

    /// The first request has been acted on: that the page it leads to is refused does not have it sent again.
    @Test(arguments: [303, 302, 307])
    func whatARedirectAnsweredIsNotSentAgain(_ status: Int) async throws {
        let transport = StubTransport { recorded in
            let request = recorded.request
            if request.url.path == "/orders" {
                return .response(status: HTTPStatus(rawValue: status), headers: ["Location": "/orders/5"])
            }
            return .response(status: request.headers["Authorization"] == "Bearer new" ? 200 : 401)
        }
        let interceptor = AuthenticationInterceptor(authenticator: BearerAuthenticator(), credential: .old)
        var handlers = TaskHandlers()
        handlers.intercept(with: interceptor)
        let answer = try await stubbed(transport, handlers).data(for: .to("/orders", .post, body: .text("one")))
        let orders = transport.requests.count { $0.request.url.path == "/orders" }
        // By 307 the server has asked for the same elsewhere, and done nothing.
        #expect(answer.status == (status == 307 ? 200 : 401))
        #expect(orders == (status == 307 ? 2 : 1))
    }
}
