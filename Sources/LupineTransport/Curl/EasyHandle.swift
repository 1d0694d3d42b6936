internal import CLibcurl
internal import Glibc
internal import LupineCore

/// One `CURL`: options set once when it is made, those of a request for each use. Confined to the loop.
final class EasyHandle: IndexedBagElement {
    let pointer: OpaquePointer
    /// The transfer that uses it.
    var transfer: Transfer?
    var bagIndex = -1
    /// The socket that libcurl last wanted watched for the transfer; -1 before.
    var descriptor: Int32 = -1
    private let loop: LoopCore
    // Owned for the handle's whole life: libcurl writes its error texts here.
    private let errorBuffer: UnsafeMutablePointer<CChar>
    private let extraRoots: ExtraRoots?

    // What the last request left set, so that the next sets only what differs.
    var lastRemote: SocketAddress?
    var lastLocal: SocketAddress?
    var fields: FieldList?
    var connectToList: UnsafeMutablePointer<curl_slist>?
    var route = ConnectionRoute()
    /// In nanoseconds; libcurl's own at first.
    var connectTimeout: UInt64 = 300_000_000_000
    var version: HTTPVersion?
    /// Without a body; as a handle is at first.
    var wasGet = true
    var customMethod: HTTPMethod?
    var waitsForStreams = false
    var usesNewConnection = false
    var receiveBufferSize = 0
    private var forbidsReuse = false
    private var hearsRemarks = false
    private var awaitsFirstField = false
    var watchesForNotice = false
    // Owned for the handle's whole life, which a connection that is watched does not outlast: it ends with its answer.
    let notice = UnsafeMutablePointer<Int32>.allocate(capacity: 1)
    private let resolveList: UnsafeMutablePointer<curl_slist>?

    init?(configuration: TransportConfiguration, loop: LoopCore, share: CurlShare) {
        guard CurlGlobal.isReady, let pointer = curl_easy_init() else { return nil }
        self.pointer = pointer
        self.loop = loop
        errorBuffer = .allocate(capacity: Int(CURL_ERROR_SIZE))
        errorBuffer.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
        extraRoots = ExtraRoots(configuration.certificateAuthorities)
        resolveList = configuration.resolve.reduce(nil) { curl_slist_append($0, $1.curlText) }
        setConstants(configuration, loop: loop, share: share)
    }

    deinit {
        curl_easy_cleanup(pointer)
        curl_slist_free_all(connectToList)
        curl_slist_free_all(resolveList)
        errorBuffer.deallocate()
        notice.deallocate()
    }

    private func setConstants(_ configuration: TransportConfiguration, loop: LoopCore, share: CurlShare) {
        let context = Unmanaged.passUnretained(self).toOpaque()
        set(CURLOPT_ERRORBUFFER, pointer: errorBuffer)
        set(CURLOPT_SHARE, pointer: UnsafeRawPointer(share.pointer))
        // No signals, and no waiting for a resolver's thread when a transfer is taken out.
        set(CURLOPT_NOSIGNAL, 1)
        set(CURLOPT_QUICK_EXIT, 1)
        set(CURLOPT_PROTOCOLS_STR, "http,https")
        set(CURLOPT_FOLLOWLOCATION, 0)
        // What HTTPURL has made canonical is sent as it is.
        set(CURLOPT_PATH_AS_IS, 1)
        set(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1)
        set(CURLOPT_UPLOAD_BUFFERSIZE, 128 << 10)
        set(CURLOPT_MAXAGE_CONN, Int(max(1, configuration.idleConnectionLifetime.components.seconds)))
        if let resolveList { lupine_curl_set_list(pointer, CURLOPT_RESOLVE, resolveList) }

        lupine_curl_set_write(pointer, CURLOPT_HEADERFUNCTION, CurlThunks.header)
        lupine_curl_set_write(pointer, CURLOPT_WRITEFUNCTION, CurlThunks.write)
        lupine_curl_set_read(pointer, CurlThunks.read)
        lupine_curl_set_seek(pointer, CurlThunks.seek)
        lupine_curl_set_prereq(pointer, CurlThunks.request)
        lupine_curl_set_debug(pointer, CurlThunks.debug)
        for option in [
            CURLOPT_HEADERDATA, CURLOPT_WRITEDATA, CURLOPT_READDATA, CURLOPT_SEEKDATA, CURLOPT_PREREQDATA,
            CURLOPT_DEBUGDATA, CURLOPT_PRIVATE,
        ] {
            set(option, pointer: context)
        }
        lupine_curl_set_open_socket(pointer, CurlThunks.openSocket)
        lupine_curl_set_close_socket(pointer, CurlThunks.closeSocket)
        let loopContext = Unmanaged.passUnretained(loop).toOpaque()
        set(CURLOPT_OPENSOCKETDATA, pointer: loopContext)
        set(CURLOPT_CLOSESOCKETDATA, pointer: loopContext)

        switch configuration.certificateAuthorities.storage {
        case .system: break
        case .only(let file):
            // A proxy that is spoken to over TLS is vouched for by the same.
            for option in [CURLOPT_CAINFO, CURLOPT_PROXY_CAINFO] { set(option, file.systemPath) }
            for option in [CURLOPT_CAPATH, CURLOPT_PROXY_CAPATH] { set(option, nil) }
        case .systemAnd:
            if let extraRoots {
                lupine_curl_set_ssl_context(pointer, ExtraRoots.thunk)
                set(CURLOPT_SSL_CTX_DATA, pointer: Unmanaged.passUnretained(extraRoots).toOpaque())
            }
        }
    }

    // MARK: One line for each C call

    @discardableResult
    func set(_ option: CURLoption, _ value: Int) -> CURLcode { lupine_curl_set_long(pointer, option, value) }

    @discardableResult
    func set(_ option: CURLoption, offset value: Int64) -> CURLcode {
        lupine_curl_set_offset(pointer, option, curl_off_t(value))
    }

    @discardableResult
    func set(_ option: CURLoption, _ value: String?) -> CURLcode {
        guard let value else { return lupine_curl_set_string(pointer, option, nil) }
        // Passed as it is, a string would be copied first.
        return value.withCString { lupine_curl_set_string(pointer, option, $0) }
    }

    @discardableResult
    func set(_ option: CURLoption, pointer value: UnsafeRawPointer?) -> CURLcode {
        lupine_curl_set_pointer(pointer, option, value)
    }

    func offset(_ info: CURLINFO) -> Int64 {
        var value: curl_off_t = 0
        return lupine_curl_get_offset(pointer, info, &value) == CURLE_OK ? Int64(value) : 0
    }

    func long(_ info: CURLINFO) -> Int {
        var value = 0
        return lupine_curl_get_long(pointer, info, &value) == CURLE_OK ? value : 0
    }

    /// libcurl's own, until the handle is used again.
    func text(_ info: CURLINFO) -> UnsafePointer<CChar>? {
        var value: UnsafeMutablePointer<CChar>?
        guard lupine_curl_get_string(pointer, info, &value) == CURLE_OK, let value, value.pointee != 0 else {
            return nil
        }
        return UnsafePointer(value)
    }

    /// What libcurl said of its last failure.
    var errorText: String? { errorBuffer.pointee == 0 ? nil : String(cString: errorBuffer) }

    /// What the system said of the last connection that could not be made.
    var systemError: String? {
        let number = long(CURLINFO_OS_ERRNO)
        return number == 0 ? nil : String(cString: strerror(Int32(truncatingIfNeeded: number)))
    }

    func clearErrorText() { errorBuffer.pointee = 0 }

    /// The connection ends with this answer.
    func forbidReuse() {
        guard !forbidsReuse else { return }
        forbidsReuse = true
        set(CURLOPT_FORBID_REUSE, 1)
    }

    /// Has libcurl tell its remarks, for the two things that it says nowhere else. That costs some microseconds, so it
    /// is asked for where it matters.
    func hearRemarks() {
        guard !hearsRemarks else { return }
        hearsRemarks = true
        set(CURLOPT_VERBOSE, 1)
    }

    /// The next line of the head is its first field, or not any more. Where libcurl must not store that line as it may come,
    /// it is asked to tell each line before it does: for this one alone.
    func awaitFirstField(_ isNext: Bool) {
        guard isNext != awaitsFirstField, CurlGlobal.misplacesFolds else { return }
        awaitsFirstField = isNext
        if !hearsRemarks { set(CURLOPT_VERBOSE, isNext ? 1 : 0) }
    }

    /// libcurl is about to store a line of a head. It puts aside what comes while it is paused.
    func willStore(_ line: UnsafeRawBufferPointer) {
        guard awaitsFirstField, let first = line.first, first == 0x20 || first == 0x09 else { return }
        setPause(CURLPAUSE_RECV)
        transfer?.refuseFoldedFirstField()
    }

    func noted(_ text: UnsafeRawBufferPointer) {
        // Bytes came after the answer's end. libcurl drops them and keeps the connection, on which what is still to come of
        // them would be taken for the next answer.
        if text.starts(with: "Leftovers after".utf8) || text.starts(with: "Excess found".utf8) { forbidReuse() }
    }

    /// An HTTP/1 connection has nothing to say unasked: one that does while it is kept has come to its end.
    func keepQuiet(for client: any DescriptorClient) {
        let version = long(CURLINFO_HTTP_VERSION)
        if version == CURL_HTTP_VERSION_1_1 || version == CURL_HTTP_VERSION_1_0 {
            loop.poller.expectQuiet(on: descriptor, for: client)
        }
    }

    func allowReuse() {
        if forbidsReuse { set(CURLOPT_FORBID_REUSE, 0) }
        if hearsRemarks || awaitsFirstField { set(CURLOPT_VERBOSE, 0) }
        forbidsReuse = false
        hearsRemarks = false
        awaitsFirstField = false
        watchesForNotice = false
    }

    /// - Parameter mask: `CURLPAUSE_…`: the whole new state of both directions.
    func setPause(_ mask: Int32) { curl_easy_pause(pointer, mask) }

    /// Has libcurl hand out what it holds of a paused body, to nobody. Before the handle is taken out: afterwards, if others use the
    /// connection, libcurl before 8.1 neither frees that nor forgets it, and would give it to the next transfer.
    func dropHeldBody() {
        transfer = nil
        setPause(CURLPAUSE_CONT)
    }
}
