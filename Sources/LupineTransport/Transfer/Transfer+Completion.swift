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
        var metrics = TransferMetrics()
        guard let easy else { return metrics }
        easy.measure(into: &metrics)
        // libcurl counts the framing of chunks too, and gives a Unix socket's path for an address.
        if !request.options.route.isDefault, request.options.route.unixSocket != nil {
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

    func code(_ result: CURLcode, _ detail: String) -> LupineError.Code {
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
    func isProxyFault(_ result: CURLcode, _ text: String) -> Bool {
        let answer = easy?.long(CURLINFO_HTTP_CONNECTCODE) ?? 0
        if sendings == 0, answer != 0, !(200...299).contains(answer) { return true }
        guard sendings == 0 else { return false }
        if text.hasPrefix("Unsupported proxy") { return true }
        switch request.options.route.proxy {
        case .none: return false
        case .url(let url):
            let code = CurlErrorTable.code(result)
            // Before it has answered, TLS is the proxy's own.
            if answer == 0, url.asciiLowercased.hasPrefix("https://"), result != CURLE_SSL_CACERT_BADFILE,
                code == .trustRejected || code == .tlsFailed
            {
                return true
            }
            return [.couldNotConnect, .connectionLost].contains(code)
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
}
