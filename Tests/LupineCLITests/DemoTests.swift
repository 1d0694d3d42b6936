import FoundationEssentials
import Glibc
import Lupine
import LupineTesting
import Testing

@testable import LupineCLI

@Suite(.timeLimit(.minutes(2)))
struct DemoTests {
    @Test func everySceneGoesAsTold() async throws {
        let run = try await lupine("demo")
        #expect(run.status == 0, "\(run.text)")
        for scene in Scene.all { #expect(run.text.contains(scene.title)) }
        #expect(run.text.hasSuffix("Lupine works on this machine.\n"))
        #expect(!run.text.contains("\u{1B}"))
    }

    /// What is printed is what was compiled.
    @Test func theTextIsThatOfTheFiles() throws {
        let folder = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../Sources/LupineCLI/Demo/Scenes")
        let files = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        let texts = try files.map { try String(contentsOf: folder.appending(path: $0), encoding: .utf8) }
        #expect(Set(texts) == Set(Scene.all.map(\.text)))
    }

    @Test func aSceneThatGoesAnotherWayFails() async throws {
        let null = open("/dev/null", O_WRONLY)
        defer { close(null) }
        let console = Console(output: null, errors: null)
        let stage = Stage(console: console, style: Style(descriptor: null), largeFile: "")
        let api = HTTPSessionManager()
        let other = Scene(title: "", text: "", expected: ["this"]) { _, stage in stage.show("that") }
        #expect(await other.fault(api, stage) == #"expected to see "this""#)
        let thrown = Scene(title: "", text: "", expected: []) { _, _ in throw LupineError(.badResponse, "why") }
        #expect(await thrown.fault(api, stage) == "bad-response: why")
    }
}
