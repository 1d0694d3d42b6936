internal import FoundationEssentials
internal import LupineCore

/// One sending of a request whose answer is collected in memory: the receiver below, one awaiting task above.
final class DataExchange: ExchangeReceiver, @unchecked Sendable {
    // Safe to share: `state` is locked. `continuation` is set before the transport is started; from then on the rest is the
    // transport's, one call at a time, until it resumes the continuation, and the awaiting task's after that.

    private struct State {
        var control: (any ExchangeControl)?
        var isCancelled = false
        var isOver = false
    }

    private let state = Lock(State())
    private var continuation: UnsafeContinuation<Void, Never>?
    private let uploadProgress: ProgressRelay?
    private let downloadProgress: ProgressRelay?
    private let uploadTotal: Int64?

    // Unchecked for exclusive access: while one of them is changed only its own methods run.
    @exclusivity(unchecked) private var response: HTTPResponse?
    @exclusivity(unchecked) private var body = BodyBuffer()
    @exclusivity(unchecked) private var trailers = HTTPHeaders()
    /// How it ended.
    @exclusivity(unchecked) private(set) var completion = ExchangeCompletion()

    /// Memory set aside at once for a body whose length the head states, at most.
    private static let largestReservation = 1 << 24

    init(_ request: HTTPRequest, uploadProgress: ProgressRelay?, downloadProgress: ProgressRelay?) {
        uploadTotal = request.statedBodyLength
        self.uploadProgress = uploadProgress
        self.downloadProgress = downloadProgress
    }

    /// Runs the exchange to its end. Cancelling the Swift task cancels it.
    func run(_ request: HTTPRequest, on transport: any HTTPTransport) async {
        await withTaskCancellationHandler {
            // Unsafe only in that it is not checked: the seam promises exactly one `didFinish`.
            await withUnsafeContinuation { continuation in
                self.continuation = continuation
                adopt(transport.start(request, receiver: self))
            }
        } onCancel: {
            cancel()
        }
    }

    /// The task may be cancelled before the control is known.
    private func adopt(_ started: any ExchangeControl) {
        let isCancelled = state.withLock { state in
            // Kept beyond the end it would keep itself.
            if !state.isOver { state.control = started }
            return state.isCancelled
        }
        if isCancelled { started.cancel() }
    }

    private func cancel() {
        let started = state.withLock { state in
            state.isCancelled = true
            return state.control
        }
        started?.cancel()
    }

    func didSend(_ sent: Int64) {
        uploadProgress?.report(TransferProgress(completed: sent, total: uploadTotal))
    }

    func didReceive(head response: HTTPResponse) {
        self.response = response
        if let length = response.expectedBodyLength, length > 0 {
            body.reserve(Int(min(length, Int64(Self.largestReservation))))
        }
    }

    func didReceive(body bytes: UnsafeRawBufferPointer) -> ExchangeFlow {
        body.append(bytes)
        if let downloadProgress {
            let total = response?.expectedBodyLength
            downloadProgress.report(TransferProgress(completed: Int64(body.count), total: total))
        }
        return .proceed
    }

    func didReceive(trailers: HTTPHeaders) { self.trailers = trailers }

    func didFinish(_ completion: ExchangeCompletion) {
        if completion.error == nil, let uploadTotal, uploadTotal > 0 {
            uploadProgress?.report(TransferProgress(completed: completion.metrics.sentBytes, total: uploadTotal))
        }
        self.completion = completion
        state.withLock { state in
            state.control = nil
            state.isOver = true
        }
        continuation.take()?.resume()
    }

    // Not inlined: what it needs for a moment would be part of each waiting task.
    @inline(never)
    func result(of request: HTTPRequest, sendings: Int) throws(LupineError) -> DataResponse {
        let data = body.take()
        if let error = completion.error {
            throw error.with(response: response, data: data, metrics: completion.metrics)
        }
        guard let response else { throw .noHead(of: request) }
        return DataResponse(
            request: request, response: response, data: data, trailers: trailers, metrics: completion.metrics,
            sendings: sendings)
    }
}
