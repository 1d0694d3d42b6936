import Lupine

struct Planet: Codable, Sendable {
    var name: String
    var moons: Int
}

/// GET, the JSON of the answer decoded into a struct.
func getDecoded(_ api: HTTPSessionManager, _ stage: Stage) async throws {
    let planet = try await api.get("planets/5", as: Planet.self)

    stage.show("\(planet.name) has \(planet.moons) moons")
}
