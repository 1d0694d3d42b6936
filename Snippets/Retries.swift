import Lupine

struct Token: AuthenticationCredential, Decodable {
    let access: String
    var requiresRefresh: Bool { false }
}

struct OAuth: Authenticator {
    let login: HTTPSessionManager

    func apply(_ token: Token, to request: inout HTTPRequest) {
        request.headers.update(.authorization(bearerToken: token.access))
    }

    func refresh(_ token: Token) async throws -> Token {
        try await login.post("token", parameters: ["grant_type": "client_credentials"], as: Token.self)
    }

    func isRequest(_ request: HTTPRequest, authenticatedWith token: Token) -> Bool {
        request.headers["Authorization"] == "Bearer \(token.access)"
    }
}

func session(_ oauth: OAuth, _ token: Token) -> HTTPSessionManager {
    var configuration = SessionConfiguration()
    configuration.handlers.retriers = [RetryPolicy()]
    configuration.handlers.intercept(with: AuthenticationInterceptor(authenticator: oauth, credential: token))
    configuration.options.waitsForConnectivity = true
    configuration.circuitBreaker = CircuitBreaker()
    return HTTPSessionManager(baseURL: "https://api.example.com/v1/", configuration: configuration)
}
