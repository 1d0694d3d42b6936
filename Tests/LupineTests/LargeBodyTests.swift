import Lupine
import Testing

/// Bodies far larger than the memory they may take: 256 MB, and 1 GB at night.
@Suite(.serialized, .timeLimit(.minutes(10)))
struct LargeBodyTests {
    @Test func memoryStaysConstantInBothDirections() async throws {
        let size = Int64(isNightly ? 1 << 30 : 256 << 20)
        let run = try await ProcessRun.of([ProcessRun.sibling("lupine-probe"), "bodies", "\(size)"])
        #expect(run.status == 0, "\(run.output)")
        let seen = try JSONValue(parsing: run.output)
        print("bodies: \(seen)")
        // The address sanitizer of `make nightly` keeps up to 256 MB of freed memory.
        let bound = isNightly ? 400_000 : 32_000
        for direction in ["down", "up", "paused"] {
            #expect(seen[direction]?["bytes"] == JSONValue(size))
            #expect(try #require(seen[direction]?["kB"]?.intValue) < bound, "\(direction)")
        }
    }

    /// FAULT 12: a form's parts are read as they are sent.
    @Test func memoryStaysConstantForAForm() async throws {
        let size = Int64(isNightly ? 1 << 30 : 256 << 20)
        let run = try await ProcessRun.of([ProcessRun.sibling("lupine-probe"), "form", "\(size)"])
        #expect(run.status == 0, "\(run.output)")
        let seen = try JSONValue(parsing: run.output)
        print("form: \(seen)")
        // The address sanitizer of `make nightly` keeps up to 256 MB of freed memory.
        let bound = isNightly ? 400_000 : 32_000
        #expect(try #require(seen["bytes"]?.intValue) > size)
        #expect(try #require(seen["sentKB"]?.intValue) < bound)
        #expect(try #require(seen["writtenKB"]?.intValue) < bound)
    }
}
