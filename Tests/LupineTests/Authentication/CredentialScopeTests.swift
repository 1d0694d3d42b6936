import LupineCore
import LupineTesting
import Testing

@testable import Lupine

/// Whoever gets a request gets its credential, so that it goes to those it is for, and only their refusals are about it.
@Suite(.timeLimit(.minutes(2)))
struct CredentialScopeTests {
    private static let api = "https://api.example/v1/things"

    private func isAttached(_ scope: CredentialScope, _ url: String, base: String? = nil) async throws -> Bool {
        let authenticator = BearerAuthenticator()
        let interceptor = AuthenticationInterceptor(authenticator: authenticator, credential: .old, for: scope)
        let asking = try Asking(url, base: base)
        let isAttached = try await asking.authorization(by: interceptor) != nil
        // What it is not attached to is not sent again because of it either.
        #expect(await interceptor.retry(asking.task, after: try asking.attempt()).isRetry == isAttached)
        #expect(authenticator.refreshCount == (isAttached ? 1 : 0))
        return isAttached
    }

    @Test(arguments: [
        (api, "https://api.example/v1/", true), (api, "https://api.example/other/", true),
        (api, "https://www.example/", false), (api, "http://api.example/", false),
        ("https://api.example:8443/", "https://api.example/", false), (api, nil, true),
        ("http://api.example.evil.example/", "https://api.example/", false),
    ])
    func byDefaultItIsForTheBaseURL(_ url: String, _ base: String?, _ expected: Bool) async throws {
        #expect(try await isAttached(.baseURL, url, base: base) == expected)
    }

    @Test func itIsForTheOriginsNamed() async throws {
        let scope = CredentialScope.origins(
            try HTTPURL("https://API.example/v2/"), try HTTPURL("http://localhost:8080"))
        #expect(try await isAttached(scope, Self.api, base: "https://www.example/"))
        #expect(try await isAttached(scope, "http://localhost:8080/things"))
        #expect(try await !isAttached(scope, "http://localhost:8081/things"))
        #expect(try await !isAttached(scope, "http://api.example/v1/things"))
        #expect(try await !isAttached(.origins([]), Self.api))
    }

    @Test func itIsForWhatOneSays() async throws {
        let scope = CredentialScope.urls { $0.path.hasPrefix("/v1/") }
        #expect(try await isAttached(scope, Self.api))
        #expect(try await !isAttached(scope, "https://api.example/"))
        #expect(try await isAttached(.everywhere, Self.api, base: "https://www.example/"))
    }

    /// Outside of it there need be none.
    @Test func outsideThereNeedBeNone() async throws {
        let interceptor = AuthenticationInterceptor(authenticator: BearerAuthenticator(), for: .origins([]))
        #expect(try await Asking().authorization(by: interceptor) == nil)
    }

    struct Answer: Sendable {
        var url = api
        var from: String
        var redirects: [String] = []
        var isOurs: Bool
    }

    @Test(arguments: [
        Answer(from: "https://api.example/v1/things", isOurs: true),
        Answer(from: "https://api.example/moved", redirects: [api], isOurs: true),
        // A redirect led elsewhere, where the credential does not go, or there and back, where it has been lost.
        Answer(from: "https://www.example/login", redirects: [api], isOurs: false),
        Answer(from: "https://api.example/back", redirects: [api, "https://www.example/"], isOurs: false),
        Answer(from: "https://www.example/login", isOurs: false),
        // The host wants https, and is gone to by it at once; or it redirects there, past the credential.
        Answer(url: "http://api.example/v1/things", from: api, isOurs: true),
        Answer(url: "http://api.example/", from: api, redirects: ["http://api.example/"], isOurs: false),
        Answer(url: "http://api.example/", from: "https://api.example/", redirects: [api], isOurs: true),
    ])
    func onlyItsOriginSaysThatItIsRefused(_ answer: Answer) async throws {
        let authenticator = BearerAuthenticator()
        let interceptor = AuthenticationInterceptor(authenticator: authenticator, credential: .old)
        let asking = try Asking(answer.url)
        let attempt = try asking.attempt(from: answer.from, redirects: answer.redirects)
        #expect(await interceptor.retry(asking.task, after: attempt).isRetry == answer.isOurs)
        #expect(authenticator.refreshCount == (answer.isOurs ? 1 : 0))
    }
}
