internal import FoundationEssentials
internal import LupineCore

/// One sending of a request whose answer is read as it arrives: the receiver below, one reading task above.
final class StreamExchange: ExchangeReceiver {
    private struct State {
        var control: (any ExchangeControl)?
        var isCancelled = false
        var head: HTTPResponse?
        var buffer = Data()
        var isPaused = false
        var trailers = HTTPHeaders()
        var completion: ExchangeCompletion?
        /// The reading tasks, one as a rule, waiting for the next event.
        var waiters: [UnsafeContinuation<Void, Never>] = []

        var hasNews: Bool { completion != nil || !buffer.isEmpty }
    }

    private let state = Lock(State())
    private let uploadProgress: ProgressRelay?
    private let uploadTotal: Int64?

    /// Bytes held for the reader before the transport has to wait.
    static let capacity = 512 << 10

    init(_ request: HTTPRequest, uploadProgress: ProgressRelay?) {
        uploadTotal = request.statedBodyLength
        self.uploadProgress = uploadProgress
    }

    var trailers: HTTPHeaders { state.withLock(\.trailers) }
    var metrics: TransferMetrics? { state.withLock { $0.completion?.metrics } }

    // MARK: The reading task

    enum Beginning {
        case head(HTTPResponse)
        /// It ended without one.
        case end(ExchangeCompletion)
    }

    /// Starts the exchange and waits for its head. Cancelling the Swift task cancels the exchange.
    func begin(_ request: HTTPRequest, on transport: any HTTPTransport) async -> Beginning {
        adopt(transport.start(request, receiver: self))
        while true {
            let beginning: Beginning? = state.withLock { state in
                if let head = state.head { return .head(head) }
                return state.completion.map(Beginning.end)
            }
            if let beginning { return beginning }
            await waitForNews(isolation: #isolation) { $0.head != nil || $0.completion != nil }
        }
    }

    /// All that has come since the last call, or what comes next. `nil` at the end.
    func nextPiece(isolation actor: isolated (any Actor)?) async throws(LupineError) -> Data? {
        while true {
            switch next() {
            case .piece(let piece, let paused):
                paused?.resume()
                return piece
            case .end(let completion, let head):
                await uploadProgress?.drain()
                guard let error = completion.error else { return nil }
                throw error.with(response: head, data: nil, metrics: completion.metrics)
            case .nothing: await waitForNews(isolation: actor) { $0.hasNews }
            }
        }
    }

    private enum Next {
        case piece(Data, paused: (any ExchangeControl)?)
        case end(ExchangeCompletion, HTTPResponse?)
        case nothing
    }

    /// Seen at one moment: between two looks both the last bytes and the end may come.
    private func next() -> Next {
        state.withLock { state in
            guard state.buffer.isEmpty else {
                let piece = state.buffer
                state.buffer = Data()
                defer { state.isPaused = false }
                return .piece(piece, paused: state.isPaused ? state.control : nil)
            }
            return state.completion.map { .end($0, state.head) } ?? .nothing
        }
    }

    private func waitForNews(
        isolation actor: isolated (any Actor)?, _ isThere: @Sendable (borrowing State) -> Bool
    ) async {
        await withTaskCancellationHandler {
            // Unsafe only in that it is not checked: every event takes the waiters out before it resumes them.
            await withUnsafeContinuation(isolation: actor) { continuation in
                let isThere = state.withLock { state in
                    if isThere(state) { return true }
                    state.waiters.append(continuation)
                    return false
                }
                if isThere { continuation.resume() }
            }
        } onCancel: {
            cancel()
        }
    }

    /// The task may be cancelled before the control is known.
    private func adopt(_ started: any ExchangeControl) {
        let isCancelled = state.withLock { state in
            if state.completion == nil { state.control = started }
            return state.isCancelled
        }
        if isCancelled { started.cancel() }
    }

    /// Ends the exchange with `cancelled`, unless it has ended.
    func cancel() {
        let started = state.withLock { state in
            state.isCancelled = true
            return state.control
        }
        started?.cancel()
    }

    // MARK: The transport

    private func tell(_ change: (inout State) -> Void) {
        let waiters = state.withLock { state in
            change(&state)
            defer { state.waiters = [] }
            return state.waiters
        }
        for waiter in waiters { waiter.resume() }
    }

    func didSend(_ sent: Int64) {
        uploadProgress?.report(TransferProgress(completed: sent, total: uploadTotal))
    }

    func didReceive(head response: HTTPResponse) { tell { $0.head = response } }

    func didReceive(body bytes: UnsafeRawBufferPointer) -> ExchangeFlow {
        var flow = ExchangeFlow.proceed
        tell { state in
            state.buffer.append(bytes.assumingMemoryBound(to: UInt8.self))
            if state.buffer.count >= Self.capacity {
                state.isPaused = true
                flow = .pause
            }
        }
        return flow
    }

    func didReceive(trailers: HTTPHeaders) { tell { $0.trailers = trailers } }

    func didFinish(_ completion: ExchangeCompletion) {
        if completion.error == nil, let uploadTotal, uploadTotal > 0 {
            uploadProgress?.report(TransferProgress(completed: completion.metrics.sentBytes, total: uploadTotal))
        }
        tell { state in
            state.completion = completion
            state.control = nil
        }
    }
}
