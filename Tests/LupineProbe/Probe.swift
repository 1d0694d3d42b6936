import Lupine

/// Measures what a test can see only in a process of its own, and prints it as JSON.
///
///     lupine-probe resolver       where the resolver is mute: scripts/mute-resolver runs it there
///     lupine-probe bodies BYTES   the peak of memory while large bodies go down and up
@main
struct Probe {
    static func main() async throws {
        let arguments = CommandLine.arguments.dropFirst()
        switch arguments.first {
        case "resolver": print(try await ResolverProbe().run())
        case "bodies": print(try await BodiesProbe(size: Int64(arguments.last ?? "") ?? 0).run())
        default: print("usage: lupine-probe resolver | bodies BYTES")
        }
    }
}

extension Duration {
    var milliseconds: Double {
        Double(components.seconds) * 1000 + Double(components.attoseconds) / 1_000_000_000_000_000
    }
}
