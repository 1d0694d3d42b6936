import Lupine

/// POST, parameters as JSON, the answer decoded.
func jsonPost(_ api: HTTPSessionManager, _ stage: Stage) async throws {
    let made = try await api.post(
        "planets", parameters: ["name": "Vulcan", "moons": 0], serializer: JSONRequestSerializer(), as: Planet.self)

    stage.show("the server keeps \(made.name), with \(made.moons) moons")
}
