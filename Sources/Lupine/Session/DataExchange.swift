internal import FoundationEssentials
internal import LupineCore

/// One sending of a request whose answer is collected in memory: the receiver below, one awaiting task above.
final class DataExchange: ExchangeReceiver, @unchecked Sendable {
    // Safe to share: `control` and `isCancelled` are locked. The rest is written by the transport, one call at a time, until
    // it resumes the continuation, and read by the awaiting task after that.

    private let control = Lock<(control: (any ExchangeControl)?, isCancelled: Bool)>((nil, false))
    private var continuation: UnsafeContinuation<ExchangeCompletion, Never>?
    private let uploadProgress: ProgressRelay?
    private let downloadProgress: ProgressRelay?
    private let uploadTotal: Int64?

    private(set) var response: HTTPResponse?
    private var body = BodyBuffer()
    /// The body, once the exchange has ended.
    private(set) var data = Data()
    private(set) var trailers = HTTPHeaders()

    /// Memory set aside at once for a body whose length the head states, at most.
    private static let largestReservation = 1 << 24

    init(_ request: HTTPRequest, uploadProgress: ProgressRelay?, downloadProgress: ProgressRelay?) {
        uploadTotal = request.statedBodyLength
        self.uploadProgress = uploadProgress
        self.downloadProgress = downloadProgress
    }

    /// Runs the exchange to its end. Cancelling the Swift task cancels it.
    func run(_ request: HTTPRequest, on transport: any HTTPTransport) async -> ExchangeCompletion {
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
        let isCancelled = control.withLock { state in
            state.control = started
            return state.isCancelled
        }
        if isCancelled { started.cancel() }
    }

    private func cancel() {
        let started = control.withLock { state in
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
        data = body.take()
        control.withLock { $0.control = nil }
        continuation.take()?.resume(returning: completion)
    }
}
