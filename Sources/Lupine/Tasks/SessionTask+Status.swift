internal import LupineCore
internal import LupineTransport

extension SessionTask {
    /// All of a task that changes, behind its lock.
    struct Status {
        var machine = TaskMachine()
        /// The exchange that runs, or waits to begin.
        var exchange: TaskExchange?
        var control: (any ExchangeControl)?
        /// What is over. Whoever waits for the task lets go of it: memory that another thread frees than the one that took it
        /// makes both wait for each other.
        var spentExchange: TaskExchange?
        var spentControl: (any ExchangeControl)?
        var pauses: PauseReasons = []
        /// Whether the transport pauses, as far as that is known, and whether somebody is about to tell it.
        var isPausedBelow: Bool? = false
        var isTellingPause = false

        var current: HTTPRequest?
        var response: HTTPResponse?
        var sent: TransferProgress
        var received = TransferProgress(completed: 0, total: nil)
        /// Of the present try.
        var receivedNow: Int64 = 0
        var hasBegun = false
        /// In the session's registry.
        var place: Int?
        var started: MonotonicTime?
        /// Rings when the time in all is over, while a decision or the next exchange is waited for.
        var alarm: Alarm?
        /// What runs while a decision is awaited of which nothing is wanted after the end.
        var decision: Task<Void, Never>?
        var decisionCount = 0
        /// What the exchanges before the last measured. The last one's figures are where it or the outcome has them.
        var transactions: [TransactionMetrics] = []
        var redirectCount = 0
        var ended: MonotonicTime?
        var outcome: Result<DataResponse, LupineError>?

        var priority: Float?
        var description: String?
        var listeners: [any TaskListener] = []
        /// Those that stay after the end.
        var kept: [any TaskListener] = []
        /// Who waits for the outcome, made and awaited in one.
        var waiter: UnsafeContinuation<Void, Never>?
        var completions: [@Sendable (SessionTask) -> Void] = []
        /// Whether a completion handler is to be called, after which the end is told to the session's observer.
        var hasHandler = false

        init(_ request: borrowing HTTPRequest) {
            sent = TransferProgress(completed: 0, total: request.statedBodyLength)
        }

        var metricsNow: TaskMetrics {
            var metrics = TaskMetrics()
            metrics.transactions = transactions
            if let last = exchange?.transaction ?? outcomeTransaction { metrics.transactions.append(last) }
            metrics.redirectCount = redirectCount
            metrics.duration = started.map { $0.duration(to: ended ?? .now()) } ?? .zero
            return metrics
        }

        private var outcomeTransaction: TransactionMetrics? {
            switch outcome {
            case .success(let answer):
                TransactionMetrics(
                    method: answer.request.method, url: answer.request.url, status: answer.status,
                    transfer: answer.metrics)
            case .failure, nil: nil
            }
        }

        mutating func end(with outcome: Result<DataResponse, LupineError>) {
            self.outcome = outcome
            ended = .now()
            // Not what the error tells: it may be another request's, which an interceptor made.
            if case .failure = outcome, let last = exchange?.transaction { transactions.append(last) }
        }

        mutating func notePause(for reason: PauseReasons) {
            pauses.insert(reason)
            // Whoever is telling the transport something else just now has to tell it again.
            isPausedBelow = isTellingPause ? nil : true
        }

        /// What a listener is told that comes only now.
        var present: [TaskEvent] {
            var events: [TaskEvent] = []
            if outcome == nil, hasBegun { events.append(machine.isSuspended ? .suspended : .resumed) }
            if let response { events.append(.response(response)) }
            if sent.completed > 0 { events.append(.sent(sent)) }
            if received.completed > 0 { events.append(.received(received)) }
            switch outcome {
            case .success: events.append(.completed(nil))
            case .failure(let error): events.append(.completed(error))
            case nil: break
            }
            return events
        }
    }

    /// Why reading pauses: any of them is enough.
    struct PauseReasons: OptionSet {
        let rawValue: UInt8
        /// The user said so.
        static let suspended = Self(rawValue: 1)
        /// A decision is awaited.
        static let decision = Self(rawValue: 2)
        /// Whoever reads the body has enough.
        static let reader = Self(rawValue: 4)
        /// The handlers have enough.
        static let handler = Self(rawValue: 8)
    }

    // MARK: Doing what the machine says

    /// Asks the machine, then does what it says.
    func perform(_ ask: (inout Status) -> TaskMachine.Action) {
        var isTurned = false, isSuspended = false
        var listeners: [any TaskListener] = []
        let action = status.withLock { status in
            let before = status.machine
            let action = ask(&status)
            if before.isSuspended != status.machine.isSuspended, status.machine.phase != .ended {
                isTurned = true
                listeners = status.listeners
                core.observer?.turned(self, status.machine.isSuspended)
                if status.machine.isSuspended {
                    status.pauses.insert(.suspended)
                } else {
                    status.pauses.remove(.suspended)
                }
            }
            isSuspended = status.machine.isSuspended
            return action
        }
        if isTurned { tell(isSuspended ? .suspended : .resumed, to: listeners) }
        self.do(action)
    }

    func `do`(_ action: TaskMachine.Action) {
        switch action {
        case .none: break
        case .begin: begin()
        case .pause, .unpause: applyPauses()
        case .cancel: status.withLock { $0.control }?.cancel()
        case .complete: complete(.failure(cancelledError))
        }
    }

    private var cancelledError: LupineError {
        let host = originalRequest.url.host
        return LupineError(.cancelled, "the request to \(host) was cancelled", host: host)
    }

    private func begin() {
        let (isFirst, waiting, priority) = status.withLock { status in
            defer { status.hasBegun = true }
            return (!status.hasBegun, status.exchange, status.priority)
        }
        let place = isFirst ? core.registry.begin(self) : nil
        if isFirst, place == nil {
            guard status.withLock({ $0.machine.exchangeEnded(.end) }) == .complete else { return }
            return complete(.failure(invalidatedError))
        }
        if let place { status.withLock { $0.place = place } }
        guard let exchange = waiting ?? firstExchange(priority) else { return }
        // Adapters may have cancelled or suspended the task, and others meanwhile: it is not sent then, or not yet.
        let turn = status.withLock { status -> TaskMachine.Action? in
            if status.machine.isCancelled { return status.machine.exchangeEnded(.end) }
            status.exchange = exchange
            status.alarm = nil
            status.current = exchange.request
            // Not where adapters were asked before.
            if status.started == nil { status.started = exchange.path.sendings.started }
            guard status.machine.isSuspended else { return nil }
            if exchange.path.isLimited { status.alarm = exchange.path.alarm { [weak self] in self?.expire($0) } }
            return status.machine.exchangeEnded(.again)
        }
        if let turn { return self.do(turn) }
        guard exchange.passes() else { return }
        adopt(core.transport.start(exchange.request, receiver: exchange), of: exchange)
    }

    private var invalidatedError: LupineError {
        let host = originalRequest.url.host
        return LupineError(.cancelled, "the session was invalidated before \(host) was asked", host: host)
    }

    /// Goes on to an exchange. `transition`: how the machine is told; `transaction`: what the last one measured.
    func goOn(
        _ path: TaskPath, telling event: TaskEvent?, after transaction: TransactionMetrics? = nil,
        _ transition: (inout TaskMachine, TaskMachine.Outcome) -> TaskMachine.Action
    ) {
        let next = TaskExchange(self, path, priority: status.withLock { $0.priority })
        // Before the next exchange can begin.
        reader?.reset()
        let (action, goesOn) = status.withLock { status in
            let action = transition(&status.machine, .again)
            // A task that has ended by now holds no exchange, which would hold it.
            guard status.machine.phase != .ended else { return (action, false) }
            let isReady = status.machine.phase == .ready
            status.alarm = isReady ? path.alarm { [weak self] in self?.expire($0) } : nil
            if let transaction { status.transactions.append(transaction) }
            status.exchange = next
            // That of an earlier try.
            status.response = nil
            status.redirectCount = path.followed
            status.receivedNow = 0
            return (action, true)
        }
        if goesOn, let event { tell(event) }
        self.do(action)
    }

    /// The task may be cancelled or suspended before the control is known, and the exchange over.
    private func adopt(_ control: any ExchangeControl, of exchange: TaskExchange) {
        let (isCancelled, mustTell) = status.withLock { status in
            guard status.exchange === exchange, exchange.completion == nil else { return (false, false) }
            status.control = control
            if case .fault = exchange.verdict { return (true, false) }
            return (status.machine.isCancelled, status.isPausedBelow == status.pauses.isEmpty)
        }
        if isCancelled { control.cancel() }
        if mustTell { applyPauses() }
    }

    // MARK: Pauses

    func pause(for reason: PauseReasons) {
        status.withLock { status in
            _ = status.pauses.insert(reason)
        }
        applyPauses()
    }

    /// The transport pauses by itself, since it is about to be told so by what a receiver returns: perhaps before its control
    /// is known.
    func notePause(for reason: PauseReasons) {
        status.withLock { $0.notePause(for: reason) }
    }

    func go(on reason: PauseReasons) {
        let hadReason = status.withLock { $0.pauses.remove(reason) != nil }
        if hadReason { applyPauses() }
    }

    /// Tells the transport whether to read. One thread at a time does, so that what it was told last is what holds.
    private func applyPauses() {
        while true {
            let order = status.withLock { status -> (control: any ExchangeControl, pauses: Bool)? in
                let pauses = !status.pauses.isEmpty
                guard !status.isTellingPause, status.isPausedBelow != pauses, let control = status.control else {
                    return nil
                }
                status.isTellingPause = true
                status.isPausedBelow = pauses
                return (control, pauses)
            }
            guard let order else { return }
            if order.pauses { order.control.pause() } else { order.control.resume() }
            status.withLock { $0.isTellingPause = false }
        }
    }

    // MARK: Telling

    func add(_ listener: some TaskListener) {
        status.withLock { status in
            // Under the lock: what happens from now on comes after the present.
            listener.add(status.present)
            if status.outcome == nil { status.listeners.append(listener) }
        }
    }

    func remove(_ listener: any TaskListener) {
        status.withLock { status in status.listeners.removeAll { $0 === listener } }
    }

    func tell(_ event: @autoclosure () -> TaskEvent) {
        tell(event(), to: status.withLock { $0.listeners })
    }

    /// The event is made only where somebody listens.
    func tell(_ event: @autoclosure () -> TaskEvent, to listeners: [any TaskListener]) {
        guard relay != nil || !listeners.isEmpty else { return }
        let event = event()
        relay?.add(event, of: self)
        for listener in listeners { listener.add([event]) }
    }

    // MARK: The end

    /// Called once, by whoever made the machine end.
    func complete(_ outcome: Result<DataResponse, LupineError>) {
        reader?.finish(outcome)
        let (waiter, completions, listeners, hasHandler, place, decision) = status.withLock { status in
            defer {
                status.spentExchange = status.waiter == nil ? nil : status.exchange
                if status.waiter == nil { status.spentControl = nil }
                status.waiter = nil
                status.completions = []
                status.listeners = []
                status.exchange = nil
                status.control = nil
                status.alarm = nil
                status.decision = nil
            }
            status.end(with: outcome)
            return (
                status.waiter, status.completions, status.listeners, status.hasHandler, status.place, status.decision
            )
        }
        decision?.cancel()
        core.registry.end(self, at: place)
        var error: LupineError?
        if case .failure(let failure) = outcome { error = failure }
        relay?.add(.completed(error), of: self)
        for listener in listeners { listener.add([.completed(error)]) }
        for completion in completions { completion(self) }
        waiter?.resume()
        if !hasHandler, let observer = core.observer { observer.finished(self, .init(error: error)) }
    }

    /// The time in all is over, and the next exchange has not begun.
    func expire(_ error: LupineError) {
        if status.withLock({ $0.machine.expire() }) == .complete { complete(.failure(error)) }
    }

    /// Begins, and waits for the end. Cancelling the Swift task cancels this one.
    func value() async throws(LupineError) -> DataResponse {
        await withTaskCancellationHandler {
            // Unsafe only in that it is not checked: `complete` takes it out, once.
            await withUnsafeContinuation { continuation in
                var isOver = false
                perform { status in
                    isOver = status.outcome != nil
                    if isOver { return .none }
                    status.waiter = continuation
                    return status.machine.resume()
                }
                if isOver { continuation.resume() }
            }
        } onCancel: {
            cancel()
        }
        await uploadProgressRelay?.drain()
        await downloadProgressRelay?.drain()
        letGo()
        return try outcome.get()
    }

    @inline(never)
    private func letGo() {
        _ = status.withLock { ($0.spentExchange.take(), $0.spentControl.take()) }
    }

    // Not inlined: what it needs for a moment would be part of each waiting task.
    /// How it ended.
    @inline(never)
    package var outcome: Result<DataResponse, LupineError> {
        status.withLock { $0.outcome } ?? .failure(cancelledError)
    }

    /// Has `completion` called once it has ended; at once when it has.
    ///
    /// - Parameter isHandler: it has the program's completion handler called, and then tells the session's observer.
    func whenCompleted(isHandler: Bool = false, _ completion: @escaping @Sendable (SessionTask) -> Void) {
        let isOver = status.withLock { status in
            if status.outcome == nil {
                status.completions.append(completion)
                if isHandler { status.hasHandler = true }
            }
            return status.outcome != nil
        }
        if isOver { completion(self) }
    }
}
