internal import CLibcurl
internal import FoundationEssentials
internal import LupineCore

extension EasyHandle {
    /// Bodies up to this go to libcurl whole and leave with the head, in one packet.
    static let inlineBodySize = 64 << 10
    /// The largest head, in bytes, with room for what libcurl adds: it builds it in a buffer of 1 MiB.
    static let maximumHeadSize = 900_000

    /// Sets everything that belongs to one request.
    ///
    /// - Throws: `unsupported` when this machine's libcurl refuses an option, `invalid-request` when its value is bad.
    func prepare(_ request: HTTPRequest, fields: FieldList) throws(LupineError) {
        clearErrorText()
        allowReuse()
        descriptor = -1
        try check(set(CURLOPT_URL, request.url.string), "the URL", request)
        try setMethodAndBody(request)
        use(fields)
        guard fields.size + request.url.string.utf8.count <= Self.maximumHeadSize else {
            throw LupineError(
                .invalidRequest, "the request's head is larger than \(Self.maximumHeadSize) bytes; nothing was sent",
                host: request.url.host)
        }
        let maximumVersion = request.usableHTTPVersion
        if maximumVersion != version {
            version = maximumVersion
            try check(set(CURLOPT_HTTP_VERSION, curlVersion(maximumVersion)), "the HTTP version", request)
        }
        // Wait for a connection that may take another stream rather than open one more. Not in the clear: libcurl would wait
        // for the first answer to know that HTTP/2 is not spoken there, and one that is slow would hold up all.
        let waitsForStreams = request.url.isSecure && maximumVersion >= .http2
        if waitsForStreams != self.waitsForStreams {
            self.waitsForStreams = waitsForStreams
            set(CURLOPT_PIPEWAIT, waitsForStreams ? 1 : 0)
        }
        if request.options.usesNewConnection != usesNewConnection {
            usesNewConnection = request.options.usesNewConnection
            set(CURLOPT_FRESH_CONNECT, usesNewConnection ? 1 : 0)
        }
        let limit = request.options.timeouts.limits.connect
        if limit.nanoseconds != connectTimeout {
            connectTimeout = limit.nanoseconds
            set(CURLOPT_CONNECTTIMEOUT_MS, limit.duration?.wholeMilliseconds ?? Int(Int32.max))
        }
        if request.options.route != route { try setRoute(request.options.route, request) }
    }

    /// libcurl takes another size only before a transfer begins.
    func setReceiveBuffer(_ size: Int) {
        guard size != receiveBufferSize else { return }
        receiveBufferSize = size
        set(CURLOPT_BUFFERSIZE, size)
    }

    private func check(_ result: CURLcode, _ what: String, _ request: HTTPRequest) throws(LupineError) {
        switch result {
        case CURLE_OK: return
        case CURLE_UNKNOWN_OPTION, CURLE_NOT_BUILT_IN, CURLE_UNSUPPORTED_PROTOCOL:
            throw LupineError(
                .unsupported, "this machine's libcurl cannot set \(what): \(CurlGlobal.text(result))",
                host: request.url.host)
        default:
            throw LupineError(
                .invalidRequest, "\(what) cannot be used: \(CurlGlobal.text(result))", host: request.url.host)
        }
    }

    private func curlVersion(_ version: HTTPVersion) -> Int {
        if version >= .http2 { return Int(CURL_HTTP_VERSION_2TLS) }
        return Int(version == .http1_0 ? CURL_HTTP_VERSION_1_0 : CURL_HTTP_VERSION_1_1)
    }

    /// libcurl has a mode for each shape of request, and the method's name apart from it.
    private func setMethodAndBody(_ request: HTTPRequest) throws(LupineError) {
        let isGet = request.method == .get && request.body.isEmpty
        defer { wasGet = isGet }
        if isGet, wasGet { return }
        set(CURLOPT_HTTPGET, 1)
        var implied = HTTPMethod.get
        let length = request.statedBodyLength
        if request.method == .head {
            set(CURLOPT_NOBODY, 1)
            implied = .head
        } else if request.body.isEmpty {
            if request.method.expectsBody {
                set(CURLOPT_POSTFIELDSIZE_LARGE, offset: 0)
                set(CURLOPT_COPYPOSTFIELDS, "")
                implied = .post
            }
        } else if case .bytes(let data) = request.body.source, data.count <= Self.inlineBodySize {
            set(CURLOPT_POSTFIELDSIZE_LARGE, offset: Int64(data.count))
            let result = data.withUnsafeBytes { set(CURLOPT_COPYPOSTFIELDS, pointer: $0.baseAddress) }
            try check(result, "the body", request)
            implied = .post
        } else {
            set(CURLOPT_UPLOAD, 1)
            set(CURLOPT_INFILESIZE_LARGE, offset: length ?? -1)
            implied = .put
        }
        let custom = request.method == implied ? nil : request.method
        if custom != customMethod {
            customMethod = custom
            set(CURLOPT_CUSTOMREQUEST, custom?.rawValue)
        }
    }

    /// For the same request over again after a 417 (RFC 9110 section 10.1.1).
    func dropExpectation(of request: HTTPRequest) {
        var request = request
        request.headers.remove(name: "Expect")
        use(FieldList(request))
    }

    private func use(_ list: FieldList) {
        guard list !== fields else { return }
        lupine_curl_set_list(pointer, CURLOPT_HTTPHEADER, list.pointer)
        if list.proxyPointer != fields?.proxyPointer {
            lupine_curl_set_list(pointer, CURLOPT_PROXYHEADER, list.proxyPointer)
        }
        fields = list
    }

    private func setRoute(_ route: ConnectionRoute, _ request: HTTPRequest) throws(LupineError) {
        self.route = route
        switch route.proxy {
        case .environment: set(CURLOPT_PROXY, nil)
        case .none: set(CURLOPT_PROXY, "")
        case .url(let url): try check(set(CURLOPT_PROXY, url), "the proxy", request)
        }
        try check(set(CURLOPT_UNIX_SOCKET_PATH, route.unixSocket), "the Unix socket", request)
        try check(set(CURLOPT_INTERFACE, route.interface), "the interface", request)
        let family =
            switch route.addressFamily {
            case .any: CURL_IPRESOLVE_WHATEVER
            case .ipv4: CURL_IPRESOLVE_V4
            case .ipv6: CURL_IPRESOLVE_V6
            }
        set(CURLOPT_IPRESOLVE, Int(family))
        curl_slist_free_all(connectToList)
        connectToList = route.connectTo.reduce(nil) { curl_slist_append($0, $1.curlText) }
        lupine_curl_set_list(pointer, CURLOPT_CONNECT_TO, connectToList)
        set(CURLOPT_TCP_KEEPALIVE, route.tcpKeepAlive == nil ? 0 : 1)
        if let keepAlive = route.tcpKeepAlive {
            set(CURLOPT_TCP_KEEPIDLE, Int(max(1, keepAlive.idle.components.seconds)))
            set(CURLOPT_TCP_KEEPINTVL, Int(max(1, keepAlive.interval.components.seconds)))
        }
    }
}

extension HTTPRequest {
    /// Whether it goes over HTTP/1.1 where others of its origin may go over HTTP/2.
    var isHeldToHTTP1: Bool { url.isSecure && usableHTTPVersion < .http2 }

    /// The highest version that this libcurl can be trusted with for this request.
    var usableHTTPVersion: HTTPVersion {
        let version = options.maximumHTTPVersion
        // In the clear it is not offered. Were it wanted, libcurl would believe a status line that says HTTP/2, and from then
        // on send requests over connections of that host that wait for other answers.
        guard version >= .http2, url.isSecure else { return min(version, .http1_1) }
        return CurlGlobal.losesEarlyAnswers && !body.isEmpty ? .http1_1 : version
    }
}

extension ConnectTo {
    /// `HOST:PORT:TOHOST:TOPORT`.
    package var curlText: String {
        "\(Self.bracketed(host)):\(port.map(String.init) ?? ""):\(Self.bracketed(toHost)):\(toPort.map(String.init) ?? "")"
    }

    private static func bracketed(_ host: String) -> String {
        host.utf8.contains(UInt8(ascii: ":")) && !host.hasPrefix("[") ? "[\(host)]" : host
    }
}

extension Duration {
    /// Rounded up; at least 1, since libcurl reads 0 as "none".
    var wholeMilliseconds: Int {
        let (seconds, attoseconds) = components
        guard seconds < 2_000_000 else { return 2_000_000_000 }
        return max(1, Int(seconds) * 1000 + Int((attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000))
    }
}
