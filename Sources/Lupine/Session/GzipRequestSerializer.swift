public import LupineCore
public import LupineSerialization
internal import LupineTransport

/// Another serializer's requests, their bodies compressed: for servers that are known to read them, since a request cannot
/// ask first (RFC 9110 section 8.4.1.3).
///
/// ```swift
/// try await api.post("events", parameters: events, serializer: GzipRequestSerializer(JSONRequestSerializer()))
/// ```
public struct GzipRequestSerializer: RequestSerializer {
    private let base: any RequestSerializer
    /// Bodies of fewer bytes go as they are: below this compressing gains nothing. 1,024 by default.
    public var minimumSize: Int64

    public init(_ base: any RequestSerializer = HTTPRequestSerializer(), minimumSize: Int64 = 1024) {
        self.base = base
        self.minimumSize = minimumSize
    }

    /// The other's.
    public var formSerializer: HTTPRequestSerializer { base.formSerializer }

    /// - Throws: as the other serializer, and as ``HTTPRequest/gzipped()``.
    public func serialize(_ request: HTTPRequest, parameters: Parameters?) throws(LupineError) -> HTTPRequest {
        let request = try base.serialize(request, parameters: parameters)
        if let length = request.body.length, length < minimumSize { return request }
        return try request.gzipped()
    }
}

extension HTTPRequest {
    /// The request with its body compressed, and `Content-Encoding: gzip`. An empty body stays as it is.
    ///
    /// A body in memory is compressed now; a file or a stream while it is sent: in chunks over HTTP/1.1, since its length is
    /// not known before.
    ///
    /// - Throws: ``LupineError`` with `request-serialization-failed`: the request states a content coding already; or as
    ///   ``validate()`` says of a body that cannot be sent.
    public func gzipped() throws(LupineError) -> HTTPRequest {
        guard !body.isEmpty else { return self }
        guard !headers.contains("Content-Encoding") else {
            throw LupineError(
                .requestSerializationFailed, "the request's body has a content coding already", host: url.host)
        }
        var request = self
        request.body = try body.gzipped(length: statedBodyLength)
        // It is that of other bytes.
        request.headers.remove(name: "Content-Length")
        request.headers.add(.contentEncoding("gzip"))
        return request
    }
}
