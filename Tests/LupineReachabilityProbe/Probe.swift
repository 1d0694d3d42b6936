import Dispatch
import Glibc
import LupineReachability

/// Prints the status of the default route, or of a host, and each change of it, until its input ends.
///
///     lupine-reachability-probe [HOST]
///
/// For a line of input it prints how often the monitor's thread has woken up, and how often it went to sleep by the kernel's count.
@main
struct Probe {
    static func main() {
        let manager = CommandLine.arguments.dropFirst().first.map(NetworkReachabilityManager.init(host:)) ?? .shared
        manager.startMonitoring(queue: DispatchQueue(label: "probe")) { tell("\($0)") }
        while readLine() != nil { tell("wake-ups \(NetworkMonitor.shared.counts.wakeUps) sleeps \(sleeps())") }
        manager.stopMonitoring()
    }

    /// At once, whatever the output is.
    private static func tell(_ line: String) {
        let bytes = Array("\(line)\n".utf8)
        _ = write(1, bytes, bytes.count)
    }

    /// Of the monitor's thread, from `/proc`.
    private static func sleeps() -> Int {
        guard let threads = opendir("/proc/self/task") else { return -1 }
        defer { closedir(threads) }
        while let entry = readdir(threads) {
            let name = withUnsafeBytes(of: entry.pointee.d_name) {
                String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
            }
            let lines = text("/proc/self/task/\(name)/status").split(separator: "\n")
            guard lines.first?.hasSuffix("lupine-network") == true else { continue }
            let count = lines.first { $0.hasPrefix("voluntary_ctxt_switches") }
            return Int(count?.split(separator: "\t").last ?? "") ?? -1
        }
        return -1
    }

    private static func text(_ path: String) -> String {
        let file = open(path, O_RDONLY)
        guard file >= 0 else { return "" }
        defer { close(file) }
        var bytes = [UInt8](repeating: 0, count: 8192)
        let count = read(file, &bytes, bytes.count)
        return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
    }
}
