internal import Glibc

/// A value behind a mutex whose changes a thread can wait for.
///
/// For threads only: what a task waits for stands in ``Watched``.
final class Condition<State: Sendable>: @unchecked Sendable {
    // Safe to share: `state` is reached only while the mutex is held; mutex and condition live at one address from
    // init to deinit.
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    private let condition: UnsafeMutablePointer<pthread_cond_t>
    private var state: State

    init(_ state: State) {
        mutex = .allocate(capacity: 1)
        condition = .allocate(capacity: 1)
        pthread_mutex_init(mutex, nil)
        pthread_cond_init(condition, nil)
        self.state = state
    }

    deinit {
        pthread_cond_destroy(condition)
        pthread_mutex_destroy(mutex)
        condition.deallocate()
        mutex.deallocate()
    }

    /// Changes the value and wakes who waits.
    func update<Result, Failure: Error>(_ body: (inout State) throws(Failure) -> Result) throws(Failure) -> Result {
        pthread_mutex_lock(mutex)
        defer {
            pthread_cond_broadcast(condition)
            pthread_mutex_unlock(mutex)
        }
        return try body(&state)
    }

    /// Blocks until `isReached` is true of the value.
    func wait(until isReached: (State) -> Bool) {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        while !isReached(state) { pthread_cond_wait(condition, mutex) }
    }
}
