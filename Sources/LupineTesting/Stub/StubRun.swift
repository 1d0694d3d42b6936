internal import Dispatch
internal import LupineCore

/// One exchange of a ``StubTransport``: a state behind the lock, and ``advance()``, which takes one action after the other
/// from it and performs it on the transport's queue.
final class StubRun: ExchangeControl {
    let request: HTTPRequest
    /// Let go at the end: a receiver may well keep its control.
    private let listener: Lock<(any ExchangeReceiver)?>
    private let events: DispatchQueue
    private let ended: @Sendable () -> Void
    private let state: Lock<StubRunState>
    private let bodyTask = Lock<Task<Void, Never>?>(nil)

    init(
        request: HTTPRequest, receiver: any ExchangeReceiver, events: DispatchQueue,
        ended: @escaping @Sendable () -> Void
    ) {
        self.request = request
        listener = Lock(receiver)
        self.events = events
        self.ended = ended
        state = Lock(StubRunState(maximumBodySize: request.options.maximumBodySize, host: request.url.host))
    }

    var isCancelled: Bool { state.withLock { $0.isCancelled } }

    func pause() { state.withLock { $0.isPaused = true } }

    func resume() {
        state.withLock { state in
            state.isPaused = false
            state.resumes += 1
        }
        events.async { self.advance() }
    }

    func cancel() {
        state.withLock { $0.isCancelled = true }
        bodyTask.withLock { $0 }?.cancel()
        events.async { self.advance() }
    }

    /// Ends the exchange before anything was sent.
    func refuse(_ error: LupineError) {
        state.withLock { $0.steps = [.failure(error, delivery: .unsent)] }
        events.async { self.advance() }
    }

    /// Begins, on the queue, with what the answer's script says.
    func follow(_ exchange: StubExchange) {
        state.withLock { state in
            state.steps = exchange.steps[...]
            state.metrics = exchange.metrics
            state.isSent = true
        }
        advance()
    }

    /// Reads the body beside the queue; then continues on it.
    func readBody(then answer: @escaping @Sendable ([UInt8]) -> Void) {
        let task = Task { [self] in
            do throws(LupineError) {
                let body = try await request.collectedBody { sent in
                    self.events.async { self.tellSent(sent) }
                }
                events.async { answer(body) }
            } catch {
                let error = error
                events.async {
                    self.state.withLock { $0.steps = [.failure(error, delivery: nil)] }
                    self.advance()
                }
            }
        }
        bodyTask.withLock { $0 = task }
        if isCancelled { task.cancel() }
    }

    private func tellSent(_ count: Int64) {
        let isLive = state.withLock { state in
            state.sentBytes = count
            state.isSent = true
            return !state.isEnded && !state.isCancelled
        }
        if isLive { listener.withLock { $0 }?.didSend(count) }
    }

    /// Performs what can be done now. On the transport's queue only; so calls of the receiver follow one another.
    func advance() {
        guard let receiver = listener.withLock({ $0 }) else { return }
        while let action = state.withLock({ $0.nextAction() }) {
            switch action {
            case .sent(let count): receiver.didSend(count)
            case .informational(let head): receiver.didReceive(informational: located(head))
            case .head(let head): receiver.didReceive(head: located(head))
            case .body(let bytes): deliver(bytes, to: receiver)
            case .trailers(let fields): receiver.didReceive(trailers: fields)
            case .wait(let gate): gate.whenOpen { self.events.async { self.advance() } }
            case .finish(let completion):
                listener.withLock { $0 = nil }
                ended()
                receiver.didFinish(completion)
            }
        }
    }

    private func deliver(_ bytes: [UInt8], to receiver: any ExchangeReceiver) {
        let resumes = state.withLock { $0.resumes }
        guard bytes.withUnsafeBytes({ receiver.didReceive(body: $0) }) == .pause else { return }
        // A resumption from another thread during the call counts as after it, or it would be lost.
        state.withLock { if $0.resumes == resumes { $0.isPaused = true } }
    }

    private func located(_ head: HTTPResponse) -> HTTPResponse {
        var head = head
        if head.url == nil { head.url = request.url }
        return head
    }
}

/// What decides which event comes next; a value without threads.
struct StubRunState: Sendable {
    enum Action: Sendable {
        case sent(Int64)
        case informational(HTTPResponse)
        case head(HTTPResponse)
        case body([UInt8])
        case trailers(HTTPHeaders)
        case wait(Gate)
        case finish(ExchangeCompletion)
    }

    let maximumBodySize: Int64?
    let host: String
    /// `nil` until the request is answered.
    var steps: ArraySlice<StubExchange.Step>?
    var metrics = TransferMetrics()
    var isPaused = false
    var isCancelled = false
    /// Whether a byte of the request counts as sent.
    var isSent = false
    var sentBytes: Int64 = 0
    /// How often the exchange was resumed.
    var resumes = 0
    private(set) var isEnded = false
    private var receivedBytes: Int64 = 0
    private var hasHead = false
    private var hasTrailers = false
    private var isWaiting = false

    init(maximumBodySize: Int64?, host: String) {
        self.maximumBodySize = maximumBodySize
        self.host = host
    }

    /// The next thing to do; `nil`: nothing until something changes.
    mutating func nextAction() -> Action? {
        if isEnded { return nil }
        if isCancelled { return finish(LupineError(.cancelled, "the exchange was cancelled", host: host)) }
        while let step = steps?.first {
            switch step {
            case .hold(let gate):
                if gate.isOpen { break }
                defer { isWaiting = true }
                return isWaiting ? nil : .wait(gate)
            case .failure(let error, let delivery) where delivery == .unsent:
                return finish(error, delivery: .unsent)
            case .sent(let count):
                steps?.removeFirst()
                sentBytes = count
                return .sent(count)
            default:
                if isPaused { return nil }
            }
            steps?.removeFirst()
            if case .hold = step {
                isWaiting = false
                continue
            }
            if let action = received(step) { return action }
        }
        return steps == nil || isPaused ? nil : finish(nil)
    }

    private mutating func received(_ step: StubExchange.Step) -> Action? {
        switch step {
        case .informational(let head):
            return hasHead ? faulty("an informational head after the final one") : .informational(head)
        case .head(let head):
            if hasHead { return faulty("two heads") }
            hasHead = true
            return .head(head)
        case .bytes(let bytes):
            if bytes.isEmpty { return nil }
            if !hasHead || hasTrailers { return faulty("a body \(hasHead ? "after the trailers" : "before the head")") }
            receivedBytes += Int64(bytes.count)
            if let maximumBodySize, receivedBytes > maximumBodySize {
                return finish(LupineError(.responseTooLarge, "more than \(maximumBodySize) bytes came", host: host))
            }
            return .body(bytes)
        case .trailers(let fields):
            if !hasHead || hasTrailers { return faulty("trailers \(hasHead ? "twice" : "before the head")") }
            hasTrailers = true
            return .trailers(fields)
        case .failure(let error, let delivery): return finish(error, delivery: delivery)
        case .sent, .hold: return nil
        }
    }

    /// A script that no transport could play.
    private mutating func faulty(_ what: String) -> Action {
        finish(LupineError(.badResponse, "the stub's script has \(what)", host: host))
    }

    private mutating func finish(_ error: LupineError?, delivery: RequestDelivery? = nil) -> Action {
        if error == nil, !hasHead { return faulty("no head") }
        isEnded = true
        steps = []
        if metrics.sentBytes == 0 { metrics.sentBytes = sentBytes }
        if metrics.receivedBytes == 0 { metrics.receivedBytes = receivedBytes }
        let reached: RequestDelivery = hasHead ? .answered : isSent ? .unanswered : .unsent
        return .finish(ExchangeCompletion(error: error, delivery: delivery ?? reached, metrics: metrics))
    }
}
