internal import Dispatch
internal import FoundationEssentials
internal import LupineCore

/// One exchange of a task: the receiver below, the task above.
final class TaskExchange: ExchangeReceiver, @unchecked Sendable {
    // Safe to share: `task`, `path` and `request` never change. `verdict`, `isAsking`, `isRuled`, `completion` and `held` change
    // under the task's lock. `pass` is set before the transport begins. It and the rest are the transport's, one call at a time, until
    // that has told the end, and then whoever concludes, or weighs the end in its place: one thread at a time, since of the end and the
    // verdict one comes second, by that lock. While the user is asked the transport leaves
    // `body` alone, and `response`, `expectedLength` and `isCounted` as they are; whoever settles, of which there is one by that
    // lock, reads these and fills that.

    /// What is to become of what comes.
    enum Verdict {
        /// No head has come.
        case open
        /// The user is being asked.
        case deciding
        /// It is the task's answer.
        case answer
        /// It is not: the task goes on with another request.
        case follow(HTTPRequest)
        /// It is not: the request is tried again.
        case retry(LupineError, after: Duration)
        /// It cannot be the answer.
        case fault(LupineError)
    }

    let task: SessionTask
    let path: TaskPath
    /// As it is sent.
    let request: HTTPRequest

    var verdict = Verdict.open
    /// Whether the user, or who was asked by the head, has ended it: nobody is asked any more.
    private(set) var isRuled = false
    /// Whether the user's decision is still of interest.
    private var isAsking = false
    var completion: ExchangeCompletion?
    /// With what it passed its host's circuit. Set before it starts, and taken at its end or after it.
    var pass: CircuitPass?
    /// How it ended, while that is weighed.
    var ended: Result<DataResponse, LupineError>?

    // Unchecked for exclusive access: while one of them is changed only its own methods run.
    @exclusivity(unchecked) var response: HTTPResponse?
    /// Of the body, as the head states it.
    private var expectedLength: Int64?
    /// Whether the body counts as progress.
    private var isCounted = true
    @exclusivity(unchecked) var body = BodyBuffer()
    @exclusivity(unchecked) var trailers = HTTPHeaders()
    private var skipped = 0
    /// Of the body, while the user is being asked. Under the task's lock.
    private var held = Data()

    /// Memory set aside at once for a body whose length the head states, at most.
    private static let largestReservation = 1 << 24
    /// Of a body that nobody wants so much is read, to keep the connection; for more than that a new one costs less.
    private static let largestSkip = 64 << 10
    private static let longestSkip = DispatchTimeInterval.seconds(1)

    init(_ task: SessionTask, _ path: TaskPath, priority: Float?) {
        self.task = task
        self.path = path
        var request = path.request
        if let priority { request.options.priority = priority }
        task.core.dress(&request)
        self.request = request
    }

    deinit {
        // Cancelled before the network was asked.
        leaveCircuit(.unknown)
    }

    var core: SessionCore { task.core }
    var renewsBody: Bool { task.handlers?.newBody != nil }

    // MARK: The transport

    func didSend(_ sent: Int64) { task.note(sent: sent) }

    func didReceive(informational response: HTTPResponse) { task.tell(.informational(response)) }

    func didReceive(head response: HTTPResponse) {
        self.response = response
        expectedLength = response.expectedBodyLength
        isCounted = !isUncounted(response)
        // A stream may go on for long: its head speaks for the host.
        if task.reader != nil { leaveCircuit(ExchangeCompletion()) }
        core.learn(from: response, to: request)
        let mayGetBody = renewsBody || task.handlers?.redirect != nil
        switch path.step(after: response, core: core, mayGetBody: mayGetBody) {
        case .answer: judge(response)
        case .refuse(let error): rule(.fault(error))
        case .follow(let next):
            guard let decide = task.handlers?.redirect else {
                rule(.follow(next))
                return
            }
            ask { [self] in
                if let chosen = try await decide(task, response, next) {
                    guard renewsBody || !path.hasSpent(chosen.body) else { throw request.spentBodyRefusal }
                    return .follow(task.completed(chosen, insteadOf: next))
                }
                return try await judgement(of: response)
            }
        }
    }

    /// What the user says to an answer, if asked.
    private func judge(_ response: HTTPResponse) {
        if task.reader == nil, let length = expectedLength, length > 0 {
            body.reserve(Int(min(length, Int64(Self.largestReservation))))
        }
        guard task.handlers?.response != nil || mustWeigh(response) else { return accept(response) }
        ask { [self] in try await judgement(of: response) }
    }

    private func judgement(of response: HTTPResponse) async throws -> Verdict {
        if mustWeigh(response), let verdict = await weigh(head: response) { return verdict }
        guard let decide = task.handlers?.response, try await decide(task, response) == .cancel else { return .answer }
        let host = task.originalRequest.url.host
        return .fault(LupineError(.cancelled, "the answer of \(host) was declined after its head", host: host))
    }

    func didReceive(body bytes: UnsafeRawBufferPointer) -> ExchangeFlow {
        let (place, noted) = task.status.withLock { status -> (Place, SessionTask.Noted?) in
            switch verdict {
            case .follow, .retry, .fault: return (.nowhere, nil)
            case .deciding:
                // What was read before the pause took effect. It is nobody's until the user has decided.
                held.append(bytes.assumingMemoryBound(to: UInt8.self))
                status.notePause(for: .decision)
                return (.held, nil)
            case .open, .answer:
                return (.answer, isCounted ? status.note(received: bytes.count, total: expectedLength) : nil)
            }
        }
        switch place {
        case .answer:
            return deliver(bytes, noted) ? .pause : .proceed
        case .held: return .pause
        case .nowhere:
            skipped += bytes.count
            if skipped > Self.largestSkip { skipNoMore() }
            return .proceed
        }
    }

    private enum Place { case answer, held, nowhere }

    /// - Returns: whether somebody has enough for now.
    private func deliver(_ bytes: UnsafeRawBufferPointer, _ noted: SessionTask.Noted?) -> Bool {
        var mustWait = false
        if let reader = task.reader {
            mustWait = reader.add(bytes)
            if mustWait {
                task.notePause(for: .reader)
                // It may have taken all in the meantime.
                if !reader.isFull { task.go(on: .reader) }
            }
        } else {
            body.append(bytes)
        }
        if let relay = task.relay, relay.add(bytes, of: task) {
            mustWait = true
            task.notePause(for: .handler)
            if !relay.isFull { task.go(on: .handler) }
        }
        if let noted {
            task.downloadProgressRelay?.report(noted.progress)
            task.tell(.received(noted.progress), to: noted.listeners)
        }
        return mustWait
    }

    /// The user has accepted: what was held goes where it belongs. The verdict holds from the moment at which nothing is held
    /// any more; a byte that came between the two would be lost.
    ///
    /// - Returns: whether the exchange is over.
    private func deliverHeld() -> Bool {
        while true {
            let (bytes, noted, isOver) = task.status.withLock { status -> (Data, SessionTask.Noted?, Bool) in
                guard !held.isEmpty else {
                    verdict = .answer
                    return (held, nil, completion != nil)
                }
                defer { held = Data() }
                return (held, isCounted ? status.note(received: held.count, total: expectedLength) : nil, false)
            }
            guard !bytes.isEmpty else { return isOver }
            _ = bytes.withUnsafeBytes { deliver($0, noted) }
        }
    }

    private func skipNoMore() { task.status.withLock { completion == nil ? $0.control : nil }?.cancel() }

    func didReceive(trailers: HTTPHeaders) {
        self.trailers = trailers
        task.reader?.setTrailers(trailers)
    }

    func didFinish(_ completion: ExchangeCompletion) {
        if completion.error == nil, let length = request.statedBodyLength, length > 0 {
            task.note(sent: completion.metrics.sentBytes)
        }
        // Whether it was the host's doing comes out when the network is asked.
        if !(completion.error.map { mayWaitForConnectivity(after: $0, completion.delivery) } ?? false) {
            leaveCircuit(completion)
        }
        let mustWait = task.status.withLock { status -> TaskMachine.Action? in
            self.completion = completion
            status.spentControl = status.control.take()
            status.isPausedBelow = false
            guard case .deciding = verdict else { return nil }
            return status.machine.exchangeEnded(.decision)
        }
        task.tell(.measured(measured(completion)))
        if let mustWait { task.do(mustWait) } else { conclude { $0.exchangeEnded($1) } }
    }

    private func measured(_ completion: ExchangeCompletion) -> TransactionMetrics {
        TransactionMetrics(
            method: request.method, url: request.url, status: response?.status, transfer: completion.metrics)
    }

    /// What it measured, once it is over. Under the task's lock.
    var transaction: TransactionMetrics? { completion.map(measured) }

    // MARK: Decisions

    private func ask(_ decide: @escaping @Sendable () async throws -> Verdict) {
        task.status.withLock { status in
            verdict = .deciding
            isAsking = true
            status.alarm = path.alarm { [weak self] in self?.settle(.fault($0)) }
        }
        task.pause(for: .decision)
        task.decide { [self] in
            do {
                settle(try await decide())
            } catch {
                settle(.fault(task.fault(from: error)))
            }
        }
    }

    /// The user has decided, or there is no more time to: the first counts. The exchange may be over by now: whoever comes
    /// second, its end or the verdict, concludes.
    private func settle(_ verdict: Verdict) {
        let isFirst = task.status.withLock { status in
            guard isAsking else { return false }
            isAsking = false
            if case .fault = verdict { isRuled = true }
            status.alarm = nil
            return true
        }
        guard isFirst else { return }
        let isOver: Bool
        if case .answer = verdict, let response {
            announce(response)
            isOver = deliverHeld()
        } else {
            isOver = rule(verdict)
        }
        // Also where it is over: the next exchange has nothing to wait for.
        task.go(on: .decision)
        if isOver { conclude { $0.decided($1) } }
    }

    /// Before the verdict holds: once it does, the end may come.
    private func announce(_ response: HTTPResponse) {
        task.reader?.begin(response, of: self)
        // It may have been cancelled meanwhile, and told so.
        guard let listeners = task.status.withLock({ $0.note(response) }) else { return }
        task.tell(.response(response), to: listeners)
    }

    /// Nobody was asked: on the transport's thread, where the end comes later.
    private func accept(_ response: HTTPResponse) {
        task.reader?.begin(response, of: self)
        let listeners = task.status.withLock { status in
            verdict = .answer
            return status.note(response)
        }
        if let listeners { task.tell(.response(response), to: listeners) }
    }

    /// It is not the answer, and what was held of it is nobody's.
    ///
    /// - Returns: whether the exchange is over.
    @discardableResult
    private func rule(_ verdict: Verdict) -> Bool {
        let (isOver, control) = task.status.withLock { status in
            self.verdict = verdict
            held = Data()
            return (completion != nil, status.control)
        }
        switch verdict {
        case .fault: control?.cancel()
        case .follow where !isOver, .retry where !isOver:
            // Neither a slow body, nor a request body that nobody takes, holds up what follows for long.
            DispatchQueue.global().asyncAfter(deadline: .now() + Self.longestSkip) { [weak self] in self?.skipNoMore() }
        default: break
        }
        return isOver
    }
}
