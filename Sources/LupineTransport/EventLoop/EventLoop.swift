internal import Glibc
internal import LupineCore

/// One thread that waits for many sockets: where every transfer runs.
///
/// A process has one, ``shared``, unless a session is given its own. No code of a user's runs on it, with one
/// opt-in: it is a `TaskExecutor`, so that tasks which mostly wait for requests can run where the answers arrive and
/// save a switch of threads each:
///
/// ```swift
/// await withTaskExecutorPreference(session.eventLoop) { … }
/// ```
///
/// What runs there must not block: all transfers of the loop wait meanwhile.
public final class EventLoop: TaskExecutor, Sendable {
    let core: LoopCore

    /// The process's loop. It starts with its first use and lives as long as the process.
    public static let shared = EventLoop(name: "lupine")

    /// A loop of one's own. Its thread ends when the last reference is gone.
    /// - Parameter name: the thread's name, 15 bytes at most. `lupine` by default.
    public init(name: String = "lupine") {
        core = LoopCore()
        core.start(name: name)
    }

    deinit { core.stop() }

    public func enqueue(_ job: consuming ExecutorJob) {
        core.submit(.job(UnownedJob(job), asUnownedTaskExecutor()))
    }

    /// Whether the caller is on the loop's thread.
    package var isCurrent: Bool { core.isCurrent }

    /// Runs `work` on the loop's thread, soon.
    package func execute(_ work: @escaping @Sendable () -> Void) { core.submit(.closure(work)) }
}

/// Something with work to do on the loop.
protocol LoopWork: AnyObject, Sendable {
    func runOnLoop()
}

/// Who waits for a descriptor. Called on the loop's thread only.
protocol DescriptorClient: AnyObject {
    /// The descriptor is ready, or broken.
    func ready(descriptor: Int32, events: UInt32)
    /// Whether nothing is under way on a descriptor that was to be quiet.
    func isUnused(_ descriptor: Int32) -> Bool
}

/// Something with deadlines, or work at the end of a round. Called on the loop's thread only.
protocol LoopClient: AnyObject {
    /// When ``endRound(now:)`` must be called although nothing happened.
    var deadline: MonotonicTime { get }
    /// Everything of the round is in: act on it together.
    func endRound(now: MonotonicTime)
    /// Whether ``endRound(now:)`` is already asked for; kept by the loop.
    var isDirty: Bool { get set }
}
