internal import FoundationEssentials
internal import LupineCore

/// An answer on its way to whoever reads it as it comes: the exchange adds, one reading task takes.
final class BodyReading: Sendable {
    /// The head, and how it came about.
    struct Beginning {
        let response: HTTPResponse
        let request: HTTPRequest
        let sendings: Int
        let redirects: [HTTPURL]
    }

    private struct State {
        var beginning: Beginning?
        var buffer = Data()
        var isFull = false
        var trailers = HTTPHeaders()
        var metrics: TransferMetrics?
        /// `.some(nil)`: it came whole.
        var end: LupineError??
        /// The reading tasks, one as a rule, waiting for the next event.
        var waiters: [UnsafeContinuation<Void, Never>] = []
    }

    private let state = Lock(State())

    /// Bytes held for the reader before the transfer has to wait.
    static let capacity = 512 << 10

    var trailers: HTTPHeaders { state.withLock { $0.trailers } }
    var metrics: TransferMetrics? { state.withLock { $0.metrics } }

    // MARK: The exchange

    private func tell(_ change: (inout State) -> Void) {
        let waiters = state.withLock { state in
            change(&state)
            defer { state.waiters = [] }
            return state.waiters
        }
        for waiter in waiters { waiter.resume() }
    }

    func begin(_ response: HTTPResponse, of exchange: TaskExchange) {
        let path = exchange.path
        tell { state in
            state.beginning = Beginning(
                response: response, request: exchange.request, sendings: path.sendingCount, redirects: path.left)
        }
    }

    /// - Returns: whether the reader has enough for now.
    func add(_ bytes: UnsafeRawBufferPointer) -> Bool {
        var isFull = false
        tell { state in
            state.buffer.append(bytes.assumingMemoryBound(to: UInt8.self))
            state.isFull = state.buffer.count >= Self.capacity
            isFull = state.isFull
        }
        return isFull
    }

    var isFull: Bool { state.withLock { $0.isFull } }

    func setTrailers(_ trailers: HTTPHeaders) { tell { $0.trailers = trailers } }

    /// What came was no answer after all.
    func reset() {
        state.withLock { state in
            state.buffer = Data()
            state.isFull = false
        }
    }

    func finish(_ outcome: Result<DataResponse, LupineError>) {
        tell { state in
            switch outcome {
            case .success(let answer):
                state.metrics = answer.metrics
                state.end = .some(nil)
            case .failure(let error):
                state.metrics = error.metrics
                state.end = error
            }
        }
    }

    // MARK: The reading task

    /// Waits for the head.
    func head(of task: SessionTask) async throws(LupineError) -> Beginning {
        while true {
            let (beginning, end) = state.withLock { ($0.beginning, $0.end) }
            if let beginning { return beginning }
            if let end { throw end ?? .noHead(of: task.originalRequest) }
            await waitForNews(of: task, isolation: #isolation) { $0.beginning != nil || $0.end != nil }
        }
    }

    private enum Next {
        case piece(Data, wasFull: Bool)
        case end(LupineError?)
        case nothing
    }

    /// Seen at one moment: between two looks both the last bytes and the end may come.
    private func take() -> Next {
        state.withLock { state in
            guard state.buffer.isEmpty else {
                let piece = state.buffer
                state.buffer = Data()
                defer { state.isFull = false }
                return .piece(piece, wasFull: state.isFull)
            }
            return state.end.map { .end($0) } ?? .nothing
        }
    }

    /// All that has come since the last call, or what comes next. `nil` at the end.
    func nextPiece(
        of task: SessionTask, isolation actor: isolated (any Actor)?
    ) async throws(LupineError) -> Data? {
        while true {
            switch take() {
            case .piece(let piece, let wasFull):
                if wasFull { task.go(on: .reader) }
                return piece
            case .end(let error):
                await task.uploadProgressRelay?.drain()
                guard let error else { return nil }
                throw error
            case .nothing: await waitForNews(of: task, isolation: actor) { $0.end != nil || !$0.buffer.isEmpty }
            }
        }
    }

    private func waitForNews(
        of task: SessionTask, isolation actor: isolated (any Actor)?, _ isThere: @Sendable (borrowing State) -> Bool
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
            task.cancel()
        }
    }
}
