import Lupine

struct Problem: Decodable { let title: String }

func look(_ api: HTTPSessionManager) async throws {
    let page = try await api.get("about", responseSerializer: StringResponseSerializer())
    let settings = try await api.get("settings.plist", responseSerializer: PropertyListResponseSerializer())
    print(page.count, settings["version"]?.stringValue ?? "")
    do {
        _ = try await api.get("users/0", as: JSONValue.self)
    } catch {
        print(error.code, error.decoded(as: Problem.self)?.title ?? error.text ?? "no reason given")
    }
}
