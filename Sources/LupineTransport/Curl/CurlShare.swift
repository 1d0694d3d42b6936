internal import CLibcurl

/// What the multi handles of one session share: addresses looked up, and TLS sessions. No locks: all are used
/// on one thread.
final class CurlShare {
    let pointer: OpaquePointer

    init?() {
        guard CurlGlobal.isReady, let pointer = curl_share_init() else { return nil }
        self.pointer = pointer
        lupine_curl_share_set_data(pointer, CURL_LOCK_DATA_DNS)
        lupine_curl_share_set_data(pointer, CURL_LOCK_DATA_SSL_SESSION)
    }

    deinit { curl_share_cleanup(pointer) }
}
