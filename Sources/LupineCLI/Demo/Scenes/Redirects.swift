import Lupine

/// Redirects are followed, 20 at most; what was left behind is told.
func redirects(_ api: HTTPSessionManager, _ stage: Stage) async throws {
    let answer = try await api.get("moved/once")

    for url in answer.redirects { stage.show("from \(url.path)") }
    stage.show("to \(answer.request.url.path): \(answer.text ?? "nothing")")
}
