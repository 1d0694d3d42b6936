import LupineCore
import LupineTesting
import Testing

@testable import Lupine

struct Token: AuthenticationCredential, Equatable {
    var value: String
    var requiresRefresh = false

    static let old = Token(value: "old")
    static let new = Token(value: "new")
    static let expired = Token(value: "old", requiresRefresh: true)
}

/// Attaches tokens as Bearer ones, and notes each refresh.
struct BearerAuthenticator: Authenticator {
    let refreshed = Lock<[Token]>([])
    private let renewal: @Sendable (Token) async throws -> Token

    init(_ renewal: @escaping @Sendable (Token) async throws -> Token = { _ in .new }) { self.renewal = renewal }

    func apply(_ credential: Token, to request: inout HTTPRequest) {
        request.headers["Authorization"] = "Bearer \(credential.value)"
    }

    func refresh(_ credential: Token) async throws -> Token {
        refreshed.withLock { $0.append(credential) }
        return try await renewal(credential)
    }

    func isRequest(_ request: HTTPRequest, authenticatedWith credential: Token) -> Bool {
        request.headers["Authorization"] == "Bearer \(credential.value)"
    }

    var refreshCount: Int { refreshed.withLock(\.count) }
}

struct RefreshFailure: Error, CustomStringConvertible {
    var description: String { "the refresh token s3cret is no longer taken" }
}

extension AuthenticationInterceptor {
    /// Waits until so many requests wait for the refresh.
    func waitForWaiters(_ count: Int) async {
        await until { machine.withLock({ $0.pending?.waiterCount ?? 0 }) == count }
    }
}

/// Tasks to ask an interceptor about, and their requests as it adapts them and as they fail.
struct Asking {
    let session: URLSessionManager
    let request: HTTPRequest

    init(_ url: String = "https://api.example/things", base: String? = nil) throws {
        session = HTTPSessionManager(baseURL: base, transport: StubTransport([])).session
        request = HTTPRequest(url: try HTTPURL(url))
    }

    var task: SessionTask { session.dataTask(with: request, handlers: TaskHandlers()) }

    /// The `Authorization` field that an interceptor gives a request.
    func authorization(by interceptor: some RequestAdapter) async throws -> String? {
        try await interceptor.adapt(request, for: task).headers["Authorization"]
    }

    /// A request that was sent with a token, and refused.
    func attempt(
        _ token: Token = .old, status: HTTPStatus = 401, from url: String? = nil, redirects: [String] = [],
        previous: [LupineError] = [], isRepeatable: Bool = true
    ) throws -> FailedAttempt {
        var request = request
        BearerAuthenticator().apply(token, to: &request)
        let response = HTTPResponse(url: try url.map { try HTTPURL($0) } ?? request.url, status: status)
        let error = LupineError(.unacceptableStatus, "the status was \(status.rawValue)")
            .with(response: response, data: nil, metrics: nil, redirects: try redirects.map { try HTTPURL($0) })
        return FailedAttempt(
            request: request, error: error, previous: previous, isRepeatable: isRepeatable)
    }
}

extension RetryResult {
    var isRetry: Bool { if case .retry = self { true } else { false } }
    var isDoNotRetry: Bool { if case .doNotRetry = self { true } else { false } }
    var error: (any Error)? { if case .doNotRetryWithError(let error) = self { error } else { nil } }
}
