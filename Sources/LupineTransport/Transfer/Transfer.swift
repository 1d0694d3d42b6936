internal import CLibcurl
internal import LupineCore
internal import Synchronization

/// One exchange, from the wait queue to its completion: what its control, its timing and libcurl's callbacks say
/// comes together here.
final class Transfer: ExchangeControl, LoopWork, @unchecked Sendable {
    // Safe to share: `commands` is atomic, `request`, `receiver` and `core` never change, and everything else is touched on
    // the loop's thread only, once `start()` has handed the transfer over. The last reference may go on any thread: not before
    // the end, when no handle of libcurl's is held any more.

    let request: HTTPRequest
    let receiver: any ExchangeReceiver
    let core: CurlCore

    /// What other threads ask for, until the loop comes by.
    private struct Commands: OptionSet {
        let rawValue: UInt8
        static let start = Self(rawValue: 1)
        static let cancel = Self(rawValue: 2)
        /// One of these two: the last that was asked for.
        static let pause = Self(rawValue: 4)
        static let resume = Self(rawValue: 8)
        static let readBody = Self(rawValue: 16)
    }
    private let commands = Atomic<UInt8>(0)

    // The loop's. Values unchecked for exclusive access: their methods do not come back here.
    @exclusivity(unchecked) var timing: TransferTiming
    var deadline = MonotonicTime.distantFuture
    var heapIndex = -1
    var bagIndex = -1
    var stage = Stage.new
    /// Set while a multi handle runs the transfer.
    var easy: EasyHandle?
    var shard: MultiHandle?

    @exclusivity(unchecked) var assembler: ResponseAssembler
    var decoder: ContentDecoder?
    /// Of a chunked body.
    var chunks: ChunkChecker?
    var body: RequestBodyFeed?
    @exclusivity(unchecked) var limits: BodyLimits
    /// Our own reason for ending the transfer, which libcurl's result only follows.
    var cause: LupineError?
    var sendings = 0
    /// Request body bytes that the receiver was told of, and that libcurl had sent when last asked.
    var toldSent: Int64 = 0
    var seenSent: Int64 = 0
    /// A 417 that libcurl may answer by itself.
    var heldHead: HTTPResponse?
    var isPaused = false
    var isReceivingPausedInCurl = false
    var isSendingPausedInCurl = false
    /// Decoded bytes wait because the receiver paused in the middle of a piece.
    var hasLeftover = false
    /// libcurl is done, the receiver is not.
    var pendingResult: CURLcode?

    /// `asking`: a source that is said to be empty is asked whether it is.
    enum Stage { case new, asking, waiting, running, finished }

    init(_ request: HTTPRequest, receiver: any ExchangeReceiver, core: CurlCore) {
        self.request = request
        self.receiver = receiver
        self.core = core
        timing = TransferTiming(timeouts: request.options.timeouts, submitted: .now())
        assembler = ResponseAssembler(maximumSize: core.configuration.maximumHeadSize, memory: core.fieldMemory)
        limits = BodyLimits(request.options)
    }

    var host: String { request.url.host }

    lazy var place: QueuePlace = core.queuePlace(of: request)

    // MARK: From any thread

    func start() { post(.start) }
    func cancel() { post(.cancel) }
    func pause() { post(.pause, insteadOf: .resume) }
    func resume() { post(.resume, insteadOf: .pause) }

    /// Several commands before the loop comes by make one visit: the first asks for it.
    private func post(_ command: Commands, insteadOf other: Commands = []) {
        var seen = commands.load(ordering: .relaxed)
        while true {
            let wanted = Commands(rawValue: seen).subtracting(other).union(command).rawValue
            let (isDone, now) = commands.compareExchange(
                expected: seen, desired: wanted, ordering: .acquiringAndReleasing)
            if isDone { break }
            seen = now
        }
        if seen == 0 { core.loop.submit(.work(self)) }
    }

    // MARK: On the loop

    func runOnLoop() {
        let commands = Commands(rawValue: commands.exchange(0, ordering: .acquiringAndReleasing))
        if commands.contains(.start) { core.start(self) }
        if commands.contains(.cancel) {
            core.abort(self, cause ?? LupineError(.cancelled, "the request to \(host) was cancelled", host: host))
        }
        guard stage != .finished else { return }
        if commands.contains(.pause) { pauseReading() }
        if commands.contains(.resume) { resumeReading() }
        guard commands.contains(.readBody) else { return }
        if stage == .asking { return core.ask(self) }
        if isSendingPausedInCurl {
            isSendingPausedInCurl = false
            applyPause()
        }
    }

    private func pauseReading() {
        isPaused = true
        timing.pause()
    }

    private func resumeReading() {
        guard isPaused else { return }
        isPaused = false
        timing.resume(at: .now())
        core.updateDeadline(self)
        if hasLeftover {
            hasLeftover = false
            decode { decoder, sink throws(DecodingFault) in try decoder.resume(into: sink) }
            if let cause { return core.abort(self, cause) }
        }
        guard !isPaused else { return }
        if let result = pendingResult { return core.finish(self, result) }
        if isReceivingPausedInCurl {
            isReceivingPausedInCurl = false
            applyPause()
        }
    }

    /// Tells libcurl the state of both directions; that may call back at once.
    private func applyPause() {
        let mask = (isReceivingPausedInCurl ? CURLPAUSE_RECV : 0) | (isSendingPausedInCurl ? CURLPAUSE_SEND : 0)
        easy?.setPause(mask)
        shard?.kick()
    }

    /// A limit of time may have passed.
    func checkDeadline(_ now: MonotonicTime) {
        if timing.next.time <= now, timing.next.limit == .idle { noteUnseenActivity(now) }
        let next = timing.next
        if next.time <= now {
            core.abort(self, timing.error(next.limit, host: host, awaitsSource: isSendingPausedInCurl))
        } else {
            core.updateDeadline(self)
        }
    }

    /// Bytes moved that no callback told of: half a line of a head, a part of what was taken to be sent.
    private func noteUnseenActivity(_ now: MonotonicTime) {
        guard let easy else { return }
        let sent = easy.offset(CURLINFO_SIZE_UPLOAD_T)
        if sent > seenSent { timing.active(at: now) }
        seenSent = sent
        // Over HTTP/2 the bytes may be another stream's.
        guard !request.url.isSecure || !easy.agreedOnHTTP2 else { return }
        if let last = shard?.lastEvent(of: easy) { timing.active(at: last) }
    }

    func bodyIsReadable() { post(.readBody) }
}

extension Transfer: DeadlineHeapElement, IndexedBagElement {}
extension Transfer: Equatable {
    static func == (left: Transfer, right: Transfer) -> Bool { left === right }
}

/// How large a body may become.
struct BodyLimits {
    private let maximumSize: Int64?
    private let decoding: DecodingLimits
    private(set) var received: Int64 = 0
    private(set) var decoded: Int64 = 0

    init(_ options: TransferOptions) {
        decoding = options.decodingLimits
        maximumSize = options.maximumBodySize
    }

    mutating func receive(_ count: Int) { received += Int64(count) }

    /// - Returns: what is wrong with `count` more decoded bytes, or `nil`.
    mutating func decode(_ count: Int, isCoded: Bool) -> String? {
        decoded += Int64(count)
        if let maximumSize, decoded > maximumSize { return "the body is larger than \(maximumSize) bytes" }
        if isCoded, let limit = decoding.maximumSize, decoded > limit {
            return "the decoded body is larger than \(limit) bytes"
        }
        if isCoded, decoded > decoding.ratioThreshold, decoded / max(received, 1) > Int64(decoding.maximumRatio) {
            return "the body expands more than \(decoding.maximumRatio) times, as a bomb does"
        }
        return nil
    }

    /// - Returns: what is wrong with a body of the length that the head states, or `nil`.
    func fault(statedLength: Int64?) -> String? {
        guard let maximumSize, let statedLength, statedLength > maximumSize else { return nil }
        return "the body's \(statedLength) bytes are more than the \(maximumSize) allowed"
    }
}
