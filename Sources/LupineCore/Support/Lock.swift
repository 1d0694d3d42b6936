internal import Glibc

/// A value behind a mutex.
///
/// The one lock of the project, over `pthread_mutex_t`: `Synchronization.Mutex` is invisible to the thread
/// sanitizer of the toolchain, which then reports correct code as racing. Nothing of a user's runs inside
/// ``withLock(_:)``. Copies of the lock are the same lock.
package struct Lock<State: ~Copyable>: @unchecked Sendable {
    // Safe to share: the state is reached only between lock and unlock of the mutex beside it.
    private let storage: LockStorage<State>

    package init(_ state: consuming sending State) { storage = LockStorage.holding(state) }

    package func withLock<Result: ~Copyable, Failure: Error>(
        _ body: (inout sending State) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
        let state = storage.lock()
        defer { storage.unlock() }
        return try body(&state.pointee)
    }
}

/// Mutex and state in one allocation, at one address from init to deinit.
private final class LockStorage<State: ~Copyable>: ManagedBuffer<pthread_mutex_t, State> {
    static func holding(_ state: consuming State) -> LockStorage {
        let made = create(minimumCapacity: 1) { _ in pthread_mutex_t() }
        // `create` makes an object of the class it is called on.
        let storage = unsafeDowncast(made, to: LockStorage.self)
        storage.withUnsafeMutablePointerToHeader { _ = pthread_mutex_init($0, nil) }
        storage.withUnsafeMutablePointerToElements { $0 }.initialize(to: state)
        return storage
    }

    deinit {
        withUnsafeMutablePointers { mutex, state in
            state.deinitialize(count: 1)
            pthread_mutex_destroy(mutex)
        }
    }

    /// - Returns: where the state is; valid until ``unlock()``.
    func lock() -> UnsafeMutablePointer<State> {
        withUnsafeMutablePointers { mutex, state in
            pthread_mutex_lock(mutex)
            return state
        }
    }

    func unlock() { withUnsafeMutablePointerToHeader { _ = pthread_mutex_unlock($0) } }
}
