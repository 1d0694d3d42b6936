internal import FoundationEssentials
public import LupineCore

extension URLSessionManager {
    /// Sends a request and collects its answer in memory, whatever the status.
    ///
    /// Cancelling the Swift task cancels the transfer. Fields of the session's configuration are added where the request
    /// has none of their name.
    ///
    /// - Parameters:
    ///   - uploadProgress: told how many bytes of the body have left; on a queue of its own.
    ///   - downloadProgress: told how many bytes of the body have come; on a queue of its own.
    /// - Throws: ``LupineError`` with the code of what failed: before sending (`invalid-request`,
    ///   `upload-source-failed`), on the way (`could-not-resolve`, `could-not-connect`, `tls-failed`, `trust-rejected`,
    ///   `connection-lost`, `timed-out`, `cancelled`), or in the answer (`bad-response`, `incomplete-body`,
    ///   `content-decoding-failed`, `response-too-large`). It carries what had come.
    public func data(
        for request: HTTPRequest, uploadProgress: (@Sendable (TransferProgress) -> Void)? = nil,
        downloadProgress: (@Sendable (TransferProgress) -> Void)? = nil
    ) async throws(LupineError) -> DataResponse {
        var request = completed(request)
        if request.options.maximumBodySize == nil {
            request.options.maximumBodySize = configuration.maximumInMemoryBodySize
        }
        let upload = uploadProgress.map(ProgressRelay.init), download = downloadProgress.map(ProgressRelay.init)
        let started = ContinuousClock.now, total = request.options.timeouts.total
        var sendings = 1
        while true {
            let exchange = DataExchange(request, uploadProgress: upload, downloadProgress: download)
            let completion = await exchange.run(request, on: transport)
            if configuration.resending.sendsAgain(request, after: completion, sendings: sendings), !Task.isCancelled {
                sendings += 1
                let timeLeft = total.map { $0 - started.duration(to: .now) }
                configuration.resending.prepare(&request, sendings: sendings, timeLeft: timeLeft)
                continue
            }
            await upload?.drain()
            await download?.drain()
            if let error = completion.error {
                throw error.with(response: exchange.response, data: exchange.data, metrics: completion.metrics)
            }
            guard let response = exchange.response else {
                throw .noHead(of: request)
            }
            return DataResponse(
                request: request, response: response, data: exchange.data, trailers: exchange.trailers,
                metrics: completion.metrics, sendings: sendings)
        }
    }

    /// The request as it is sent: with the session's fields and the URL's credentials.
    package func completed(_ request: HTTPRequest) -> HTTPRequest {
        var request = request
        if request.headers.isEmpty {
            request.headers = configuration.headers
        } else {
            for field in configuration.headers where !request.headers.contains(field.name) {
                request.headers.add(name: field.name, value: field.value)
            }
        }
        if let userinfo = request.url.userinfo, !request.headers.contains("Authorization") {
            let credentials = Data("\(userinfo.user):\(userinfo.password)".utf8).base64EncodedString()
            request.headers.add(name: "Authorization", value: "Basic \(credentials)")
        }
        return request
    }
}
