import Lupine

struct Echo: Decodable, Sendable {
    var method: String
    var body: String
}

/// POST, parameters as a form. The server answers with what it was sent.
func formPost(_ api: HTTPSessionManager, _ stage: Stage) async throws {
    let echo = try await api.post(
        "echo", parameters: ["name": "Lupinus texensis", "colours": ["blue", "white"]], as: Echo.self)

    stage.show("the server was sent \(echo.method) with \(echo.body)")
}
