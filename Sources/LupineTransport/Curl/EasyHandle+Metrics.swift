internal import CLibcurl
internal import LupineCore

extension EasyHandle {
    /// What libcurl measured of the transfer that just ended.
    var metrics: TransferMetrics {
        var metrics = TransferMetrics()
        metrics.times.nameLookup = offset(CURLINFO_NAMELOOKUP_TIME_T)
        metrics.times.connect = offset(CURLINFO_CONNECT_TIME_T)
        metrics.times.tls = offset(CURLINFO_APPCONNECT_TIME_T)
        metrics.times.firstByte = offset(CURLINFO_STARTTRANSFER_TIME_T)
        metrics.times.total = offset(CURLINFO_TOTAL_TIME_T)
        metrics.sentBytes = offset(CURLINFO_SIZE_UPLOAD_T)
        metrics.receivedBytes = offset(CURLINFO_SIZE_DOWNLOAD_T)
        metrics.remoteAddress = address(CURLINFO_PRIMARY_IP, CURLINFO_PRIMARY_PORT)
        metrics.localAddress = address(CURLINFO_LOCAL_IP, CURLINFO_LOCAL_PORT)
        metrics.isReusedConnection = long(CURLINFO_NUM_CONNECTS) == 0
        metrics.httpVersion = httpVersion
        return metrics
    }

    private func address(_ ip: CURLINFO, _ port: CURLINFO) -> SocketAddress? {
        string(ip).map { SocketAddress(ip: $0, port: long(port)) }
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
