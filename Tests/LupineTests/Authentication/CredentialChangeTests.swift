import LupineCore
import LupineTesting
import Testing

@testable import Lupine

/// A login or logout while a refresh is under way.
@Suite(.timeLimit(.minutes(2)))
struct CredentialChangeTests {
    private let asking: Asking
    private let gate = Gate()
    private let authenticator: BearerAuthenticator

    init() throws {
        asking = try Asking()
        authenticator = BearerAuthenticator { [gate] _ in
            try await gate.opened()
            return .new
        }
    }

    @Test(arguments: [false, true])
    func whatWasSetWins(_ fails: Bool) async throws {
        let ended = Gate()
        let authenticator = BearerAuthenticator { [gate] _ in
            defer { ended.open() }
            try await gate.opened()
            if fails { throw RefreshFailure() }
            return .new
        }
        let interceptor = AuthenticationInterceptor(authenticator: authenticator, credential: .old)
        let attempt = try asking.attempt()
        let refused = Task { await interceptor.retry(asking.task, after: attempt).isRetry }
        await interceptor.waitForWaiters(1)
        let sent = Task { try await asking.authorization(by: interceptor) }
        await interceptor.waitForWaiters(2)
        interceptor.credential = Token(value: "set")
        // They wait no longer.
        #expect(await refused.value)
        #expect(try await sent.value == "Bearer set")
        gate.open()
        try await ended.opened()
        #expect(try await asking.authorization(by: interceptor) == "Bearer set")
        #expect(interceptor.credential?.value == "set")
        #expect(authenticator.refreshCount == 1)
    }

    @Test func loggedOutThereIsNone() async throws {
        let interceptor = AuthenticationInterceptor(authenticator: authenticator, credential: .old)
        let attempt = try asking.attempt()
        let refused = Task { await interceptor.retry(asking.task, after: attempt).error }
        await interceptor.waitForWaiters(1)
        let sent = Task { try await asking.authorization(by: interceptor) }
        await interceptor.waitForWaiters(2)
        interceptor.credential = nil
        let message = LupineError.noCredential(for: "api.example").message
        #expect((await refused.value as? LupineError)?.message == message)
        #expect(await #expect(throws: LupineError.self) { try await sent.value }?.message == message)
        gate.open()
        #expect(interceptor.credential == nil)
        await #expect(throws: LupineError.self) { try await asking.authorization(by: interceptor) }
        interceptor.credential = .new
        #expect(try await asking.authorization(by: interceptor) == "Bearer new")
    }

    /// What was set requires a refresh of its own: those who waited wait for that.
    @Test func whatWasSetIsRefreshedToo() async throws {
        let authenticator = BearerAuthenticator { [gate] token in
            if token.value == "set" { return Token(value: "of set") }
            try await gate.opened()
            return .new
        }
        let interceptor = AuthenticationInterceptor(authenticator: authenticator, credential: .expired)
        let sent = Task { try await asking.authorization(by: interceptor) }
        await interceptor.waitForWaiters(1)
        interceptor.credential = Token(value: "set", requiresRefresh: true)
        #expect(try await sent.value == "Bearer of set")
        gate.open()
        #expect(interceptor.credential?.value == "of set")
    }

    @Test func aFailureIsForgotten() async throws {
        let authenticator = BearerAuthenticator { _ in throw RefreshFailure() }
        let interceptor = AuthenticationInterceptor(authenticator: authenticator, credential: .old)
        #expect(await interceptor.retry(asking.task, after: try asking.attempt()).error != nil)
        interceptor.credential = .new
        #expect(try await asking.authorization(by: interceptor) == "Bearer new")
        #expect(await interceptor.retry(asking.task, after: try asking.attempt()).isRetry)
        #expect(authenticator.refreshCount == 1)
    }

    /// Requests, logins, logouts and cancellations at once: every request comes to an end, with a credential that there was.
    @Test func everythingAtOnce() async throws {
        let numbers = Lock(0)
        let authenticator = BearerAuthenticator { _ in
            await Task.yield()
            let number = numbers.withLock { number in
                number += 1
                return number
            }
            if number % 3 == 0 { throw RefreshFailure() }
            return Token(value: "refreshed", requiresRefresh: number % 2 == 0)
        }
        let interceptor = AuthenticationInterceptor(
            authenticator: authenticator, credential: .expired, refreshWindow: nil)
        let attempt = try asking.attempt()
        let asking = asking
        await withTaskGroup(of: Void.self) { group in
            for index in 0..<400 {
                group.addTask {
                    switch index % 8 {
                    case 0: interceptor.credential = Token(value: "set", requiresRefresh: index % 16 == 0)
                    case 1: if index % 3 == 0 { interceptor.credential = nil }
                    case 2, 3: _ = await interceptor.retry(asking.task, after: attempt)
                    case 4:
                        let ask = Task { try await asking.authorization(by: interceptor) }
                        ask.cancel()
                        _ = await ask.result
                    default:
                        if let value = try? await asking.authorization(by: interceptor) {
                            #expect(["Bearer set", "Bearer refreshed"].contains(value))
                        }
                    }
                }
            }
        }
    }
}
