internal import CLibcurl
internal import LupineCore

extension Transfer {
    /// How the exchange ended, when libcurl is done with it.
    func completion(_ result: CURLcode) -> ExchangeCompletion {
        var error = cause ?? (result == CURLE_OK ? nil : curlError(result))
        if error == nil { error = endFault() }
        return ExchangeCompletion(error: error, delivery: delivery, metrics: easy?.metrics ?? TransferMetrics())
    }

    /// What libcurl takes for a good end and is none.
    private func endFault() -> LupineError? {
        guard assembler.hasHead else {
            return LupineError(.connectionLost, "\(host) closed the connection within the answer's head", host: host)
        }
        do {
            try decoder?.finish()
        } catch {
            return LupineError(error.code, "\(error.reason) (\(host))", host: host)
        }
        do {
            if let trailers = try assembler.trailers() { receiver.didReceive(trailers: trailers) }
            return nil
        } catch {
            return LupineError(.badResponse, "\(host) sent trailers that cannot be used: \(error.reason)", host: host)
        }
    }

    var delivery: RequestDelivery {
        if assembler.hasBegun { return .answered }
        return sendings == 0 ? .unsent : .unanswered
    }

    private func curlError(_ result: CURLcode) -> LupineError {
        let code = CurlErrorTable.code(result, afterHead: assembler.hasHead)
        let detail = easy?.errorText ?? CurlGlobal.text(result)
        return LupineError(code, message(code, detail), host: host)
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
