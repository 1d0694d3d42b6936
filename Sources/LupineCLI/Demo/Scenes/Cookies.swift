import Lupine

/// What a server has remembered comes back to it. Cookies are kept in memory, for this session alone.
func cookies(_ api: HTTPSessionManager, _ stage: Stage) async throws {
    try await api.post("login", parameters: ["name": "Ada"])
    let answer = try await api.get("whoami")

    stage.show("the server says: \(answer.text ?? "nothing")")
    for cookie in api.cookieStorage.cookies { stage.show("kept: \(cookie.name), for \(cookie.domain)") }
}
