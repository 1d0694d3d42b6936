/// The head of an answer. A value, copied when a copy is changed.
public struct HTTPResponse: Sendable {
    /// One reference, as a request's: it goes through as many hands.
    @usableFromInline internal var storage: Storage

    public init(
        url: HTTPURL? = nil, status: HTTPStatus, version: HTTPVersion = .http1_1, reason: String = "",
        headers: HTTPHeaders = HTTPHeaders(), encodedHeaders: HTTPHeaders? = nil
    ) {
        storage = Storage(
            Parts(
                url: url, status: status, version: version, reason: reason, headers: headers,
                encodedHeaders: encodedHeaders))
    }

    /// The URL that answered.
    public var url: HTTPURL? {
        @inlinable _read { yield storage.parts.url }
        @inlinable _modify { yield &unique.parts.url }
    }
    public var status: HTTPStatus {
        @inlinable _read { yield storage.parts.status }
        @inlinable _modify { yield &unique.parts.status }
    }
    public var version: HTTPVersion {
        @inlinable _read { yield storage.parts.version }
        @inlinable _modify { yield &unique.parts.version }
    }
    /// The reason phrase, as it came; empty over HTTP/2.
    public var reason: String {
        @inlinable _read { yield storage.parts.reason }
        @inlinable _modify { yield &unique.parts.reason }
    }
    /// The fields in the order received. After content decoding `Content-Encoding` and `Content-Length` are not
    /// among them, since they would speak of other bytes than those delivered.
    public var headers: HTTPHeaders {
        @inlinable _read { yield storage.parts.headers }
        @inlinable _modify { yield &unique.parts.headers }
    }
    /// The fields exactly as they came, when decoding removed some; else `nil`. See ``receivedHeaders``.
    public var encodedHeaders: HTTPHeaders? {
        @inlinable _read { yield storage.parts.encodedHeaders }
        @inlinable _modify { yield &unique.parts.encodedHeaders }
    }

    /// The storage, this value's own, to be changed.
    @usableFromInline internal var unique: Storage {
        @inlinable mutating get {
            if !isKnownUniquelyReferenced(&storage) { storage = Storage(storage.parts) }
            return storage
        }
    }

    @usableFromInline
    internal struct Parts: Hashable, Sendable {
        @usableFromInline var url: HTTPURL?
        @usableFromInline var status: HTTPStatus
        @usableFromInline var version: HTTPVersion
        @usableFromInline var reason: String
        @usableFromInline var headers: HTTPHeaders
        @usableFromInline var encodedHeaders: HTTPHeaders?
    }

    @usableFromInline
    internal final class Storage: @unchecked Sendable {
        // Safe to share: changed by `unique` alone, which makes sure that one value holds it. So exclusive access to it is
        // exclusive access to that value, which the compiler has checked.
        @exclusivity(unchecked) @usableFromInline var parts: Parts

        @usableFromInline
        init(_ parts: Parts) { self.parts = parts }
    }
}

extension HTTPResponse: Hashable {
    public static func == (left: HTTPResponse, right: HTTPResponse) -> Bool {
        left.storage === right.storage || left.storage.parts == right.storage.parts
    }

    public func hash(into hasher: inout Hasher) { hasher.combine(storage.parts) }
}

extension HTTPResponse {
    /// The fields exactly as they came, with those that describe the coded body.
    public var receivedHeaders: HTTPHeaders { encodedHeaders ?? headers }

    /// The number of body bytes that will be delivered, when the head tells: `nil` for a chunked, a
    /// close-delimited or a decoded body.
    public var expectedBodyLength: Int64? { headers.value(for: "Content-Length").flatMap(\.decimalLength) }
}
