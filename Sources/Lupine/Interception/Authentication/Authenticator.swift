public import LupineCore

/// What an ``AuthenticationInterceptor`` attaches to requests: a token, as a rule.
public protocol AuthenticationCredential: Sendable {
    /// Whether it is to be replaced before it is used again: it has expired, or will while a request is on its way. Asked for each
    /// request, so that it has to be quick.
    var requiresRefresh: Bool { get }
}

/// What an ``AuthenticationInterceptor`` has to know of a scheme of authentication.
///
/// ```swift
/// struct OAuth: Authenticator {
///     func apply(_ credential: Token, to request: inout HTTPRequest) {
///         request.headers["Authorization"] = "Bearer \(credential.access)"
///     }
///     func refresh(_ credential: Token) async throws -> Token {
///         try await api.post("token", parameters: ["refresh_token": JSONValue(credential.refresh)], as: Token.self)
///     }
///     func isRequest(_ request: HTTPRequest, authenticatedWith credential: Token) -> Bool {
///         request.headers["Authorization"] == "Bearer \(credential.access)"
///     }
/// }
/// ```
public protocol Authenticator: Sendable {
    associatedtype Credential: AuthenticationCredential

    /// Attaches the credential, in place of one that is there. A field that `HTTPHeader.isSecret` tells (`Authorization`, say) stays
    /// at home when a redirect leads to another origin; one of another name, or a query, is sent along.
    func apply(_ credential: Credential, to request: inout HTTPRequest)

    /// Gets a new credential in place of one that has to be replaced, or was refused. There is one call, however many requests wait
    /// for it, and who cancels such a request does not cancel it: it should have a limit of time.
    ///
    /// Requests made here, and in Swift tasks begun here, are neither adapted nor retried by the interceptor that asks: they may go
    /// over the very session that it serves. One that was made before and is waited for here may itself wait for this refresh. And two
    /// interceptors, each of whose refreshes needs the other's credential, would wait for one another: scopes keep them apart
    /// (``CredentialScope``), or a session of its own for one refresh.
    ///
    /// - Throws: what all requests that wait end with.
    func refresh(_ credential: Credential) async throws -> Credential

    /// Whether a request failed because of its credential. By default: its answer's status is 401.
    func didRequest(_ request: HTTPRequest, failDueToAuthenticationError error: LupineError) -> Bool

    /// Whether a request was sent with that credential. If not, it was sent with an earlier one, and is sent again with this.
    func isRequest(_ request: HTTPRequest, authenticatedWith credential: Credential) -> Bool
}

extension Authenticator {
    public func didRequest(_ request: HTTPRequest, failDueToAuthenticationError error: LupineError) -> Bool {
        error.response?.status == 401
    }
}
