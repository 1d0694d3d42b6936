internal import CLibcurl
internal import Glibc
internal import LupineCore

extension EasyHandle {
    /// What libcurl measured of the transfer that just ended.
    func measure(into metrics: inout TransferMetrics) {
        metrics.isReusedConnection = long(CURLINFO_NUM_CONNECTS) == 0
        // Of a kept connection libcurl tells when it was found.
        if !metrics.isReusedConnection {
            metrics.times.nameLookup = offset(CURLINFO_NAMELOOKUP_TIME_T)
            metrics.times.connect = offset(CURLINFO_CONNECT_TIME_T)
            metrics.times.tls = offset(CURLINFO_APPCONNECT_TIME_T)
        }
        metrics.times.firstByte = offset(CURLINFO_STARTTRANSFER_TIME_T)
        metrics.times.total = offset(CURLINFO_TOTAL_TIME_T)
        metrics.sentBytes = offset(CURLINFO_SIZE_UPLOAD_T)
        metrics.receivedBytes = offset(CURLINFO_SIZE_DOWNLOAD_T)
        lastRemote = address(CURLINFO_PRIMARY_IP, CURLINFO_PRIMARY_PORT, last: lastRemote)
        lastLocal = address(CURLINFO_LOCAL_IP, CURLINFO_LOCAL_PORT, last: lastLocal)
        metrics.remoteAddress = lastRemote
        metrics.localAddress = lastLocal
        metrics.httpVersion = httpVersion
    }

    /// Mostly the one of the handle's last transfer.
    private func address(_ ip: CURLINFO, _ port: CURLINFO, last: SocketAddress?) -> SocketAddress? {
        guard let ip = text(ip) else { return nil }
        let port = long(port)
        if let last, last.port == port, last.ip.isText(ip) { return last }
        return SocketAddress(ip: String(cString: ip), port: port)
    }

    private var httpVersion: HTTPVersion? {
        switch long(CURLINFO_HTTP_VERSION) {
        case CURL_HTTP_VERSION_1_0: .http1_0
        case CURL_HTTP_VERSION_1_1: .http1_1
        case CURL_HTTP_VERSION_2_0: .http2
        default: nil
        }
    }
}

extension String {
    /// Whether a C string holds the same bytes.
    fileprivate func isText(_ text: UnsafePointer<CChar>) -> Bool {
        // Compared up to the C string's end at the latest.
        utf8.withContiguousStorageIfAvailable { bytes in
            bytes.withMemoryRebound(to: CChar.self) { bytes in
                bytes.baseAddress.map { strncmp($0, text, bytes.count) == 0 && text[bytes.count] == 0 } ?? false
            }
        } ?? false
    }
}
