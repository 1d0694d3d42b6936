public import Glibc

/// A value behind a mutex.
///
/// The one lock of the project, over `pthread_mutex_t`: `Synchronization.Mutex` is invisible to the thread
/// sanitizer of the toolchain, which then reports correct code as racing. Nothing of a user's runs inside
/// ``withLock(_:)``. Copies of the lock are the same lock.
///
/// Public for the optimizer alone, and not exported by `Lupine`: across modules it left the `package` form generic, which looks
/// types up at run time, and that costs more than the mutex.
public struct Lock<State: ~Copyable>: @unchecked Sendable {
    // Safe to share: the state is reached only between lock and unlock of the mutex beside it.
    public let storage: LockStorage<State>

    @inlinable
    public init(_ state: consuming sending State) { storage = LockStorage.holding(state) }

    /// Runs `body` with the state, alone.
    @inlinable
    public func withLock<Result: ~Copyable, Failure: Error>(
        _ body: (inout sending State) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
        let state = storage.lock()
        defer { storage.unlock() }
        return try body(&state.pointee)
    }
}

/// Mutex and state in one allocation, at one address from init to deinit.
public final class LockStorage<State: ~Copyable>: ManagedBuffer<pthread_mutex_t, State> {
    /// A new mutex around a state.
    @inlinable
    public static func holding(_ state: consuming State) -> LockStorage {
        let made = create(minimumCapacity: 1) { _ in pthread_mutex_t() }
        // `create` makes an object of the class it is called on.
        let storage = unsafeDowncast(made, to: LockStorage.self)
        storage.withUnsafeMutablePointerToHeader { _ = pthread_mutex_init($0, nil) }
        storage.withUnsafeMutablePointerToElements { $0 }.initialize(to: state)
        return storage
    }

    @inlinable
    deinit {
        withUnsafeMutablePointers { mutex, state in
            _ = state.move()
            pthread_mutex_destroy(mutex)
        }
    }

    /// - Returns: where the state is; valid until ``unlock()``.
    @inlinable
    public func lock() -> UnsafeMutablePointer<State> {
        withUnsafeMutablePointers { mutex, state in
            pthread_mutex_lock(mutex)
            return state
        }
    }

    /// Ends what ``lock()`` began.
    @inlinable
    public func unlock() { withUnsafeMutablePointerToHeader { _ = pthread_mutex_unlock($0) } }
}
