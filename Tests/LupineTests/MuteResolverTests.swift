import Lupine
import Testing

/// A resolver that answers nobody blocks no other transfer, no cancellation and no timeout.
@Suite(.timeLimit(.minutes(2)))
struct MuteResolverTests {
    private static let script = ProcessRun.packageDirectory + "/scripts/mute-resolver"

    private static func isPossible() async -> Bool {
        (try? await ProcessRun.of([script, "--possible"]))?.status == 0
    }

    @Test(.enabled("needs root, unshare and ip") { await isPossible() })
    func muteResolverStallsNothing() async throws {
        let run = try await ProcessRun.of([Self.script, ProcessRun.sibling("lupine-probe"), "resolver"])
        #expect(run.status == 0, "\(run.output)")
        let seen = try JSONValue(parsing: run.output)
        print("mute resolver: \(seen)")
        func milliseconds(_ name: String) throws -> Double { try #require(seen[name]?["ms"]?.doubleValue) }
        #expect(seen["connect"]?["code"] == "timed-out")
        #expect(try 299...400 ~= milliseconds("connect"))
        #expect(seen["total"]?["code"] == "timed-out")
        #expect(try 299...400 ~= milliseconds("total"))
        #expect(seen["cancel"]?["code"] == "cancelled")
        #expect(try milliseconds("cancel") < 100)
        #expect(seen["invalidate"]?["code"] == "cancelled")
        #expect(try milliseconds("invalidate") < 100)
        #expect(try #require(seen["slowestLoopback"]?.doubleValue) < 200)
    }
}
