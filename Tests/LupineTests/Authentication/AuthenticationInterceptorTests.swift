import LupineCore
import LupineTesting
import Testing

@testable import Lupine

/// An interceptor asked directly, as tasks ask it.
@Suite(.timeLimit(.minutes(2)))
struct AuthenticationInterceptorTests {
    private let asking: Asking

    init() throws { asking = try Asking() }

    @Test func aCredentialIsAttached() async throws {
        let authenticator = BearerAuthenticator()
        let interceptor = AuthenticationInterceptor(authenticator: authenticator, credential: .old)
        #expect(try await asking.authorization(by: interceptor) == "Bearer old")
        #expect(authenticator.refreshCount == 0)
    }

    @Test func withoutACredentialRequestsFail() async throws {
        let interceptor = AuthenticationInterceptor(authenticator: BearerAuthenticator())
        let thrown = await #expect(throws: LupineError.self) { try await asking.authorization(by: interceptor) }
        #expect(thrown?.code == .authenticationFailed)
        #expect(thrown?.host == "api.example")
        #expect(thrown?.message.contains("no credential for api.example") == true)
        let result = await interceptor.retry(asking.task, after: try asking.attempt())
        #expect((result.error as? LupineError)?.code == .authenticationFailed)
    }

    @Test func anExpiredOneIsRefreshedFirst() async throws {
        let authenticator = BearerAuthenticator()
        let interceptor = AuthenticationInterceptor(authenticator: authenticator, credential: .expired)
        #expect(try await asking.authorization(by: interceptor) == "Bearer new")
        #expect(try await asking.authorization(by: interceptor) == "Bearer new")
        #expect(authenticator.refreshed.withLock(\.self) == [.expired])
        #expect(interceptor.credential == .new)
    }

    /// One that has expired already as it comes is used once, or there would be no end of it.
    @Test func aNewOneIsUsedAsItComes() async throws {
        let authenticator = BearerAuthenticator { _ in Token(value: "brief", requiresRefresh: true) }
        let interceptor = AuthenticationInterceptor(authenticator: authenticator, credential: .expired)
        #expect(try await asking.authorization(by: interceptor) == "Bearer brief")
        #expect(authenticator.refreshCount == 1)
    }

    @Test func aRefusedOneIsRefreshed() async throws {
        let authenticator = BearerAuthenticator()
        let interceptor = AuthenticationInterceptor(authenticator: authenticator, credential: .old)
        #expect(await interceptor.retry(asking.task, after: try asking.attempt()).isRetry)
        #expect(authenticator.refreshed.withLock(\.self) == [.old])
        #expect(try await asking.authorization(by: interceptor) == "Bearer new")
    }

    @Test func aRefusedEarlierOneIsReplacedOnly() async throws {
        let authenticator = BearerAuthenticator()
        let interceptor = AuthenticationInterceptor(authenticator: authenticator, credential: .new)
        #expect(await interceptor.retry(asking.task, after: try asking.attempt(.old)).isRetry)
        #expect(authenticator.refreshCount == 0)
    }

    @Test(arguments: [200, 400, 403, 407, 500, 503])
    func otherFailuresAreOthers(_ status: HTTPStatus) async throws {
        let authenticator = BearerAuthenticator()
        let interceptor = AuthenticationInterceptor(authenticator: authenticator, credential: .old)
        #expect(await interceptor.retry(asking.task, after: try asking.attempt(status: status)).isDoNotRetry)
        #expect(authenticator.refreshCount == 0)
    }

    @Test func aFailureWithoutAnAnswerIsAnother() async throws {
        let interceptor = AuthenticationInterceptor(authenticator: BearerAuthenticator(), credential: .old)
        let attempt = FailedAttempt(request: asking.request, error: LupineError(.connectionLost, "lost"))
        #expect(await interceptor.retry(asking.task, after: attempt).isDoNotRetry)
    }

    /// Two refusals in a row were answered by sending again; the third is told.
    @Test func thereIsAnEndOfReplays() async throws {
        let numbers = Lock(0)
        let authenticator = BearerAuthenticator { _ in
            Token(value: "\(numbers.withLock { number in number += 1; return number })")
        }
        let interceptor = AuthenticationInterceptor(authenticator: authenticator, credential: .old)
        let task = asking.task
        var previous: [LupineError] = []
        for expected in [true, true, false] {
            let sent = try #require(interceptor.credential)
            let attempt = try asking.attempt(sent, previous: previous)
            #expect(await interceptor.retry(task, after: attempt).isRetry == expected)
            previous.append(attempt.error)
        }
        #expect(authenticator.refreshCount == 2)
        // Only those in a row count.
        let busy = try asking.attempt(status: 503).error
        let after = try asking.attempt(try #require(interceptor.credential), previous: previous + [busy])
        #expect(await interceptor.retry(task, after: after).isRetry)
    }

    @Test func whatCannotBeSentAgainIsNot() async throws {
        let authenticator = BearerAuthenticator()
        let interceptor = AuthenticationInterceptor(authenticator: authenticator, credential: .old)
        #expect(await interceptor.retry(asking.task, after: try asking.attempt(isRepeatable: false)).isDoNotRetry)
        // The next is sent with the new one.
        #expect(interceptor.credential == .new)
    }

    @Test func theRefreshIsBounded() async throws {
        let clock = ManualClock()
        let authenticator = BearerAuthenticator { _ in .expired }
        let interceptor = AuthenticationInterceptor(
            authenticator: authenticator, credential: .expired,
            refreshWindow: RefreshWindow(interval: .seconds(30), maximumAttempts: 3), clock: clock)
        for _ in 0..<3 { _ = try await asking.authorization(by: interceptor) }
        let thrown = await #expect(throws: LupineError.self) { try await asking.authorization(by: interceptor) }
        #expect(thrown?.code == .authenticationFailed)
        #expect(thrown?.message.contains("excessive refresh") == true)
        #expect(thrown?.message.contains("api.example") == true)
        let result = await interceptor.retry(asking.task, after: try asking.attempt())
        #expect((result.error as? LupineError)?.message == thrown?.message)
        #expect(authenticator.refreshCount == 3)
        clock.advance(by: .seconds(30))
        #expect(try await asking.authorization(by: interceptor) == "Bearer old")
        #expect(authenticator.refreshCount == 4)
        // A new one begins a new account.
        _ = try await asking.authorization(by: interceptor)
        _ = try await asking.authorization(by: interceptor)
        await #expect(throws: LupineError.self) { try await asking.authorization(by: interceptor) }
        interceptor.credential = .expired
        #expect(try await asking.authorization(by: interceptor) == "Bearer old")
    }

    @Test func secretsAreNotTold() async throws {
        let interceptor = AuthenticationInterceptor(
            authenticator: BearerAuthenticator { _ in throw RefreshFailure() }, credential: .expired)
        #expect("\(interceptor)".contains("with a credential"))
        #expect(!"\(interceptor)".contains("old"))
        let thrown = await #expect(throws: LupineError.self) { try await asking.authorization(by: interceptor) }
        #expect(thrown?.description.contains("s3cret") == false)
        #expect(thrown?.description.contains("RefreshFailure") == true)
        #expect(thrown?.underlying is RefreshFailure)
    }
}
