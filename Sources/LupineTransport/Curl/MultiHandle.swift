internal import CLibcurl
internal import CLupineLinux
internal import LupineCore

/// One `CURLM`: some connections, and the transfers on them. Confined to the loop.
final class MultiHandle: DescriptorClient {
    private let pointer: OpaquePointer
    private let loop: LoopCore
    /// Who takes the results, at the end of a round.
    private unowned let owner: any LoopClient
    // Unchecked for exclusive access: while one of them is changed only its own methods run, which do not come back here.
    @exclusivity(unchecked) private var running = IndexedBag<EasyHandle>()
    private var mustKick = false
    private var timer = MonotonicTime.distantFuture

    /// When a socket last was ready, by descriptor: a transfer moves bytes that libcurl tells nobody about, such as half a
    /// line of a head.
    @exclusivity(unchecked) private var lastEvents: [MonotonicTime] = []

    /// Whether its transfers are held to HTTP/1.1 with hosts that speak HTTP/2. Apart, since libcurl gives any request an HTTP/1.1
    /// connection that is free, and counts those of both kinds under one limit.
    let isApart: Bool

    /// Something made libcurl's picture of its hosts wrong: what runs may end, nothing more begins.
    var isRetired = false

    var runningCount: Int { running.count }
    /// When libcurl wants to be called next.
    var deadline: MonotonicTime { timer }

    /// - Parameter keptConnections: how many idle connections to keep. libcurl's own default follows the number of
    ///   running transfers, and closes what it will need again.
    init?(
        loop: LoopCore, owner: any LoopClient, isApart: Bool, keptConnections: Int, hostLimit: Int, totalLimit: Int
    ) {
        guard CurlGlobal.isReady, let pointer = curl_multi_init() else { return nil }
        self.pointer = pointer
        self.loop = loop
        self.owner = owner
        self.isApart = isApart
        let context = Unmanaged.passUnretained(self).toOpaque()
        lupine_curl_multi_set_socket(pointer, CurlThunks.socket)
        lupine_curl_multi_set_pointer(pointer, CURLMOPT_SOCKETDATA, context)
        lupine_curl_multi_set_timer(pointer, CurlThunks.timer)
        lupine_curl_multi_set_pointer(pointer, CURLMOPT_TIMERDATA, context)
        lupine_curl_multi_set_long(pointer, CURLMOPT_MAXCONNECTS, keptConnections)
        lupine_curl_multi_set_long(pointer, CURLMOPT_MAX_HOST_CONNECTIONS, hostLimit)
        lupine_curl_multi_set_long(pointer, CURLMOPT_MAX_TOTAL_CONNECTIONS, totalLimit)
    }

    /// Takes out what runs and closes every connection. Nothing else may be called afterwards.
    func close() {
        for easy in running.elements { curl_multi_remove_handle(pointer, easy.pointer) }
        running.removeAll()
        curl_multi_cleanup(pointer)
    }

    /// - Returns: false when libcurl refuses the transfer.
    func add(_ easy: EasyHandle) -> Bool {
        guard curl_multi_add_handle(pointer, easy.pointer) == CURLM_OK else { return false }
        running.insert(easy)
        kick()
        return true
    }

    /// Takes a transfer out, whether it has ended or not.
    func remove(_ easy: EasyHandle) {
        guard easy.bagIndex >= 0 else { return }
        running.remove(easy)
        curl_multi_remove_handle(pointer, easy.pointer)
    }

    /// A new or unpaused transfer moves only when libcurl is called: once a round, for all of them.
    func kick() {
        mustKick = true
        loop.markDirty(owner)
    }

    /// When the socket of a transfer that shares it with no other was last ready.
    func lastEvent(of easy: EasyHandle) -> MonotonicTime? {
        lastEvents.indices.contains(Int(easy.descriptor)) ? lastEvents[Int(easy.descriptor)] : nil
    }

    // MARK: From the loop

    /// A transfer that has been sent on a kept connection may have read an answer, and been paused, before libcurl ever
    /// asked for its socket: while there is one, no socket is known to be unused.
    func isUnused(_ descriptor: Int32) -> Bool {
        !running.elements.contains { easy in
            easy.transfer.map { $0.sendings > 0 } == true && (easy.descriptor < 0 || easy.descriptor == descriptor)
        }
    }

    func ready(descriptor: Int32, events: UInt32) {
        while lastEvents.count <= Int(descriptor) { lastEvents.append(MonotonicTime(nanoseconds: 0)) }
        lastEvents[Int(descriptor)] = loop.wakeTime
        loop.noteTime()
        var mask: Int32 = 0
        if events & UInt32(LUPINE_EPOLLIN | LUPINE_EPOLLHUP) != 0 { mask |= CURL_CSELECT_IN }
        if events & UInt32(LUPINE_EPOLLOUT) != 0 { mask |= CURL_CSELECT_OUT }
        if events & UInt32(LUPINE_EPOLLERR) != 0 { mask |= CURL_CSELECT_ERR }
        var count: Int32 = 0
        curl_multi_socket_action(pointer, descriptor, mask, &count)
        loop.markDirty(owner)
    }

    func endRound(now: MonotonicTime) {
        guard mustKick || timer <= now else { return }
        loop.noteTime()
        mustKick = false
        // libcurl tells a time once: it counts on the call until it names another.
        if timer <= now { timer = .distantFuture }
        var count: Int32 = 0
        curl_multi_socket_action(pointer, CURL_SOCKET_TIMEOUT, 0, &count)
    }

    /// The next transfer that has ended, taken out.
    func takeFinished() -> (EasyHandle, CURLcode)? {
        var left: Int32 = 0
        while let message = curl_multi_info_read(pointer, &left) {
            guard message.pointee.msg == CURLMSG_DONE, let handle = message.pointee.easy_handle else { continue }
            let result = lupine_curl_message_result(message)
            guard let easy = CurlThunks.owner(of: handle), easy.bagIndex >= 0 else { continue }
            remove(easy)
            return (easy, result)
        }
        return nil
    }

    // MARK: From libcurl

    func wants(_ what: Int32, on descriptor: Int32) {
        var events: UInt32 = 0
        if what & CURL_POLL_REMOVE == 0 {
            if what & CURL_POLL_IN != 0 { events |= UInt32(LUPINE_EPOLLIN) }
            if what & CURL_POLL_OUT != 0 { events |= UInt32(LUPINE_EPOLLOUT) }
        }
        loop.poller.want(events, on: descriptor, for: self)
    }

    func wantsCall(inMilliseconds milliseconds: Int) {
        switch milliseconds {
        case ..<0: timer = .distantFuture
        case 0: kick()
        default: timer = MonotonicTime.now().adding(TimeLimit(nanoseconds: UInt64(milliseconds) * 1_000_000))
        }
    }
}
