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
