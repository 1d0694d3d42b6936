internal import CLibcurl
internal import COpenSSL

// Over TLS a body that ends with the connection is whole only when the peer said so, by close_notify; anybody on the way
// could end it otherwise (RFC 9112 section 9.8). libcurl takes either end for a good one.
extension EasyHandle {
    /// From now on ``hasNotice`` tells whether the peer has ended the connection in order.
    func watchForNotice() {
        notice.pointee = 0
        var session: UnsafeMutableRawPointer?
        guard lupine_curl_get_tls_session(pointer, &session) == CURLE_OK, let session else { return }
        watchesForNotice = lupine_ssl_watch_notice(session, notice) == 1
    }

    /// True where nothing was watched.
    var hasNotice: Bool { !watchesForNotice || notice.pointee != 0 }
}
