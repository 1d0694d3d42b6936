internal import CLibcurl
internal import LupineCore

// What libcurl's failures are called, and said to be, to people.
extension Transfer {
    func curlError(_ result: CURLcode) -> LupineError {
        let text = easy?.errorText ?? CurlGlobal.text(result)
        let code = isProxyFault(result, text) ? .proxyFailed : code(result, text)
        if result == CURLE_SSL_CACERT_BADFILE, let file = core.configuration.certificateAuthorities.file {
            return LupineError(
                code,
                "no certificates can be read from \(file.quotedForMessage), which \(host)'s is to be checked with",
                host: host)
        }
        // libcurl's clock for the connection may come before ours.
        if code == .timedOut, sendings == 0 { return timing.error(.connect, host: host) }
        return LupineError(code, message(code, detail(result, text)), host: host)
    }

    /// What libcurl said, with what it leaves out, and without what is secret.
    private func detail(_ result: CURLcode, _ text: String) -> String {
        var detail = text.withoutUserinfo.onOneLine
        if result == CURLE_COULDNT_CONNECT {
            // What the system said: refused, unreachable, no such socket. libcurl keeps it from one transfer to the next, so
            // only where it must be this one's.
            if text.hasPrefix("Failed to connect"), let reason = easy?.systemError { detail = "\(reason): \(detail)" }
            if let path = request.options.route.unixSocket { detail += ", over the socket \(path.quotedForMessage)" }
        }
        return detail
    }

    /// Whether a second sending does harm, as far as is known of the first.
    private var advice: String {
        request.method.isIdempotent || delivery == .unsent
            ? "the request may be sent again" : "the server may have acted on the \(request.method)"
    }

    /// What failed, on which host, and what to do.
    func message(_ code: LupineError.Code, _ detail: String) -> String {
        switch code {
        case .couldNotResolve: "no address is known for \(host): check the name (\(detail))"
        case .couldNotConnect: "could not connect to \(host): is a server listening there? (\(detail))"
        case .connectionLost:
            "the connection to \(host) ended before an answer; \(advice) (\(detail))"
        case .incompleteBody: "the body from \(host) is not whole: what came of it cannot be used as such (\(detail))"
        case .trustRejected: "the certificate of \(host) is not trusted: \(Self.trustAdvice(detail)) (\(detail))"
        case .tlsFailed: "no secure connection to \(host): do both sides speak TLS? (\(detail))"
        case .proxyFailed: "the proxy on the way to \(host) failed: check its address (\(detail))"
        case .timedOut: "\(host) took too long (\(detail))"
        default: "the exchange with \(host) failed: \(detail)"
        }
    }

    /// What to do about a certificate, by what libcurl or OpenSSL has against it.
    static func trustAdvice(_ detail: String) -> String {
        if detail.contains("subject name") { return "it is for other names; is this the right host?" }
        if detail.contains("expired") || detail.contains("not yet valid") {
            return "today is not within its time; its owner must renew it, unless this machine's clock is wrong"
        }
        return "if its authority is your own, give its file"
    }
}
