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
        try await collect(request, uploadProgress: uploadProgress, downloadProgress: downloadProgress)
    }

    /// ``data(for:uploadProgress:downloadProgress:)`` for a request that nobody keeps.
    func collect(
        _ request: consuming HTTPRequest, uploadProgress: (@Sendable (TransferProgress) -> Void)? = nil,
        downloadProgress: (@Sendable (TransferProgress) -> Void)? = nil
    ) async throws(LupineError) -> DataResponse {
        var request = completed(request, isCollected: true)
        let upload = uploadProgress.map(ProgressRelay.init), download = downloadProgress.map(ProgressRelay.init)
        var sendings = Sendings(of: request, policy: configuration.resending)
        while true {
            let exchange = DataExchange(request, uploadProgress: upload, downloadProgress: download)
            await exchange.run(request, on: transport)
            if sendings.repeats(&request, after: exchange.completion) { continue }
            await upload?.drain()
            await download?.drain()
            return try exchange.result(of: request, sendings: sendings.count)
        }
    }

    /// The request as it is sent: with the session's fields, the URL's credentials, and, if its body is to be collected, a
    /// limit for that.
    // Not inlined: what it needs for a moment would be part of each waiting task.
    @inline(never)
    package func completed(_ request: consuming HTTPRequest, isCollected: Bool = false) -> HTTPRequest {
        var request = request
        if isCollected, request.options.maximumBodySize == nil {
            request.options.maximumBodySize = configuration.maximumInMemoryBodySize
        }
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
