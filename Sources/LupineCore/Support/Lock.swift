internal import Glibc

/// A value behind a mutex.
///
/// The one lock of the project, over `pthread_mutex_t`: `Synchronization.Mutex` is invisible to the thread
/// sanitizer of the toolchain, which then reports correct code as racing. Nothing of a user's runs inside
/// ``withLock(_:)``.
package final class Lock<State: ~Copyable>: @unchecked Sendable {
    // Safe to share: `state` is reached only between lock and unlock of the mutex, which lives at one address
    // from init to deinit.
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    private var state: State

    package init(_ state: consuming sending State) {
        mutex = .allocate(capacity: 1)
        pthread_mutex_init(mutex, nil)
        self.state = state
    }

    deinit {
        pthread_mutex_destroy(mutex)
        mutex.deallocate()
    }

    package func withLock<Result: ~Copyable, Failure: Error>(
        _ body: (inout sending State) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return try body(&state)
    }
}
