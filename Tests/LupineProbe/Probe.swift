import FoundationEssentials
import Lupine

/// Measures what a test can see only in a process of its own, and prints it as JSON.
///
///     lupine-probe resolver       where the resolver is mute: scripts/mute-resolver runs it there
///     lupine-probe bodies BYTES   the peak of memory while large bodies go down and up
///     lupine-probe form BYTES     the same for a multipart form
///     lupine-probe connectivity   where a test takes the network away, and gives it back
@main
struct Probe {
    static func main() async throws {
        let arguments = CommandLine.arguments.dropFirst()
        switch arguments.first {
        case "resolver": print(try await ResolverProbe().run())
        case "bodies": print(try await BodiesProbe(size: Int64(arguments.last ?? "") ?? 0).run())
        case "form": print(try await FormProbe(size: Int64(arguments.last ?? "") ?? 0).run())
        case "connectivity": try await ConnectivityProbe().run()
        default: print("usage: lupine-probe resolver | bodies BYTES | form BYTES | connectivity")
        }
    }

    /// The largest resident set so far, in kB. Not `getrusage`'s: that counts the parent's, from before this program.
    static func peak() -> Int {
        guard let status = try? String(contentsOf: URL(filePath: "/proc/self/status"), encoding: .utf8) else {
            return 0
        }
        let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
        return line.flatMap { Int($0.split(separator: " ").dropLast().last?.split(separator: "\t").last ?? "") } ?? 0
    }
}

extension Duration {
    var milliseconds: Double {
        Double(components.seconds) * 1000 + Double(components.attoseconds) / 1_000_000_000_000_000
    }
}
