import Lupine

/// An answer with an error status is an error, and carries the whole answer.
func errorStatus(_ api: HTTPSessionManager, _ stage: Stage) async throws {
    do {
        let planet = try await api.get("planets/10", as: Planet.self)
        stage.show("found \(planet.name)")
    } catch {
        let body = error.data.map { String(decoding: $0, as: UTF8.self) }
        stage.show("\(error.code): status \(error.response?.status ?? 0), body \(body ?? "none")")
    }
}
