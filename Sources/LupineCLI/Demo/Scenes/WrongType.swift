import Lupine

/// An answer of another type than was asked for is an error that says which are accepted, and keeps what came.
func wrongType(_ api: HTTPSessionManager, _ stage: Stage) async throws {
    do {
        let planet = try await api.get("page", as: Planet.self)
        stage.show("found \(planet.name)")
    } catch {
        stage.show("\(error)")
        stage.show("the server says: \(error.text ?? "nothing")")
    }
}
