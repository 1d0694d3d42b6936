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

    static func text(_ result: CURLcode) -> String { String(cString: curl_easy_strerror(result)) }
}
