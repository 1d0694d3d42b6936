import FoundationEssentials
import Lupine
import LupineCore
import LupineTesting
import Testing

/// Parameters as a server reads them that nobody here wrote: httpbin, whose reader of forms is Werkzeug's.
@Suite(.serialized, .enabled(if: LivePeers.httpbin != nil, LivePeers.hint), .timeLimit(.minutes(5)))
struct LivePeerParametersTests {
    private let api: HTTPSessionManager

    init() throws {
        let base = try #require(LivePeers.httpbin)
        api = HTTPSessionManager(baseURL: base, configuration: URLSessionManager.direct().configuration)
    }

    private static let seeds: Range<UInt64> = 0..<(isNightly ? 2_000 : 200)

    /// Names and their values, as httpbin tells them: a name's one value, or a list of several.
    private func fields(_ told: JSONValue?) -> [Data: [Data]] {
        let pairs = (told?.objectValue ?? [:]).flatMap { member in
            (member.value.arrayValue ?? [member.value]).map { (member.name, $0.stringValue ?? "?") }
        }
        return grouped(pairs)
    }

    /// By bytes: to Swift's strings an é of one character and one of two are the same.
    private func grouped(_ pairs: [(String, String)]) -> [Data: [Data]] {
        Dictionary(grouping: pairs) { Data($0.0.utf8) }.mapValues { $0.map { Data($0.1.utf8) } }
    }

    @Test func queriesAndForms() async throws {
        for seed in Self.seeds {
            var random = RandomParameters(seed: seed)
            let tree = JSONValue.object(random.object())
            let expected = grouped(tree.formFields())
            let query = try await api.get("get", parameters: Parameters(tree))
            #expect(fields(try JSONValue(parsing: query.data)["args"]) == expected, "seed \(seed)")
            let form = try await api.post("post", parameters: Parameters(tree))
            #expect(fields(try JSONValue(parsing: form.data)["form"]) == expected, "seed \(seed)")
        }
    }

    @Test func json() async throws {
        for seed in Self.seeds {
            var random = RandomParameters(seed: seed)
            let tree = JSONValue.object(random.object())
            let answer = try await api.put("put", parameters: Parameters(tree), serializer: JSONRequestSerializer())
            let told = try JSONValue(parsing: answer.data)["json"] ?? .null
            #expect(tree.differences(in: told) == [] && told.differences(in: tree) == [], "seed \(seed)")
        }
    }
}
