internal import Lupine
internal import LupineReachability

/// What the network allows now: a line on standard output, with `--watch` one for each change.
struct ReachabilityCommand {
    let arguments: ReachabilityArguments
    let console: Console

    /// - Returns: the exit status.
    /// - Throws: ``LupineError`` with `not-reachable`: also where it cannot be told.
    func run() async throws -> Int32 {
        let manager = arguments.host.map(NetworkReachabilityManager.init(host:)) ?? NetworkReachabilityManager()
        var last = NetworkReachabilityStatus.unknown
        for await status in manager.statuses {
            last = status
            try await console.write("\(status)\n")
            if !arguments.watches { break }
        }
        if arguments.watches, Task.isCancelled { throw CancellationError() }
        switch last {
        case .reachable: return ExitStatus.success
        case .notReachable: throw LupineError(.notReachable, reason, host: arguments.host)
        case .unknown:
            throw LupineError(
                .notReachable, "the kernel does not tell what it knows of the network (no netlink socket)",
                host: arguments.host)
        }
    }

    private var reason: String {
        guard let host = arguments.host else {
            return "no link with an address has a default route that leads out; see: ip address, ip route"
        }
        return "nothing leads to \(host.visible), or its name cannot be looked up; see: ip route, getent ahosts"
    }
}
