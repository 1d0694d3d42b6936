import Lupine

struct Token: AuthenticationCredential {
    let text: String
    var requiresRefresh: Bool { false }
}

/// How tokens are sent, and where there are new ones.
struct TokenService: Authenticator {
    let api: HTTPSessionManager
    let stage: Stage

    func apply(_ token: Token, to request: inout HTTPRequest) {
        request.headers.update(.authorization(bearerToken: token.text))
    }

    func refresh(_ token: Token) async throws -> Token {
        stage.show("the \(token.text) token is refused")
        return Token(text: try await api.post("token").text ?? "")
    }

    func isRequest(_ request: HTTPRequest, authenticatedWith token: Token) -> Bool {
        request.headers["Authorization"] == "Bearer \(token.text)"
    }
}

/// A token expires while many requests use it: it is refreshed once, and all are sent again.
func tokenRefresh(_ api: HTTPSessionManager, _ stage: Stage) async throws {
    let service = TokenService(api: api, stage: stage)
    let authentication = AuthenticationInterceptor(authenticator: service, credential: Token(text: "stale"))
    let members = api.copy { $0.handlers.intercept(with: authentication) }
    let welcomes = try await withThrowingTaskGroup(of: DataResponse.self) { group in
        for _ in 0..<20 { group.addTask { try await members.get("private") } }
        return try await group.reduce(0) { $0 + ($1.text == "welcome\n" ? 1 : 0) }
    }
    stage.show("\(welcomes) of 20 requests were welcome")
    let refreshes = stage.shown.count { $0.hasSuffix("is refused") }
    stage.show("the token was refreshed \(refreshes == 1 ? "once" : "\(refreshes) times")")
    await members.invalidate()
}
