import Dispatch
import LupineLock
import LupineTesting

@testable import LupineReachability

/// What a manager told, in its order, and a queue of its own for that.
final class Heard: Sendable {
    let queue = DispatchQueue(label: "heard")
    private struct State {
        var all: [NetworkReachabilityStatus] = []
        var gates: [(count: Int, gate: Gate)] = []
    }
    private let state = Lock(State())

    var all: [NetworkReachabilityStatus] { state.withLock(\.all) }

    /// What has been told once everything that was under way is.
    var settled: [NetworkReachabilityStatus] { queue.sync { all } }

    func note(_ status: NetworkReachabilityStatus) {
        let reached = state.withLock { state in
            state.all.append(status)
            return state.gates.filter { $0.count <= state.all.count }.map(\.gate)
        }
        for gate in reached { gate.open() }
    }

    /// Waits until so much has been told.
    func count(_ count: Int) async throws {
        let gate = Gate()
        let isThere = state.withLock { state in
            state.gates.append((count, gate))
            return state.all.count >= count
        }
        if !isThere { try await gate.opened() }
    }
}

extension NetworkReachabilityManager {
    /// Its changes from now on.
    func heard() -> Heard {
        let heard = Heard()
        startMonitoring(queue: heard.queue) { heard.note($0) }
        return heard
    }

    convenience init(
        _ target: ReachabilityTarget = .defaultRoute, news: ScriptedNews,
        resolve: @escaping @Sendable (String) -> HostLookup = { _ in .unknownName }
    ) { self.init(target, environment: Environment(news: news, resolve: resolve)) }
}
