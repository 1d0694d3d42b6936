internal import Dispatch
public import LupineCore

/// A transport without a network: each request is answered from a closure or a queue of scripts.
///
/// It keeps the contract of ``HTTPTransport`` to the letter: requests are validated, events come in order from one thread
/// for all exchanges and under no lock, a paused exchange receives nothing, and each ends once. Of the options only
/// `maximumBodySize` is heeded: no time passes here.
public final class StubTransport: HTTPTransport {
    /// A request that was started and passed validation.
    public struct Recorded: Sendable {
        /// The request.
        public let request: HTTPRequest
        /// The bytes of its body, when the transport reads bodies; else `nil`.
        public let body: [UInt8]?
        /// Its number, from 0.
        public let index: Int

        /// The body as UTF-8.
        public var text: String? { body.map { String(decoding: $0, as: UTF8.self) } }
    }

    /// What answers a request. An error that it throws ends the exchange: a ``LupineError`` as it is, another one under
    /// `bad-response`. Called from the transport's thread, one request at a time.
    public typealias Answer = @Sendable (Recorded) throws -> StubExchange

    private struct State: Sendable {
        var requests: [Recorded] = []
        var running: [UInt64: StubRun] = [:]
        var nextID: UInt64 = 0
        var isShutDown = false
    }

    private let state = Watched(State())
    private let events = DispatchQueue(label: "lupine.stub-transport")
    private let readsBodies: Bool
    private let answer: Answer

    /// Answers from a closure.
    ///
    /// - Parameter readsBodies: read each request's body to its end before it is answered, and tell the receiver what
    ///   was sent. `false` by default.
    public init(readsBodies: Bool = false, answer: @escaping Answer) {
        self.readsBodies = readsBodies
        self.answer = answer
    }

    /// Answers requests from a queue, in their order; one too many ends with `could-not-connect`.
    public convenience init(_ exchanges: [StubExchange], readsBodies: Bool = false) {
        let left = Lock(exchanges[...])
        self.init(readsBodies: readsBodies) { recorded in
            if let exchange = left.withLock({ $0.popFirst() }) { return exchange }
            let request = recorded.request
            throw LupineError(
                .couldNotConnect, "the stub has no answer left for \(request.method) \(request.url)",
                host: request.url.host)
        }
    }

    /// The requests so far: in the order of their starts, or, when bodies are read, of their bodies' ends.
    public var requests: [Recorded] { state.read(\.requests) }
    /// The number of exchanges that have not ended.
    public var runningCount: Int { state.read(\.running.count) }
    /// Whether ``shutdown()`` was called.
    public var isShutDown: Bool { state.read(\.isShutDown) }

    /// Waits until so many requests have come in all.
    ///
    /// - Parameter limit: at most so long; 30 seconds by default.
    /// - Throws: ``WaitTimeoutError``; `CancellationError` when the task is cancelled.
    public func waitForRequests(_ count: Int, within limit: Duration = .testLimit) async throws {
        try await state.wait(for: "\(count) requests", within: limit) { $0.requests.count >= count }
    }

    /// Starts an exchange. Events come from the transport's own thread, after this has returned or meanwhile.
    @discardableResult
    public func start(_ request: HTTPRequest, receiver: any ExchangeReceiver) -> any ExchangeControl {
        let (id, isRefused) = state.update { state in
            state.nextID += 1
            return (state.nextID, state.isShutDown)
        }
        let run = StubRun(request: request, receiver: receiver, events: events) { [weak self] in
            self?.state.update { $0.running[id] = nil }
        }
        // Asked again below the lock: the transport may have been shut down since.
        let isEntered =
            !isRefused
            && state.update { state in
                if !state.isShutDown { state.running[id] = run }
                return !state.isShutDown
            }
        if let fault = request.validate() {
            run.refuse(fault)
        } else if !isEntered {
            run.cancel()
        } else if readsBodies {
            run.readBody { self.answer(run, body: $0) }
        } else {
            let recorded = record(request, body: nil)
            events.async { self.answer(run, recorded) }
        }
        return run
    }

    private func record(_ request: HTTPRequest, body: [UInt8]?) -> Recorded {
        state.update { state in
            let recorded = Recorded(request: request, body: body, index: state.requests.count)
            state.requests.append(recorded)
            return recorded
        }
    }

    private func answer(_ run: StubRun, body: [UInt8]) {
        guard !run.isCancelled else { return run.advance() }
        answer(run, record(run.request, body: body))
    }

    private func answer(_ run: StubRun, _ recorded: Recorded) {
        guard !run.isCancelled else { return run.advance() }
        do {
            run.follow(try answer(recorded))
        } catch {
            let host = recorded.request.url.host
            run.follow(
                .failure(
                    error as? LupineError
                        ?? LupineError(
                            .badResponse, "the stub's closure threw \(error.onOneLine)", host: host, underlying: error)
                ))
        }
    }

    /// Ends every exchange with `cancelled`; those started afterwards end so at once.
    public func shutdown() {
        let running = state.update { state in
            state.isShutDown = true
            return state.running.sorted { $0.key < $1.key }.map(\.value)
        }
        for run in running { run.cancel() }
    }
}
