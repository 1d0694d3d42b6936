public import FoundationEssentials
public import LupineCore

// A part that cannot be added is an error at once, and leaves the form as it was.
extension MultipartFormData {
    /// Adds a field: bytes under a name, without a file name and a type.
    ///
    /// - Parameter name: any text. Quotes and line breaks in it are sent as `%22`, `%0D`, `%0A`, as browsers do.
    /// - Throws: ``LupineError`` with `request-serialization-failed`: more bytes than can be counted.
    public mutating func append(data: Data, name: String) throws(LupineError) {
        try append(MultipartPart(name: name, fileName: nil, mimeType: nil, content: .bytes(data)))
    }

    /// Adds a field with a text, in UTF-8.
    ///
    /// - Throws: ``LupineError`` as ``append(data:name:)``.
    public mutating func append(text: String, name: String) throws(LupineError) {
        try append(data: Data(text.utf8), name: name)
    }

    /// Adds bytes as a file.
    ///
    /// - Parameters:
    ///   - fileName: any text, escaped as a name is.
    ///   - mimeType: by the extension of the file name, unless given; `application/octet-stream` where that is not known.
    /// - Throws: ``LupineError`` with `request-serialization-failed`: the type is empty or has a control character.
    public mutating func append(
        data: Data, name: String, fileName: String, mimeType: String? = nil
    ) throws(LupineError) {
        try append(
            MultipartPart(
                name: name, fileName: fileName, mimeType: mimeType ?? FileTypes.system.type(of: fileName),
                content: .bytes(data)))
    }

    /// Adds a file, to be read while it is sent. It must then be what it is now: one that has gone, become longer or shorter or
    /// been written since, fails the sending with `upload-source-failed`.
    ///
    /// - Parameters:
    ///   - fileName: the last part of the path, unless given.
    ///   - mimeType: by the extension of the file name, unless given; `application/octet-stream` where that is not known.
    /// - Throws: ``LupineError`` with `upload-source-failed`: there is no such file, it cannot be read, or it is a directory, a
    ///   pipe or a device; `request-serialization-failed`: the type is empty or has a control character.
    public mutating func append(
        file path: String, name: String, fileName: String? = nil, mimeType: String? = nil
    ) throws(LupineError) {
        let fileName = fileName ?? path.lastPathComponent
        try append(
            MultipartPart(
                name: name, fileName: fileName, mimeType: mimeType ?? FileTypes.system.type(of: fileName),
                content: try .file(path)))
    }

    /// Adds the file at a `file:` URL.
    ///
    /// - Throws: ``LupineError`` as ``append(file:name:fileName:mimeType:)``, and with `upload-source-failed` for another URL.
    public mutating func append(
        file url: URL, name: String, fileName: String? = nil, mimeType: String? = nil
    ) throws(LupineError) {
        guard url.isFileURL else {
            throw LupineError(.uploadSourceFailed, "\(url.absoluteString.quotedForMessage) is no URL of a file")
        }
        try append(file: url.path(percentEncoded: false), name: name, fileName: fileName, mimeType: mimeType)
    }

    /// Adds a stream as a file. It is opened for each sending, so the form can be sent again.
    ///
    /// - Parameters:
    ///   - makeReader: opens the source at its start.
    ///   - length: in bytes; a source that gives more or fewer fails the sending with `upload-source-failed`. `nil`: unknown, and
    ///     the body is sent in chunks.
    ///   - mimeType: by the extension of the file name, unless given; `application/octet-stream` where that is not known.
    /// - Throws: ``LupineError`` with `request-serialization-failed`: the type is empty or has a control character, or the length
    ///   is negative.
    public mutating func append(
        stream makeReader: @escaping @Sendable () throws -> any BodyReader, length: Int64?, name: String,
        fileName: String, mimeType: String? = nil
    ) throws(LupineError) {
        try append(
            body: .stream(length: length, makeReader: makeReader), name: name, fileName: fileName, mimeType: mimeType)
    }

    /// Adds a stream that can be read once, as a file. The form can then be sent once: where it would have to go out again,
    /// after a redirect as an example, the request fails with `upload-source-failed`.
    ///
    /// - Throws: ``LupineError`` with `request-serialization-failed`: the type is empty or has a control character, or the length
    ///   is negative.
    public mutating func append(
        stream reader: any BodyReader, length: Int64?, name: String, fileName: String, mimeType: String? = nil
    ) throws(LupineError) {
        try append(
            body: .oneShotStream(length: length, reader: reader), name: name, fileName: fileName, mimeType: mimeType)
    }

    /// Adds whatever can be a body: a range of a file, an open descriptor, an async sequence.
    ///
    /// - Parameters:
    ///   - fileName: `nil`: the part is a field, and has no type unless one is given.
    ///   - mimeType: by the extension of the file name, unless given.
    /// - Throws: ``LupineError`` with `request-serialization-failed`: the type is empty or has a control character, or the length
    ///   is negative.
    public mutating func append(
        body: HTTPBody, name: String, fileName: String? = nil, mimeType: String? = nil
    ) throws(LupineError) {
        try append(
            MultipartPart(
                name: name, fileName: fileName, mimeType: mimeType ?? fileName.map(FileTypes.system.type),
                content: body))
    }

    /// Adds a part with fields of your own, and no others.
    ///
    /// - Throws: ``LupineError`` with `request-serialization-failed`: a field's name is no token, or its value has a line break or
    ///   another control character.
    public mutating func append(headers: HTTPHeaders = [:], body: Data) throws(LupineError) {
        try append(headers: headers, body: .bytes(body))
    }

    /// Adds a part with fields of your own, and no others, from any source.
    ///
    /// - Throws: ``LupineError`` with `request-serialization-failed`, as the other form.
    public mutating func append(headers: HTTPHeaders = [:], body: HTTPBody) throws(LupineError) {
        try append(MultipartPart(fields: headers, content: body, label: "part \(count + 1)"))
    }
}

extension String {
    /// What follows the last slash.
    fileprivate var lastPathComponent: String { lastIndex(of: "/").map { String(self[index(after: $0)...]) } ?? self }
}
