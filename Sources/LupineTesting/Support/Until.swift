internal import Dispatch

/// Waits until something holds that nobody tells of. It looks again after a moment: a task that only yields keeps a thread from those
/// of a lower priority, and what it waits for may be one of them.
package func until(_ holds: () -> Bool) async {
    while !holds() {
        await withCheckedContinuation { continuation in
            DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(1)) { continuation.resume() }
        }
    }
}
