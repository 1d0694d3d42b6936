internal import Dispatch
internal import Glibc
internal import LupineCore

/// SIGINT and SIGTERM: the first cancels what runs, which then ends in order; the second ends the process.
final class Interruption: Sendable {
    private struct State {
        var signal: Int32?
        var cancel: (@Sendable () -> Void)?
    }
    private let state = Lock(State())

    /// The signal that came first.
    var signal: Int32? { state.withLock(\.signal) }

    /// Takes both signals away from every thread, those of later among them, and gives them to one that waits for them.
    /// To be called before other threads exist.
    func begin() {
        // Shells start what stands before "&" in a script with SIGINT ignored; a transfer is to be stopped in order all the same.
        Glibc.signal(SIGINT, SIG_DFL)
        var signals = sigset_t()
        sigemptyset(&signals)
        sigaddset(&signals, SIGINT)
        sigaddset(&signals, SIGTERM)
        pthread_sigmask(SIG_BLOCK, &signals, nil)
        // A write to a pipe that nobody reads fails instead, so that files can be tidied up.
        Glibc.signal(SIGPIPE, SIG_IGN)
        let set = signals
        let thread = DispatchQueue(label: "lupine.signals")
        thread.async { self.waitForSignals(set) }
    }

    private func waitForSignals(_ signals: sigset_t) {
        var signals = signals
        while true {
            var number: Int32 = 0
            guard sigwait(&signals, &number) == 0 else { continue }
            let (isSecond, cancel) = state.withLock { state in
                defer { state.signal = state.signal ?? number }
                return (state.signal != nil, state.cancel)
            }
            if isSecond { _exit(ExitStatus.signal(number)) }
            cancel?()
        }
    }

    /// Runs a task that a signal cancels.
    func run(_ work: @escaping @Sendable () async -> Int32) async -> Int32 {
        let task = Task { await work() }
        let isLate = state.withLock { state in
            state.cancel = { task.cancel() }
            return state.signal != nil
        }
        if isLate { task.cancel() }
        let status = await task.value
        // What was finished all the same is finished.
        guard let signal, status != ExitStatus.success else { return status }
        return ExitStatus.signal(signal)
    }

    /// Ends as a program does that writes to a closed pipe: by SIGPIPE, quietly.
    static func endByClosedPipe() -> Int32 {
        Glibc.signal(SIGPIPE, SIG_DFL)
        raise(SIGPIPE)
        return ExitStatus.closedPipe
    }
}
