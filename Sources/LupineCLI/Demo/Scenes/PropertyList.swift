import Lupine

/// A property list, decoded. What came in XML here may as well come in binary.
func propertyList(_ api: HTTPSessionManager, _ stage: Stage) async throws {
    let planet = try await api.get("planets/6.plist", responseSerializer: PropertyListResponseSerializer(Planet.self))

    stage.show("\(planet.name) has \(planet.moons) moons")
}
