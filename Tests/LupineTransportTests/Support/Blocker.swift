import Dispatch

/// Holds one thread, until it is released.
final class Blocker: Sendable {
    private let semaphore = DispatchSemaphore(value: 0)

    func block(_ isBlocking: () -> Void = {}) {
        isBlocking()
        semaphore.wait()
    }

    func release() { semaphore.signal() }
}
