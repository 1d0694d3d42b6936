internal import FoundationEssentials
public import LupineCore

extension MultipartFormData {
    /// The form as a body, with its exact length if that is known. Each sending reads the parts anew, with the same boundary; a
    /// part that can be read once makes the body one that can be sent once.
    ///
    /// A form without parts is an empty body.
    public var body: HTTPBody {
        let segments = segments
        if segments.isEmpty { return .empty }
        // A form of a few fields needs no reader.
        if throttle == nil, segments.count == 1, case .bytes(let data) = segments[0] { return .bytes(data) }
        return HTTPBody(
            source: .reader { [throttle] _ in MultipartReader(segments, throttle: throttle) }, length: contentLength,
            ticket: .of(parts: parts.compactMap(\.content.ticket)))
    }

    /// The request with the form as its body and the form's content type, in the place of any that was there. With a form
    /// without parts it stays as it is, as in AFNetworking.
    ///
    /// - Throws: ``LupineError`` with `invalid-request`: GET and HEAD carry no form.
    public func serialize(_ request: HTTPRequest) throws(LupineError) -> HTTPRequest {
        guard request.method != .get, request.method != .head else {
            throw LupineError(
                .invalidRequest, "\(request.method) carries no multipart form; nothing was sent", host: request.url.host
            )
        }
        guard !isEmpty else { return request }
        var request = request
        request.body = body
        request.headers.update(name: "Content-Type", value: contentType)
        return request
    }

    /// Writes the body to a file, which appears whole or not at all. Sent from there it can be sent again, whatever its parts
    /// were.
    ///
    /// ```swift
    /// try await form.write(to: path)
    /// request.headers.update(name: "Content-Type", value: form.contentType)
    /// request.body = try .file(path)
    /// ```
    ///
    /// - Throws: ``LupineError`` as `HTTPBody.write(to:progress:)`.
    public func write(
        to path: String, progress: (@Sendable (_ written: Int64, _ total: Int64?) -> Void)? = nil
    ) async throws(LupineError) {
        try await body.write(to: path, progress: progress)
    }

    /// Parts in memory up to this size are put together with what surrounds them; larger ones are sent from where they are.
    private static let largestCopied = 64 << 10

    /// What follows one another: bytes in memory, as few runs of them as can be, and sources to be read.
    private var segments: [MultipartSegment] {
        guard !isEmpty else { return [] }
        var segments: [MultipartSegment] = []
        var run = Data("--\(boundary)\r\n".utf8)
        for (index, part) in parts.enumerated() {
            if index > 0 { run += "\r\n--\(boundary)\r\n".utf8 }
            run += part.head
            if case .bytes(let data) = part.content.source, data.count <= Self.largestCopied {
                run += data
                continue
            }
            segments += [.bytes(run), MultipartSegment(part)]
            run = Data()
        }
        run += "\r\n--\(boundary)--\r\n".utf8
        return segments + [.bytes(run)]
    }
}
