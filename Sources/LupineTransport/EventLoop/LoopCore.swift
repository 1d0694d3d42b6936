internal import CLupineLinux
internal import Dispatch
internal import Glibc
internal import LupineCore

/// The loop behind ``EventLoop``: what its thread runs. Kept apart so that the thread holds no reference to
/// the public object, whose end stops it.
final class LoopCore: @unchecked Sendable {
    // Safe to share: `inbox` is locked; `name` and `thread` are written once, before `start` returns; everything else that
    // changes, the poller with it, is touched by the loop's thread only.

    enum Item {
        case job(UnownedJob, UnownedTaskExecutor)
        case work(any LoopWork)
        case closure(@Sendable () -> Void)
    }

    private struct Inbox {
        var items: [Item] = []
        /// The thread waits, or is about to: the next submission must wake it. Set by the thread, cleared by
        /// whoever wakes it, so that a batch costs one write.
        var isSleeping = false
        var isStopped = false
        /// The thread has ended: nobody takes items any more.
        var isOver = false
    }

    /// libidn2 reads host names in the thread's encoding, whatever the process's. One for all loops, never freed.
    nonisolated(unsafe) private static let utf8 = lupine_utf8_locale()  // only ever read

    /// In nanoseconds.
    private static let justNow: UInt64 = 50_000

    private let inbox = Lock(Inbox())
    private let wake = lupine_eventfd_create()
    private var thread = pthread_t()
    private var name = ""
    private let started = DispatchSemaphore(value: 0)

    // The thread's own. Unchecked for exclusive access, which costs more than most of these accesses do themselves: while
    // one of them is changed only its own methods run, and they do not come back here.
    @exclusivity(unchecked) private var local: [Item] = []
    @exclusivity(unchecked) private var spare: [Item] = []
    @exclusivity(unchecked) private var dirty: [any LoopClient] = []
    @exclusivity(unchecked) private var spareDirty: [any LoopClient] = []
    @exclusivity(unchecked) private var clients: [any LoopClient] = []
    @exclusivity(unchecked) var poller = Poller(epoll: lupine_epoll_create())
    /// When the last wait ended.
    private(set) var wakeTime = MonotonicTime(nanoseconds: 0)
    /// When the last event was handed on: near enough to now for what happens in consequence, and read once for all of it.
    private(set) var eventTime = MonotonicTime.now()

    func start(name: String) {
        self.name = name
        var created = pthread_t()
        let result = pthread_create(&created, nil, loopThread, Unmanaged.passRetained(self).toOpaque())
        // Without its thread a loop can run nothing, not even an error's way back.
        precondition(result == 0, "cannot start the event loop's thread: \(String(cString: strerror(result)))")
        pthread_detach(created)
        started.wait()
    }

    var isCurrent: Bool { pthread_equal(thread, pthread_self()) != 0 }

    func submit(_ item: Item) {
        if isCurrent { return local.append(item) }
        let mustWake = inbox.withLock { inbox in
            // What comes later speaks of exchanges that have ended; kept, it would keep them.
            guard !inbox.isOver else { return false }
            inbox.items.append(item)
            defer { inbox.isSleeping = false }
            return inbox.isSleeping
        }
        if mustWake { signal() }
    }

    // Not where the thread ends: a number written to after that could be another file's.
    deinit { _ = close(wake) }

    func stop() {
        inbox.withLock { $0.isStopped = true }
        signal()
    }

    private func signal() {
        var one: UInt64 = 1
        _ = write(wake, &one, 8)
    }

    // MARK: For clients, on the thread

    func attach(_ client: any LoopClient) { clients.append(client) }
    func detach(_ client: any LoopClient) { clients.removeAll { $0 === client } }

    func noteTime() { eventTime = .now() }

    /// Asks for ``LoopClient/endRound(now:)`` in this round.
    func markDirty(_ client: any LoopClient) {
        guard !client.isDirty else { return }
        client.isDirty = true
        dirty.append(client)
    }

    // MARK: The thread

    fileprivate func run() {
        thread = pthread_self()
        lupine_name_thread(name)
        lupine_use_locale(Self.utf8)
        started.signal()
        // By edges: each writing ends a wait, and nothing needs to be read.
        poller.want(UInt32(LUPINE_EPOLLIN | LUPINE_EPOLLET), on: wake, for: WakeClient())
        while true {
            // Rounds follow each other while they make work: an answer's task may submit the next request at once. Every
            // few rounds the sockets are asked too, so that a flood of jobs starves nobody.
            var rounds = 0
            while takeItems() || !dirty.isEmpty, rounds < 16 {
                endRound()
                rounds += 1
            }
            poller.flush()
            let (isOver, milliseconds) = sleepTime()
            if isOver { break }
            askSockets(milliseconds: milliseconds)
            for client in clients where client.deadline <= wakeTime { markDirty(client) }
        }
        poller.free()
    }

    private func askSockets(milliseconds: Int32) {
        let count = poller.wait(milliseconds: milliseconds)
        wakeTime = .now()
        eventTime = wakeTime
        if milliseconds != 0 { inbox.withLock { $0.isSleeping = false } }
        for index in 0..<count {
            guard let (descriptor, events, client) = poller.take(index) else { continue }
            client.ready(descriptor: descriptor, events: events)
        }
    }

    /// Runs what was submitted. False when there was nothing.
    private func takeItems() -> Bool {
        swap(&local, &spare)
        inbox.withLock { inbox in
            if spare.isEmpty {
                swap(&spare, &inbox.items)
            } else {
                spare += inbox.items
                inbox.items.drain()
            }
        }
        guard !spare.isEmpty else { return false }
        // What came over a kept connection before a request was submitted is not taken for its answer. It may have come since
        // the sockets were asked, if that was not just now.
        if MonotonicTime.now().nanoseconds &- wakeTime.nanoseconds > Self.justNow {
            poller.flush()
            askSockets(milliseconds: 0)
        }
        for item in spare {
            switch item {
            case .job(let job, let executor): job.runSynchronously(on: executor)
            case .work(let work): work.runOnLoop()
            case .closure(let closure): closure()
            }
        }
        spare.drain()
        return true
    }

    /// Limits of time are judged by the moment at which the sockets were last asked: what has arrived since may be
    /// what they wait for.
    private func endRound() {
        guard !dirty.isEmpty else { return }
        swap(&dirty, &spareDirty)
        for client in spareDirty {
            client.isDirty = false
            client.endRound(now: wakeTime)
        }
        spareDirty.drain()
    }

    /// How long to wait: 0 when something is left to do, -1 for ever. Or whether to end: once stopped, and with nothing
    /// left to do.
    private func sleepTime() -> (isOver: Bool, milliseconds: Int32) {
        let hasWork = !local.isEmpty || !dirty.isEmpty
        let (isOver, isIdle) = inbox.withLock { inbox in
            let isIdle = inbox.items.isEmpty && !hasWork
            inbox.isOver = inbox.isStopped && isIdle
            inbox.isSleeping = isIdle && !inbox.isOver
            return (inbox.isOver, isIdle)
        }
        guard isIdle else { return (false, 0) }
        var next = MonotonicTime.distantFuture
        for client in clients { next = min(next, client.deadline) }
        guard next != .distantFuture else { return (isOver, -1) }
        return (isOver, Int32(clamping: MonotonicTime.now().milliseconds(until: next)))
    }
}

extension Array {
    /// Empty, with its room kept. For few elements less work than `removeAll(keepingCapacity:)`, which knows ranges.
    mutating func drain() {
        while popLast() != nil {}
    }
}

/// The eventfd that ends a wait.
private final class WakeClient: DescriptorClient {
    func ready(descriptor: Int32, events: UInt32) {}
    func isUnused(_ descriptor: Int32) -> Bool { false }
}

private func loopThread(_ context: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    guard let context else { return nil }
    // A peer that closes early must be an error code, not a signal that ends the process.
    var signals = sigset_t()
    sigemptyset(&signals)
    sigaddset(&signals, SIGPIPE)
    pthread_sigmask(SIG_BLOCK, &signals, nil)
    Unmanaged<LoopCore>.fromOpaque(context).takeRetainedValue().run()
    return nil
}
