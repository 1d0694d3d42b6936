internal import CLibcurl

/// libcurl's process-wide state, set up once.
enum CurlGlobal {
    static let isReady: Bool = curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK

    /// What this machine's libcurl has, asked and never assumed.
    static let features: (hasHTTP2: Bool, hasTLS: Bool) = {
        guard isReady, let info = lupine_curl_version() else { return (false, false) }
        let features = info.pointee.features
        return (features & CURL_VERSION_HTTP2 != 0, features & CURL_VERSION_SSL != 0)
    }()

    /// Before 8.3 the second answer over a handle, if its first field is a folded line, has libcurl write to memory that it
    /// freed with the first (its issues 11101 and 11620): a server could end the process, or worse. There each request gets
    /// a handle of its own.
    static let mayReuseHandles: Bool = {
        guard isReady, let info = lupine_curl_version() else { return false }
        return info.pointee.version_num >= 0x08_03_00
    }()

    static func text(_ result: CURLcode) -> String { String(cString: curl_easy_strerror(result)) }
}
