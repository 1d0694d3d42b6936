internal import FoundationEssentials
internal import LupineCore

/// One part of a form, as it will be sent.
struct MultipartPart: Sendable {
    /// Its fields, and the empty line after them.
    let head: Data
    let content: HTTPBody
    /// What messages call it.
    let label: String

    /// Head and content, in bytes.
    var length: Int64? {
        content.length.map { $0.addingReportingOverflow(Int64(head.count)) }.map {
            $0.overflow ? .max : $0.partialValue
        }
    }

    /// - Throws: ``LupineError`` with `request-serialization-failed`: a field that would change the form's shape, or a negative
    ///   length.
    init(fields: HTTPHeaders, content: HTTPBody, label: String) throws(LupineError) {
        var head = ""
        for field in fields {
            guard field.name.isHTTPToken else {
                throw LupineError(
                    .requestSerializationFailed,
                    "\(label): the field name \(field.name.quotedForMessage) is no token (RFC 9110 5.1)")
            }
            guard field.value.isHTTPFieldValue else {
                throw LupineError(
                    .requestSerializationFailed,
                    "\(label): the value of field \(field.name) holds a line break or another control character")
            }
            head += "\(field.name): \(field.value)\r\n"
        }
        try self.init(head: head, content: content, label: label)
    }

    private init(head: String, content: HTTPBody, label: String) throws(LupineError) {
        if let length = content.length, length < 0 {
            throw LupineError(.requestSerializationFailed, "\(label) cannot have \(length) bytes")
        }
        self.head = Data((head + "\r\n").utf8)
        self.content = content
        self.label = label
    }

    /// A part with a name, and a file's with a file name and a type.
    ///
    /// - Throws: ``LupineError`` with `request-serialization-failed`: the type is empty, or has a line break or another control
    ///   character; more than that is not asked of it, as in AFNetworking.
    init(name: String, fileName: String?, mimeType: String?, content: HTTPBody) throws(LupineError) {
        let label = "the part \(name.quotedForMessage)"
        var head = "Content-Disposition: form-data; name=\"\(name.escapedForPartField)\""
        if let fileName { head += "; filename=\"\(fileName.escapedForPartField)\"" }
        head += "\r\n"
        if let mimeType {
            guard mimeType.isHTTPFieldValue, !mimeType.trimmingOWS.isEmpty else {
                throw LupineError(
                    .requestSerializationFailed, "\(label): \(mimeType.quotedForMessage) is no content type")
            }
            head += "Content-Type: \(mimeType)\r\n"
        }
        try self.init(head: head, content: content, label: label)
    }
}

extension String {
    /// Between the quotes of a part's `name` or `filename`: as the HTML standard has it (4.10.21.8), quotes and line breaks as
    /// `%22`, `%0D`, `%0A`, all else as it is, in UTF-8.
    var escapedForPartField: String {
        guard utf8.contains(where: { $0 == 0x22 || $0 == 0x0D || $0 == 0x0A }) else { return self }
        var escaped = String.UnicodeScalarView()
        for scalar in unicodeScalars {
            switch scalar {
            case "\"": escaped.append(contentsOf: "%22".unicodeScalars)
            case "\r": escaped.append(contentsOf: "%0D".unicodeScalars)
            case "\n": escaped.append(contentsOf: "%0A".unicodeScalars)
            default: escaped.append(scalar)
            }
        }
        return String(escaped)
    }
}
