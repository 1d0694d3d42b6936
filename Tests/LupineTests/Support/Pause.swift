import Dispatch

extension Duration {
    /// Lets time pass where the passing itself is what is tested: a connection's idleness.
    func pass() async {
        let (seconds, attoseconds) = components
        let nanoseconds = Int(seconds) * 1_000_000_000 + Int(attoseconds / 1_000_000_000)
        await withCheckedContinuation { continuation in
            DispatchQueue.global().asyncAfter(deadline: .now() + .nanoseconds(nanoseconds)) { continuation.resume() }
        }
    }
}

/// Waits until something holds that nobody tells of. It looks again after a moment: a task that only yields keeps a thread from those
/// of a lower priority, and what it waits for may be one of them.
func until(_ holds: () -> Bool) async {
    while !holds() { await Duration.milliseconds(1).pass() }
}
