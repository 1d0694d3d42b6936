internal import CLibcurl
internal import LupineCore

/// What a ``CurlTransport`` does, on the loop's thread: who waits, who runs, and where.
final class CurlCore: LoopClient, @unchecked Sendable {
    // Safe to share: `configuration`, `loop`, `idleLifetime` and `fieldMemory` never change, and what `fieldMemory` holds, as
    // everything else, is touched on the loop's thread only.

    let configuration: TransportConfiguration
    let loop: LoopCore
    // Unchecked for exclusive access: while one of them is changed only its own methods run, which do not come back here.
    @exclusivity(unchecked) private var queue: ConnectionQueue<Transfer>
    @exclusivity(unchecked) private var transfers = IndexedBag<Transfer>()
    @exclusivity(unchecked) private var deadlines = DeadlineHeap<Transfer>()
    @exclusivity(unchecked) private var shards: [MultiHandle] = []
    @exclusivity(unchecked) private var idleHandles: [EasyHandle] = []
    private var share: CurlShare?
    /// Of the last request: those of one session mostly have the same fields.
    private var fields: FieldList?
    let fieldMemory = FieldMemory()
    @exclusivity(unchecked) private var lastOrigin = ""
    private var isShutDown = false
    /// When the connections, unused until then, are given up.
    private var pruneTime = MonotonicTime.distantFuture
    private let idleLifetime: TimeLimit

    var isDirty = false

    /// libcurl walks all connections of a multi handle to a host for each request: beyond some hundreds another
    /// multi handle costs less.
    private static let transfersPerShard = 256
    private static let keptHandles = 1024

    init(configuration: TransportConfiguration, loop: LoopCore) {
        let configuration = configuration.clamped
        self.configuration = configuration
        self.loop = loop
        idleLifetime = TimeLimit(configuration.idleConnectionLifetime)
        queue = ConnectionQueue(
            limits: .init(
                perHost: configuration.maximumConnectionsPerHost, total: configuration.maximumConnections,
                requestsPerHost: configuration.maximumRequestsPerHost, requests: configuration.maximumRequests))
    }

    // MARK: Beginning

    func start(_ transfer: Transfer) {
        guard transfer.stage == .new else { return }
        if transfers.isEmpty, shards.isEmpty { loop.attach(self) }
        transfers.insert(transfer)
        let known = fields.flatMap { $0.areOf(transfer.request) ? $0 : nil }
        if let refusal = isShutDown
            ? shutdownError(transfer)
            : transfer.request.validate(areFieldsKnown: known != nil, areOfFraming: known?.areOfFraming ?? true)
        {
            return abort(transfer, refusal)
        }
        if transfer.request.hasSourceOfNothing { ask(transfer) } else { admit(transfer) }
    }

    /// libcurl reads nothing from a source that is said to be empty, so that it would not come out that it has something.
    func ask(_ transfer: Transfer) {
        transfer.stage = .asking
        switch transfer.readBody(into: UnsafeMutableRawBufferPointer(start: nil, count: 0)) {
        case .end, .bytes: admit(transfer)
        case .pause: updateDeadline(transfer)
        case .fault(let error): abort(transfer, error)
        }
    }

    private func admit(_ transfer: Transfer) {
        transfer.stage = .waiting
        let starts = queue.enter(
            transfer, at: transfer.place, priority: transfer.request.options.priority,
            ignoresRequestLimits: transfer.request.options.ignoresRequestLimits)
        if starts { begin(transfer) } else { updateDeadline(transfer) }
    }

    func queuePlace(of request: HTTPRequest) -> QueuePlace {
        QueuePlace(host: queueHost(of: request), isApart: isApart(request))
    }

    private func isApart(_ request: HTTPRequest) -> Bool {
        request.isHeldToHTTP1 && queue.isMultiplexed(host: queueHost(of: request))
    }

    /// Most requests of a session go where the last one went.
    private func queueHost(of request: HTTPRequest) -> String {
        if !request.url.hasOrigin(lastOrigin) { lastOrigin = request.url.origin }
        guard !request.options.route.isDefault else { return lastOrigin }
        let route = request.options.route
        return "\(lastOrigin) \(route.proxy) \(route.unixSocket ?? "") \(route.connectTo.map(\.curlText))"
    }

    private func begin(_ transfer: Transfer) {
        transfer.stage = .running
        let now = MonotonicTime.now()
        transfer.timing.start(at: now)
        // A limit of nothing is reached before anything is sent, however fast the connection.
        let next = transfer.timing.next
        guard next.time > now else { return abort(transfer, transfer.timing.error(next.limit, host: transfer.host)) }
        guard let easy = idleHandles.popLast() ?? newHandle(),
            let shard = shardWithRoom(apart: isApart(transfer.request))
        else {
            return abort(
                transfer, LupineError(.unsupported, "this machine's libcurl cannot be started", host: transfer.host))
        }
        easy.setReceiveBuffer(configuration.receiveBufferSize(among: transfers.count))
        do {
            try easy.prepare(transfer.request, fields: fieldList(for: transfer.request))
        } catch {
            return abort(transfer, error)
        }
        easy.transfer = transfer
        transfer.easy = easy
        transfer.shard = shard
        updateDeadline(transfer)
        if !shard.add(easy) {
            abort(transfer, LupineError(.unsupported, "libcurl does not take the request", host: transfer.host))
        }
    }

    private func fieldList(for request: HTTPRequest) -> FieldList {
        if let fields, fields.isFor(request) { return fields }
        let list = FieldList(request)
        fields = list
        return list
    }

    private func newHandle() -> EasyHandle? {
        guard let share = share ?? CurlShare() else { return nil }
        self.share = share
        return EasyHandle(configuration: configuration, loop: loop, share: share)
    }

    private func shardWithRoom(apart isApart: Bool) -> MultiHandle? {
        let perHost = configuration.maximumConnectionsPerHost
        let isSharded = perHost > Self.transfersPerShard
        // Most sessions have one.
        if let first = shards.first, first.isApart == isApart, !first.isRetired, !isSharded { return first }
        shards.removeAll { shard in
            guard shard.isRetired, shard.runningCount == 0 else { return false }
            shard.close()
            return true
        }
        let fitting = shards.first {
            $0.isApart == isApart && !$0.isRetired && (!isSharded || $0.runningCount < Self.transfersPerShard)
        }
        if let fitting { return fitting }
        guard
            let shard = MultiHandle(
                loop: loop, owner: self, isApart: isApart, keptConnections: max(64, min(perHost * 8, 1024)),
                hostLimit: perHost,
                totalLimit: configuration.maximumConnections ?? 0)
        else { return nil }
        shards.append(shard)
        return shard
    }

    // MARK: Deadlines

    var deadline: MonotonicTime {
        var earliest = min(deadlines.earliest?.deadline ?? .distantFuture, pruneTime)
        for shard in shards { earliest = min(earliest, shard.deadline) }
        return earliest
    }

    func updateDeadline(_ transfer: Transfer) {
        transfer.deadline = transfer.timing.next.time
        if transfer.deadline == .distantFuture { deadlines.remove(transfer) } else { deadlines.update(transfer) }
    }

    /// A later time is found out when the earlier has come: most exchanges end before.
    func updateDeadlineIfEarlier(_ transfer: Transfer) {
        if transfer.timing.next.time < transfer.deadline { updateDeadline(transfer) }
    }

    // MARK: The end of a round

    func endRound(now: MonotonicTime) {
        while let first = deadlines.earliest, first.deadline <= now { first.checkDeadline(now) }
        for shard in shards {
            shard.endRound(now: now)
            while let (easy, result) = shard.takeFinished() {
                guard let transfer = easy.transfer else { continue }
                if transfer.assembler.hasHead { easy.keepQuiet(for: shard) }
                if transfer.hasLeftover, transfer.cause == nil {
                    transfer.pendingResult = result
                } else {
                    finish(transfer, result)
                }
            }
        }
        while let transfer = queue.next() { begin(transfer) }
        if pruneTime <= now { prune() }
    }

    /// An answer has begun, over HTTP/2. Known from its end on it would be too late for those that wait for that end.
    func beginsAnswerOverHTTP2(_ transfer: Transfer) {
        queue.learnMultiplexing(of: transfer.place.host)
        if queue.hasWaiting { loop.markDirty(self) }
    }

    // MARK: Ending

    /// Ends a transfer that libcurl is done with.
    func finish(_ transfer: Transfer, _ result: CURLcode) {
        end(transfer, transfer.completion(result))
    }

    /// Ends a transfer wherever it is.
    func abort(_ transfer: Transfer, _ error: LupineError) {
        guard transfer.stage != .finished else { return }
        if let easy = transfer.easy {
            if transfer.isReceivingPausedInCurl {
                transfer.isReceivingPausedInCurl = false
                easy.dropHeldBody()
            }
            transfer.shard?.remove(easy)
        }
        end(transfer, ExchangeCompletion(error: error, delivery: transfer.delivery, metrics: transfer.metrics))
    }

    private func end(_ transfer: Transfer, _ completion: ExchangeCompletion) {
        guard transfer.stage != .finished else { return }
        switch transfer.stage {
        case .waiting: queue.giveUp(transfer, at: transfer.place)
        case .running:
            queue.leave(
                transfer.place,
                isMultiplexed: transfer.assembler.hasHead && transfer.cause == nil && !transfer.request.isHeldToHTTP1
                    ? completion.metrics.httpVersion == .http2 : nil)
        case .new, .asking, .finished: break
        }
        transfer.stage = .finished
        transfers.remove(transfer)
        deadlines.remove(transfer)
        transfer.body?.stop()
        if let easy = transfer.easy {
            easy.transfer = nil
            transfer.easy = nil
            transfer.shard = nil
            // One that libcurl itself ended while it was paused may still hold some of the body.
            if idleHandles.count < Self.keptHandles, !transfer.isReceivingPausedInCurl { idleHandles.append(easy) }
        }
        pruneTime = .distantFuture
        if transfers.isEmpty {
            if shards.isEmpty {
                loop.detach(self)
            } else {
                pruneTime = MonotonicTime.now().adding(idleLifetime)
            }
        }
        if queue.hasWaiting { loop.markDirty(self) }
        transfer.receiver.didFinish(completion)
    }

    /// Gives up connections that nobody has used for their lifetime: libcurl would keep them, closed by their
    /// servers or not, until its next use.
    private func prune() {
        pruneTime = .distantFuture
        guard transfers.isEmpty else { return }
        closeAll()
    }

    private func closeAll() {
        for shard in shards { shard.close() }
        shards = []
        idleHandles = []
        share = nil
        loop.detach(self)
    }

    func shutDown() {
        guard !isShutDown else { return }
        isShutDown = true
        for transfer in transfers.elements { abort(transfer, shutdownError(transfer)) }
        closeAll()
    }

    private func shutdownError(_ transfer: Transfer) -> LupineError {
        LupineError(.cancelled, "the session was invalidated before \(transfer.host) had answered", host: transfer.host)
    }
}
