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
        try await makeTask(request, uploadProgress, downloadProgress).value()
    }

    // Not inlined: what it needs for a moment would be part of each waiting task.
    @inline(never)
    private func makeTask(
        _ request: consuming HTTPRequest, _ uploadProgress: (@Sendable (TransferProgress) -> Void)?,
        _ downloadProgress: (@Sendable (TransferProgress) -> Void)?
    ) -> SessionTask {
        SessionTask(
            request, isHandedOver: true, core: core, uploadProgress: uploadProgress.map { ProgressRelay($0) },
            downloadProgress: downloadProgress.map { ProgressRelay($0) })
    }
}
