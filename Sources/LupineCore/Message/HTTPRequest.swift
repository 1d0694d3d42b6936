/// A request: what is sent, and how. A value, copied when a copy is changed.
public struct HTTPRequest: Sendable {
    /// One reference, since a request goes through many hands, and waits in the frames of suspended tasks. Read inline, so
    /// that asking for one option does not copy all.
    @usableFromInline internal var storage: Storage

    public init(
        method: HTTPMethod = .get, url: HTTPURL, headers: HTTPHeaders = HTTPHeaders(), body: HTTPBody = .empty,
        options: TransferOptions = .init()
    ) {
        storage = Storage(method: method, url: url, headers: headers, body: body, options: options)
    }

    public var method: HTTPMethod {
        @inlinable _read { yield storage.method }
        @inlinable _modify { yield &unique.method }
    }
    public var url: HTTPURL {
        @inlinable _read { yield storage.url }
        @inlinable _modify { yield &unique.url }
    }
    public var headers: HTTPHeaders {
        @inlinable _read { yield storage.headers }
        @inlinable _modify { yield &unique.headers }
    }
    public var body: HTTPBody {
        @inlinable _read { yield storage.body }
        @inlinable _modify { yield &unique.body }
    }
    public var options: TransferOptions {
        @inlinable _read { yield storage.options }
        @inlinable _modify { yield &unique.options }
    }

    /// The storage, this value's own, to be changed.
    @usableFromInline internal var unique: Storage {
        @inlinable mutating get {
            if !isKnownUniquelyReferenced(&storage) { storage = Storage(storage) }
            return storage
        }
    }

    @usableFromInline
    internal final class Storage: @unchecked Sendable {
        // Safe to share: changed by `unique` alone, which makes sure that one value holds it. So exclusive access to a
        // property is exclusive access to that value, which the compiler has checked.
        @exclusivity(unchecked) @usableFromInline var method: HTTPMethod
        @exclusivity(unchecked) @usableFromInline var url: HTTPURL
        @exclusivity(unchecked) @usableFromInline var headers: HTTPHeaders
        @exclusivity(unchecked) @usableFromInline var body: HTTPBody
        @exclusivity(unchecked) @usableFromInline var options: TransferOptions

        init(method: HTTPMethod, url: HTTPURL, headers: HTTPHeaders, body: HTTPBody, options: TransferOptions) {
            self.method = method
            self.url = url
            self.headers = headers
            self.body = body
            self.options = options
        }

        @usableFromInline
        convenience init(_ other: Storage) {
            self.init(
                method: other.method, url: other.url, headers: other.headers, body: other.body, options: other.options)
        }
    }
}

extension HTTPRequest {
    /// What stands in the way of sending the request: a method or field that would change the message's shape
    /// (RFC 9110 sections 5.1, 5.5, 9.1), framing fields that contradict the body, a body that cannot be, or a route that is none.
    /// Every transport asks before it sends anything.
    ///
    /// - Returns: an `invalid-request` error, `upload-source-failed` of a body that can be read only once and has been, or `nil`.
    public func validate() -> LupineError? { validate(areFieldsKnown: false) }

    /// - Parameters:
    ///   - areFieldsKnown: the same fields have passed before.
    ///   - areOfFraming: whether some of them are.
    package func validate(areFieldsKnown: Bool, areOfFraming: Bool = true) -> LupineError? {
        guard method.rawValue.isHTTPToken else {
            return invalid("the method \(method.rawValue.quotedForMessage) is no token (RFC 9110 9.1)")
        }
        guard method != .connect else { return invalid("CONNECT opens a tunnel, which a request cannot") }
        if method == .head || method == .trace, !body.isEmpty {
            return invalid("\(method) carries no body")
        }
        if let fault = body.fault(as: "the request body") {
            return LupineError(fault.code, "\(fault.message); nothing was sent", host: url.host)
        }
        if !areFieldsKnown, let fault = fieldFault { return fault }
        if !storage.options.route.isDefault, let fault = storage.options.route.fault { return invalid(fault) }
        return areOfFraming || body.length == nil ? framingFault : nil
    }

    private var fieldFault: LupineError? {
        for field in headers {
            guard field.name.isHTTPToken else {
                return invalid("the field name \(field.name.quotedForMessage) is no token (RFC 9110 5.1)")
            }
            guard field.value.isHTTPFieldValue else {
                return invalid("the value of field \(field.name) holds a line break or another control character")
            }
        }
        return nil
    }

    /// Framing belongs to the transport; a caller's field is accepted only where it says what is true.
    private var framingFault: LupineError? {
        var length = body.length
        for value in headers.values(for: "Content-Length") {
            guard let stated = value.decimalLength else {
                return invalid("Content-Length \(value.quotedForMessage) is no length")
            }
            if let length, length != stated {
                return invalid("Content-Length \(stated) contradicts the body's length of \(length) bytes")
            }
            length = stated
        }
        if length == nil, storage.options.maximumHTTPVersion < .http1_1 {
            return invalid("HTTP/1.0 has no chunks: the body needs a length (RFC 9112 6.1)")
        }
        let codings = headers.values(for: "Transfer-Encoding")
        if codings.isEmpty { return nil }
        guard codings.count == 1, codings[0].equalsIgnoringASCIICase("chunked"), length == nil else {
            return invalid("Transfer-Encoding is set by the transport, from the body (RFC 9112 6.1)")
        }
        return nil
    }

    private func invalid(_ message: String) -> LupineError {
        LupineError(.invalidRequest, "\(message); nothing was sent", host: url.host)
    }

    /// The body's length as it will be stated: the body's own, or the one that the caller's Content-Length
    /// gives to a stream of unknown length.
    public var statedBodyLength: Int64? {
        body.length ?? headers.value(for: "Content-Length").flatMap(\.decimalLength)
    }

    /// The body is said to be empty, and comes from a source that could have something nevertheless.
    package var hasSourceOfNothing: Bool {
        if case .reader = body.source { statedBodyLength == 0 } else { false }
    }
}
