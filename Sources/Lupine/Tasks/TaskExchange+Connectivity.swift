internal import LupineCore

// A connection that could not be made because there is no network, for a request that waits for one.
extension TaskExchange {
    /// Whether a failure may be one of the network's, and the request waits for that.
    func mayWaitForConnectivity(after error: LupineError) -> Bool {
        mayWaitForConnectivity(after: error, completion?.delivery)
    }

    func mayWaitForConnectivity(after error: LupineError, _ delivery: RequestDelivery?) -> Bool {
        guard request.options.waitsForConnectivity, delivery == .unsent,
            path.connectivityWait.map({ $0 > .zero }) ?? true
        else { return false }
        // A link that is off or unplugged may drop what is sent, and say nothing.
        return switch error.code {
        case .couldNotConnect, .couldNotResolve, .proxyFailed, .timedOut: true
        default: false
        }
    }

    enum Connection {
        /// The network leads there: the failure is of another kind.
        case present
        case returned(TaskPath)
        case absent(LupineError)
        /// The task has ended.
        case abandoned
    }

    /// Waits for the network, if it leads nowhere near the host. While a decision is awaited.
    func connectivity(after error: LupineError) async -> Connection {
        let limit = path.connectivityWait ?? request.options.timeouts.connectivity
        // A name without a network is not looked up, and of a proxy nothing is known here.
        let host = error.code == .couldNotConnect || error.code == .timedOut ? request.url.host : nil
        let outcome = await Connectivity.wait(
            core.configuration.connectivity(host), limit: limit, clock: core.clock
        ) { [self] in
            // Not the host's doing.
            leaveCircuit(.unknown)
            task.tell(.waitingForConnectivity)
        }
        switch outcome {
        case .present:
            leaveCircuit(.fails)
            return .present
        case .returned(let waited):
            var path = path
            path.connectivityWait = limit.map { max(.zero, $0 - waited) }
            path.repeatUnsent()
            return .returned(path)
        case .absent: return .absent(unreachable(error))
        case .abandoned: return .abandoned
        }
    }

    private func unreachable(_ error: LupineError) -> LupineError {
        let host = request.url.host
        let limit = request.options.timeouts.connectivity.map { " for \($0.shortText)" } ?? ""
        return filled(
            LupineError(.notReachable, "no network led to \(host)\(limit)", host: host, underlying: error))
    }
}
