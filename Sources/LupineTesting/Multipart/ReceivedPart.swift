public import LupineCore

/// A part of a form as a server read it.
public struct ReceivedPart: Hashable, Sendable {
    /// Its fields, in their order.
    public var headers: HTTPHeaders
    /// Its bytes, as they came.
    public var body: [UInt8]

    /// Fields and bytes.
    public init(headers: HTTPHeaders, body: [UInt8]) {
        self.headers = headers
        self.body = body
    }

    /// The `name` of its `Content-Disposition`, `%22`, `%0D` and `%0A` read as browsers write them. `nil`: it has none.
    public var name: String? { parameter("name") }
    /// The `filename` of its `Content-Disposition`, read the same way. `nil`: it is a field, not a file.
    public var fileName: String? { parameter("filename") }
    /// The value of its `Content-Type`.
    public var contentType: String? { headers["Content-Type"] }
    /// The body as UTF-8; what is not is replaced.
    public var text: String { String(decoding: body, as: UTF8.self) }

    private func parameter(_ name: String) -> String? {
        guard let value = headers["Content-Disposition"].flatMap({ FieldParameters(of: $0)[name] }) else { return nil }
        // By bytes: a mark may follow an escape and make one character with it.
        var bytes: [UInt8] = [], rest = Array(value.utf8)[...]
        while let byte = rest.first {
            let escape = Self.escapes.first { rest.starts(with: $0.text.utf8) }
            bytes.append(escape?.byte ?? byte)
            rest = rest.dropFirst(escape == nil ? 1 : 3)
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static let escapes: [(text: String, byte: UInt8)] = [("%22", 0x22), ("%0D", 0x0D), ("%0A", 0x0A)]
}

extension RecordedRequest {
    /// The parts of a `multipart/form-data` body, in their order.
    ///
    /// ```swift
    /// let parts = try server.requests[0].formParts()
    /// #expect(parts.map(\.name) == ["title", "avatar"])
    /// ```
    ///
    /// - Throws: ``LoopbackError`` with `malformed-request`: the request has no boundary, or its body is no whole form.
    public func formParts() throws(LoopbackError) -> [ReceivedPart] {
        let type = headers["Content-Type"] ?? ""
        guard type.asciiLowercased.hasPrefix("multipart/form-data"),
            let boundary = FieldParameters(of: type)["boundary"]
        else {
            throw LoopbackError(.malformedRequest, "Content-Type \(type.quotedForMessage) is that of no form")
        }
        return try ReceivedPart.parse(body, boundary: boundary)
    }
}

/// The parameters of a field's value: `name=token`, or `name="…"`, in which a quote ends the text whatever stands before it.
struct FieldParameters {
    private var values: [String: String] = [:]

    init(of value: String) {
        var rest = value[...]
        while let semicolon = rest.firstIndex(of: ";") {
            rest = rest[rest.index(after: semicolon)...]
            guard let equals = rest.firstIndex(where: { $0 == "=" || $0 == ";" }), rest[equals] == "=" else { continue }
            let name = String(rest[..<equals].trimmingOWS).asciiLowercased
            rest = rest[rest.index(after: equals)...]
            let text: Substring
            // By scalars: a mark may follow a quote and make one character with it.
            if rest.unicodeScalars.first == "\"" {
                let inside = rest.unicodeScalars.dropFirst()
                let end = inside.firstIndex(of: "\"") ?? inside.endIndex
                text = Substring(inside[..<end])
                rest = rest[end...]
            } else {
                text = rest.prefix { $0 != ";" }.trimmingOWS
            }
            if values[name] == nil { values[name] = String(text) }
        }
    }

    subscript(name: String) -> String? { values[name] }
}
