import LupineCore
import LupineTesting
import Testing

@testable import Lupine

/// However many requests need it, there is one refresh, and what it comes to is what all of them come to.
@Suite(.timeLimit(.minutes(2)))
struct OneRefreshTests {
    private let asking: Asking
    private let gate = Gate()

    init() throws { asking = try Asking() }

    /// A refresh that waits for the gate.
    private func authenticator(_ result: Result<Token, any Error> = .success(.new)) -> BearerAuthenticator {
        BearerAuthenticator { [gate] _ in
            try await gate.opened()
            return try result.get()
        }
    }

    @Test func aHundredExpired() async throws {
        let authenticator = authenticator()
        let interceptor = AuthenticationInterceptor(authenticator: authenticator, credential: .expired)
        let asked = (0..<100).map { _ in Task { try await asking.authorization(by: interceptor) } }
        await interceptor.waitForWaiters(100)
        gate.open()
        for ask in asked { #expect(try await ask.value == "Bearer new") }
        #expect(authenticator.refreshCount == 1)
    }

    @Test func aHundredRefused() async throws {
        let authenticator = authenticator()
        let interceptor = AuthenticationInterceptor(authenticator: authenticator, credential: .old)
        let attempt = try asking.attempt()
        let asked = (0..<100).map { _ in Task { await interceptor.retry(asking.task, after: attempt).isRetry } }
        // Some come while it is under way, the others after it.
        await interceptor.waitForWaiters(100)
        let sent = Task { try await asking.authorization(by: interceptor) }
        await interceptor.waitForWaiters(101)
        gate.open()
        for ask in asked { #expect(await ask.value) }
        #expect(try await sent.value == "Bearer new")
        #expect(await interceptor.retry(asking.task, after: attempt).isRetry)
        #expect(authenticator.refreshCount == 1)
    }

    /// All at once, with nothing that holds one back.
    @Test func aHundredAsTheyCome() async throws {
        let authenticator = BearerAuthenticator()
        let interceptor = AuthenticationInterceptor(authenticator: authenticator, credential: .old)
        let attempt = try asking.attempt()
        await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<100 { group.addTask { await interceptor.retry(asking.task, after: attempt).isRetry } }
            for await isRetry in group { #expect(isRetry) }
        }
        #expect(authenticator.refreshCount == 1)
    }

    @Test(arguments: [true, false])
    func allFailWithItsError(_ isOwn: Bool) async throws {
        let own = LupineError(.timedOut, "the token server did not answer")
        let authenticator = authenticator(.failure(isOwn ? own : RefreshFailure()))
        let interceptor = AuthenticationInterceptor(authenticator: authenticator, credential: .old)
        let attempt = try asking.attempt()
        let refused = (0..<50).map { _ in Task { await interceptor.retry(asking.task, after: attempt).error } }
        await interceptor.waitForWaiters(50)
        let adapting = (0..<50).map { _ in Task { try await asking.authorization(by: interceptor) } }
        await interceptor.waitForWaiters(100)
        gate.open()
        var errors: [(any Error)?] = []
        for ask in refused { errors.append(await ask.value) }
        for ask in adapting {
            errors.append(await #expect(throws: LupineError.self) { try await ask.value })
        }
        // One that was sent before the failure, and is refused after it.
        errors.append(await interceptor.retry(asking.task, after: attempt).error)
        #expect(errors.count == 101)
        for error in errors {
            let error = try #require(error as? LupineError)
            #expect(error.code == (isOwn ? .timedOut : .authenticationFailed))
            #expect(isOwn ? error.message == own.message : error.underlying is RefreshFailure)
        }
        #expect(authenticator.refreshCount == 1)
        #expect(interceptor.credential == .old)
    }

    /// What comes after a failure tries anew, and is not sent with what could not be refreshed.
    @Test func theNextTriesAnew() async throws {
        let isDown = Lock(true)
        let authenticator = BearerAuthenticator { _ in
            if isDown.withLock(\.self) { throw RefreshFailure() }
            return .new
        }
        let interceptor = AuthenticationInterceptor(authenticator: authenticator, credential: .old)
        #expect(await interceptor.retry(asking.task, after: try asking.attempt()).error != nil)
        await #expect(throws: LupineError.self) { try await asking.authorization(by: interceptor) }
        isDown.withLock { $0 = false }
        #expect(try await asking.authorization(by: interceptor) == "Bearer new")
        #expect(authenticator.refreshCount == 3)
    }

    @Test func tooManyFailuresTellTheLast() async throws {
        let interceptor = AuthenticationInterceptor(
            authenticator: BearerAuthenticator { _ in throw RefreshFailure() }, credential: .expired,
            refreshWindow: RefreshWindow(maximumAttempts: 1), clock: ManualClock())
        await #expect(throws: LupineError.self) { try await asking.authorization(by: interceptor) }
        let thrown = await #expect(throws: LupineError.self) { try await asking.authorization(by: interceptor) }
        #expect(thrown?.message.contains("excessive refresh") == true)
        #expect(thrown?.underlying is RefreshFailure)
    }

    /// Who began it as well as who joined it.
    @Test(arguments: [0, 1])
    func whoIsCancelledLeavesAtOnce(_ index: Int) async throws {
        let authenticator = authenticator()
        let interceptor = AuthenticationInterceptor(authenticator: authenticator, credential: .expired)
        let attempt = try asking.attempt()
        var asked: [Task<String?, any Error>] = []
        for count in 1...3 {
            asked.append(Task { try await asking.authorization(by: interceptor) })
            await interceptor.waitForWaiters(count)
        }
        let refused = Task { await interceptor.retry(asking.task, after: attempt).error }
        await interceptor.waitForWaiters(4)
        asked[index].cancel()
        await #expect(throws: CancellationError.self) { try await asked[index].value }
        refused.cancel()
        #expect(await refused.value is CancellationError)
        #expect(!gate.isOpen)
        gate.open()
        for (other, ask) in asked.enumerated() where other != index { #expect(try await ask.value == "Bearer new") }
        #expect(authenticator.refreshCount == 1)
    }

    /// The refresh goes on without anybody, and the interceptor with it; then both go.
    @Test func whoLetsGoLeavesNothing() async throws {
        let authenticator = authenticator()
        weak var kept: AuthenticationInterceptor<BearerAuthenticator>?
        do {
            let interceptor = AuthenticationInterceptor(authenticator: authenticator, credential: .expired)
            kept = interceptor
            let ask = Task { try await asking.authorization(by: interceptor) }
            await interceptor.waitForWaiters(1)
            ask.cancel()
            _ = await ask.result
        }
        #expect(kept != nil)
        gate.open()
        await until { kept == nil }
        #expect(authenticator.refreshCount == 1)
    }

    /// A refresh during which the authenticator asks the interceptor itself: for its credential, and with a request of its own.
    @Test func theRefreshIsPastTheInterceptor() async throws {
        let holder = Lock<AuthenticationInterceptor<BearerAuthenticator>?>(nil)
        let asking = asking
        let authenticator = BearerAuthenticator { token in
            let interceptor = try #require(holder.withLock { $0 })
            #expect(interceptor.credential == token)
            let task = asking.task
            #expect(try await interceptor.adapt(asking.request, for: task).headers["Authorization"] == nil)
            #expect(await interceptor.retry(task, after: try asking.attempt(token)).isDoNotRetry)
            async let child = asking.authorization(by: interceptor)
            #expect(try await child == nil)
            #expect(try await Task { try await asking.authorization(by: interceptor) }.value == nil)
            // Another's request is another's.
            let other = AuthenticationInterceptor(authenticator: BearerAuthenticator(), credential: .old)
            #expect(try await asking.authorization(by: other) == "Bearer old")
            return .new
        }
        let interceptor = AuthenticationInterceptor(authenticator: authenticator, credential: .expired)
        holder.withLock { $0 = interceptor }
        #expect(try await asking.authorization(by: interceptor) == "Bearer new")
        holder.withLock { $0 = nil }
    }
}
