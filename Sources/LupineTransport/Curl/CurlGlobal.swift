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

    private static let version = isReady ? lupine_curl_version()?.pointee.version_num ?? 0 : 0

    /// Whether a head whose first field is folded makes libcurl write into freed memory, on a handle that has read another
    /// before: 7.83 to 8.2 keep a pointer to the last field when they free the fields (curl's issues 11101 and 11620).
    static let misplacesFolds = (0x07_53_00..<0x08_03_00).contains(version)

    /// Whether the bytes of a body are shown with their chunks' framing. So it was before libcurl 8.3; what later ones do
    /// has not been seen.
    static let showsChunks = version < 0x08_03_00

    /// Whether an answer can be lost over HTTP/2 that comes, and closes its stream, before the server has read the request's
    /// body, as early refusals do (RFC 9113 section 8.1): libcurl 7.88 drops what it has just read of an answer when the
    /// stream's reset comes with it, and writes to a closed stream before it reads. Later ones have not been tried.
    static let losesEarlyAnswers = version < 0x08_03_00

    static func text(_ result: CURLcode) -> String { String(cString: curl_easy_strerror(result)) }
}
