internal import CLibcurl
internal import LupineCore

extension Transfer {
    /// How the exchange ended, when libcurl is done with it.
    func completion(_ result: CURLcode) -> ExchangeCompletion {
        if cause == nil { releaseHead() }
        var error = cause ?? chunkFault() ?? (result == CURLE_OK ? nil : curlError(result))
        if error == nil { error = endFault() }
        // Without a fault of libcurl's bytes came, if only half a line.
        let delivery = result == CURLE_OK ? .answered : delivery
        return ExchangeCompletion(error: error, delivery: delivery, metrics: metrics)
    }

    var metrics: TransferMetrics {
        guard var metrics = easy?.metrics else { return TransferMetrics() }
        // libcurl counts the framing of chunks too, and gives a Unix socket's path for an address.
        if request.options.route.unixSocket != nil {
            metrics.remoteAddress = nil
            metrics.localAddress = nil
        }
        if let body { metrics.sentBytes = min(metrics.sentBytes, body.given) }
        metrics.isReusedConnection = sendings > 0 && metrics.isReusedConnection
        return metrics
    }

    private func chunkFault() -> LupineError? {
        guard let chunks, chunks.isDamaged else { return nil }
        return LupineError(
            .badResponse, "\(host) sent an answer that cannot be used: one of its chunks is none", host: host)
    }

    /// What libcurl takes for a good end and is none.
    private func endFault() -> LupineError? {
        guard assembler.hasHead else {
            return LupineError(.connectionLost, "\(host) closed the connection within the answer's head", host: host)
        }
        guard easy?.hasNotice ?? true else {
            return LupineError(
                .incompleteBody,
                "\(host) ended the connection without TLS's close_notify, and nothing else tells whether the body is whole",
                host: host)
        }
        guard chunks?.isDone ?? true else {
            return LupineError(.incompleteBody, message(.incompleteBody, "no end of its last chunk came"), host: host)
        }
        do {
            try decoder?.finish()
        } catch {
            return LupineError(error.code, "\(error.reason) (\(host))", host: host)
        }
        if let trailers = assembler.trailers() { receiver.didReceive(trailers: trailers) }
        return nil
    }

    var delivery: RequestDelivery {
        if assembler.hasBegun || assembler.hasHead { return .answered }
        return sendings == 0 || !hasLeft ? .unsent : .unanswered
    }

    /// Whether a byte of the request was taken from libcurl: a kept connection may be dead when it is to be written to.
    var hasLeft: Bool { easy?.long(CURLINFO_REQUEST_SIZE) ?? 0 > 0 }

    private func curlError(_ result: CURLcode) -> LupineError {
        let text = easy?.errorText ?? CurlGlobal.text(result)
        let code = isProxyFault(result, text) ? .proxyFailed : code(result, text)
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
        if result == CURLE_SSL_CACERT_BADFILE, let file = easy?.extraRootsFile {
            detail = "no certificates can be read from \(file.quotedForMessage)"
        }
        return detail
    }

    private func code(_ result: CURLcode, _ detail: String) -> LupineError.Code {
        // Linux does not run out of memory: libcurl says so where a line is longer than it reads, or writes.
        if result == CURLE_OUT_OF_MEMORY {
            return easy?.long(CURLINFO_REQUEST_SIZE) ?? 0 > 0 ? .responseTooLarge : .invalidRequest
        }
        // Said of a field that libcurl cannot take apart.
        if result == CURLE_BAD_FUNCTION_ARGUMENT, sendings > 0 { return .badResponse }
        // The head stated a length, and was cut itself.
        if result == CURLE_PARTIAL_FILE, !assembler.hasHead { return .connectionLost }
        return CurlErrorTable.code(result, detail: detail, afterHead: assembler.hasHead)
            ?? CurlErrorTable.code(result, afterHead: assembler.hasHead)
    }

    /// Whether it was the proxy that failed, before the request could leave.
    private func isProxyFault(_ result: CURLcode, _ text: String) -> Bool {
        let answer = easy?.long(CURLINFO_HTTP_CONNECTCODE) ?? 0
        if sendings == 0, answer != 0, !(200...299).contains(answer) { return true }
        guard sendings == 0 else { return false }
        if text.hasPrefix("Unsupported proxy") { return true }
        switch request.options.route.proxy {
        case .none: return false
        case .url: return [.couldNotConnect, .connectionLost].contains(CurlErrorTable.code(result))
        case .environment:
            // Which proxy the environment gave, if any, libcurl tells only by naming what it could not connect to.
            let route = request.options.route
            guard route.connectTo.isEmpty, route.unixSocket == nil, request.url.host.utf8.allSatisfy({ $0 < 0x80 }),
                text.hasPrefix("Failed to connect to ")
            else { return false }
            let host = request.url.host.trimmingPrefix("[").prefix { $0 != "]" }
            return !text.hasPrefix("Failed to connect to \(host) port \(request.url.port) ")
        }
    }

    /// What failed, on which host, and what to do.
    private func message(_ code: LupineError.Code, _ detail: String) -> String {
        switch code {
        case .couldNotResolve: "no address is known for \(host): check the name (\(detail))"
        case .couldNotConnect: "could not connect to \(host): is a server listening there? (\(detail))"
        case .connectionLost:
            "the connection to \(host) ended before an answer; the request may be sent again (\(detail))"
        case .incompleteBody: "the body from \(host) ended early; what came is not whole (\(detail))"
        case .trustRejected:
            "the certificate of \(host) is not trusted: if its authority is your own, give its file (\(detail))"
        case .tlsFailed: "no secure connection to \(host): do both sides speak TLS? (\(detail))"
        case .proxyFailed: "the proxy on the way to \(host) failed: check its address (\(detail))"
        case .timedOut: "\(host) took too long (\(detail))"
        default: "the exchange with \(host) failed: \(detail)"
        }
    }
}
