internal import CLibcurl
internal import COpenSSL

// What only the TLS connection itself knows.
extension EasyHandle {
    /// While a transfer runs over TLS; `nil` also where libcurl has another library than OpenSSL.
    private var tlsSession: UnsafeMutableRawPointer? {
        var session: UnsafeMutableRawPointer?
        return lupine_curl_get_tls_session(pointer, &session) == CURLE_OK ? session : nil
    }

    /// From now on ``hasNotice`` tells whether the peer has ended the connection in order.
    ///
    /// Over TLS a body that ends with the connection is whole only when the peer said so, by close_notify; anybody on the
    /// way could end it otherwise (RFC 9112 section 9.8). libcurl takes either end for a good one.
    func watchForNotice() {
        notice.pointee = 0
        guard let session = tlsSession else { return }
        watchesForNotice = lupine_ssl_watch_notice(session, notice) == 1
    }

    /// True where nothing was watched.
    var hasNotice: Bool { !watchesForNotice || notice.pointee != 0 }

    /// Whether the connection's two sides agreed on HTTP/2, whatever a status line says; true where that is not known.
    var agreedOnHTTP2: Bool { tlsSession.map { lupine_ssl_agreed_on_http2($0) == 1 } ?? true }
}
