internal import LupineReachability

/// Waiting for a network, through ``NetworkReachabilityManager``.
enum Connectivity {
    /// Whether the network leads to a host, or, by `nil`, to anything beyond this machine: now, and at each change. Ends where
    /// nobody can tell.
    @Sendable static func watch(_ host: String?) -> AsyncStream<Bool> {
        let manager = host.map { NetworkReachabilityManager(host: $0) } ?? NetworkReachabilityManager()
        let (stream, continuation) = AsyncStream.makeStream(of: Bool.self, bufferingPolicy: .bufferingNewest(1))
        let watching = Task {
            for await status in manager.statuses where status != .unknown { continuation.yield(status.isReachable) }
            continuation.finish()
        }
        continuation.onTermination = { _ in watching.cancel() }
        return stream
    }

    enum Outcome {
        /// It is there, or nobody can tell.
        case present
        /// It was not there, and came back after so long.
        case returned(after: Duration)
        /// It did not come in time.
        case absent
        /// Whoever waited was cancelled.
        case abandoned
    }

    /// Waits until one of `changes` is `true`, if the first is not.
    ///
    /// - Parameters:
    ///   - limit: at most so long, by the clock. `nil`: as long as it takes.
    ///   - begin: called where there is something to wait for.
    static func wait(
        _ changes: AsyncStream<Bool>, limit: Duration?, clock: SessionClock, begin: @escaping @Sendable () -> Void
    ) async -> Outcome {
        let start = clock.elapsed()
        return await withTaskGroup(of: Outcome?.self) { group in
            group.addTask {
                var waits = false
                for await isThere in changes {
                    if isThere { return waits ? .returned(after: clock.elapsed() - start) : .present }
                    if !waits { begin() }
                    waits = true
                }
                return Task.isCancelled ? nil : .present
            }
            if let limit {
                group.addTask {
                    do { try await clock.sleep(limit) } catch { return nil }
                    return .absent
                }
            }
            defer { group.cancelAll() }
            for await outcome in group { if let outcome { return outcome } }
            return .abandoned
        }
    }
}
