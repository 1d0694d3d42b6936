internal import Glibc
internal import LupineCore

/// SIGINT and SIGTERM: the first cancels what runs, which then ends in order; the second ends the process at once.
final class Interruption: Sendable {
    private struct State {
        var signal: Int32?
        var cancel: (@Sendable () -> Void)?
    }
    private let state = Lock(State())
    private static let signals = [SIGINT, SIGTERM]

    /// Takes the signals away from this thread and from all that it will start, which ``wait()`` then gets. To be called
    /// before other threads exist.
    func begin() {
        // Shells start what stands before "&" in a script with SIGINT ignored; a transfer is to be stopped in order all
        // the same.
        signal(SIGINT, SIG_DFL)
        Self.change(SIG_BLOCK, Self.signals)
        // A write to a pipe that nobody reads fails instead, so that files can be tidied up.
        signal(SIGPIPE, SIG_IGN)
    }

    /// Waits for signals on the calling thread for as long as the process runs. Nothing else of the runtime may have
    /// this thread: Dispatch, given the main one, lets all signals through there.
    func wait() -> Never {
        var signals = Self.set(Self.signals)
        var first: Int32 = 0
        while sigwait(&signals, &first) != 0 {}
        let number = first
        let cancel = state.withLock { state in
            state.signal = number
            return state.cancel
        }
        cancel?()
        // The process ends meanwhile, unless it is stuck in a write that nobody reads.
        var grace = timespec(tv_sec: 2, tv_nsec: 0)
        while sigtimedwait(&signals, nil, &grace) < 0, errno == EINTR {}
        _exit(ExitStatus.signal(number))
    }

    /// Runs work that a signal cancels.
    ///
    /// - Returns: the exit status.
    func run(_ work: @escaping @Sendable () async -> Int32) async -> Int32 {
        let task = Task { await work() }
        let isLate = state.withLock { state in
            state.cancel = { task.cancel() }
            return state.signal != nil
        }
        if isLate { task.cancel() }
        let status = await task.value
        // What was finished all the same is finished.
        guard let signal = state.withLock(\.signal), status != ExitStatus.success else { return status }
        return ExitStatus.signal(signal)
    }

    /// Ends as a program does that writes to a closed pipe: by SIGPIPE, quietly.
    static func endByClosedPipe() -> Int32 {
        signal(SIGPIPE, SIG_DFL)
        change(SIG_UNBLOCK, [SIGPIPE])
        raise(SIGPIPE)
        return ExitStatus.closedPipe
    }

    private static func set(_ numbers: [Int32]) -> sigset_t {
        var set = sigset_t()
        sigemptyset(&set)
        for number in numbers { sigaddset(&set, number) }
        return set
    }

    private static func change(_ how: Int32, _ numbers: [Int32]) {
        var signals = set(numbers)
        pthread_sigmask(how, &signals, nil)
    }
}
