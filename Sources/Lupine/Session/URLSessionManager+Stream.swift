public import LupineCore

extension URLSessionManager {
    /// Sends a request and gives its answer as soon as the head has come, whatever the status; the body is read from it
    /// as it arrives, and never faster than it is read.
    ///
    /// Cancelling the Swift task cancels the transfer, here and while the body is read. Fields of the session's
    /// configuration are added where the request has none of their name. The limit for bodies in memory does not count.
    ///
    /// ```swift
    /// let answer = try await session.stream(for: request)
    /// for try await piece in answer.body { try file.write(piece) }
    /// ```
    ///
    /// - Parameters:
    ///   - uploadProgress: told how many bytes of the body have left; on a queue of its own.
    ///   - handlers: as for ``data(for:uploadProgress:downloadProgress:handlers:)``. Validators and retriers are asked when the
    ///     head has come; once it is given, nothing is tried again.
    /// - Throws: ``LupineError`` as ``data(for:uploadProgress:downloadProgress:)``; what befalls the body is thrown where it
    ///   is read.
    public func stream(
        for request: HTTPRequest, uploadProgress: (@Sendable (TransferProgress) -> Void)? = nil,
        handlers: TaskHandlers? = nil
    ) async throws(LupineError) -> StreamedResponse {
        let reader = BodyReading()
        let upload = uploadProgress.map { ProgressRelay($0) }
        let task = SessionTask(
            request, isHandedOver: true, core: core, handlers: handlers, reader: reader, uploadProgress: upload)
        task.resume()
        do throws(LupineError) {
            let beginning = try await reader.head(of: task)
            return StreamedResponse(
                request: beginning.request, response: beginning.response, body: ResponseBody(task, reader),
                sendings: beginning.sendings, redirects: beginning.redirects)
        } catch {
            await task.uploadProgressRelay?.drain()
            throw error
        }
    }
}

extension LupineError {
    /// An exchange that ended well without a head, which no transport should do.
    static func noHead(of request: HTTPRequest) -> LupineError {
        LupineError(.badResponse, "\(request.url.host) sent no head", host: request.url.host)
    }
}
