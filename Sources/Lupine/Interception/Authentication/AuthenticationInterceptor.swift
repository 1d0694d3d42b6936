public import LupineCore

/// Attaches a credential to requests, gets a new one when it has to be replaced or was refused, and has refused requests sent again.
///
/// ```swift
/// let authentication = AuthenticationInterceptor(authenticator: OAuth(), credential: token)
/// var configuration = SessionConfiguration()
/// configuration.handlers.intercept(with: authentication)
/// let api = HTTPSessionManager(baseURL: "https://api.example.com/", configuration: configuration)
/// ```
///
/// There is one refresh at a time, for all requests of all sessions that share the interceptor; requests wait for it. If it fails, all
/// of them end with its error, and those that come later try it anew: a credential that could not be refreshed is not sent again. A
/// request that was refused is sent again at most twice in a row; after that its 401 is told.
public final class AuthenticationInterceptor<A: Authenticator>: RequestAdapter, RequestRetrier, Sendable {
    typealias Machine = AuthenticationMachine<A.Credential>

    /// How often a refused request is sent again, in a row.
    private static var maximumReplays: Int { 2 }

    public let authenticator: A
    let scope: CredentialScope
    let window: RefreshWindow?
    let clock: SessionClock
    let machine: Lock<Machine>

    /// - Parameters:
    ///   - credential: what is attached at first. `nil`: requests fail with `authentication-failed` until there is one.
    ///   - scope: which requests it is for; all others pass as they are. By default those to the origin of the session's base URL, as
    ///     secrets among a session's fields; a session without one sends it everywhere, and should be given another scope.
    ///   - refreshWindow: how often it is refreshed, at most. `nil`: without limit.
    ///   - clock: what that is counted by.
    public init(
        authenticator: A, credential: A.Credential? = nil, for scope: CredentialScope = .baseURL,
        refreshWindow: RefreshWindow? = RefreshWindow(), clock: any Clock<Duration> = ContinuousClock()
    ) {
        self.authenticator = authenticator
        self.scope = scope
        window = refreshWindow
        self.clock = SessionClock(clock)
        machine = Lock(Machine(credential: credential, window: refreshWindow))
    }

    /// What is attached now. `nil`: there is none, after a logout, say.
    ///
    /// Setting it, after a login, say, begins anew: an earlier failure and earlier refreshes are forgotten, a refresh that is under way
    /// is no longer waited for, and what it gives is dropped. It is not cancelled.
    public var credential: A.Credential? {
        get { machine.withLock { $0.present?.credential } }
        set { change { $0.set(newValue) }?.end(.superseded) }
    }

    // MARK: Requests

    /// - Throws: ``LupineError`` with `authentication-failed`: there is no credential, or it was refreshed too often; what the refresh
    ///   threw, as it is if it is a ``LupineError``, else under `authentication-failed`; `CancellationError`.
    public func adapt(_ request: HTTPRequest, for task: SessionTask) async throws -> HTTPRequest {
        guard isConcerned(with: request.url, of: task) else { return request }
        let credential = try await usableCredential(for: request.url.host)
        var request = request
        authenticator.apply(credential, to: &request)
        return request
    }

    /// As most are: with a credential that is good, and no refresh under way.
    public func adaptWithoutWaiting(_ request: HTTPRequest, for task: SessionTask) throws -> HTTPRequest? {
        guard isConcerned(with: request.url, of: task) else { return request }
        guard let credential = machine.withLock({ $0.settled }), !credential.requiresRefresh else { return nil }
        var request = request
        authenticator.apply(credential, to: &request)
        return request
    }

    private func usableCredential(for host: String) async throws -> A.Credential {
        while true {
            guard let present = machine.withLock({ $0.present }) else { throw LupineError.noCredential(for: host) }
            let requiresRefresh = present.credential.requiresRefresh, now = clock.elapsed()
            switch try await outcome(
                for: host, of: { $0.send(with: present.version, requiresRefresh: requiresRefresh, at: now) })
            {
            case nil: return present.credential
            case .refreshed(let credential): return credential
            case .failed(let error): throw LupineError.refreshFailed(error, for: host)
            case .superseded: continue
            }
        }
    }

    public func retry(_ task: SessionTask, after attempt: FailedAttempt) async -> RetryResult {
        let request = attempt.request
        guard isConcerned(with: request.url, of: task), isRefusal(attempt.error, of: request),
            attempt.previous.reversed().prefix(while: { wasRefusal($0, of: attempt) }).count < Self.maximumReplays,
            !hasActed(attempt, of: task)
        else { return .doNotRetry }
        do {
            try await replaceCredential(of: attempt)
            // A request that was refused has had no effect, whatever its method.
            return attempt.isRepeatable ? .retry : .doNotRetry
        } catch {
            return .doNotRetryWithError(error)
        }
    }

    /// Whether an earlier try was refused as this one. Its body is gone, which may have said so.
    private func wasRefusal(_ error: LupineError, of attempt: FailedAttempt) -> Bool {
        isRefusal(error, of: attempt.request)
            || (error.response?.status == attempt.response?.status && error.isOfOrigin(of: attempt.request))
    }

    /// Whether the server has acted on the request and led on to another, a page to be read as a rule: that is what was refused.
    private func hasActed(_ attempt: FailedAttempt, of task: SessionTask) -> Bool {
        attempt.mayHaveArrived && task.currentRequest.method != attempt.request.method
    }

    /// Returns when there is another credential than that of the request.
    private func replaceCredential(of attempt: FailedAttempt) async throws {
        let host = attempt.request.url.host
        while true {
            guard let present = machine.withLock({ $0.present }) else { throw LupineError.noCredential(for: host) }
            guard authenticator.isRequest(attempt.request, authenticatedWith: present.credential) else { return }
            let now = clock.elapsed()
            switch try await outcome(for: host, of: { $0.refused(with: present.version, at: now) }) {
            case nil, .refreshed: return
            case .failed(let error): throw LupineError.refreshFailed(error, for: host)
            case .superseded: continue
            }
        }
    }
}

extension AuthenticationInterceptor: CustomStringConvertible {
    /// Without what it attaches.
    public var description: String {
        "AuthenticationInterceptor of \(A.self), \(credential == nil ? "without credential" : "with a credential")"
    }
}
