public import FoundationEssentials
public import LupineCore

/// A part of a form as a value: what it holds, its name, and for a file its file name and type. Nothing is opened before it
/// is added to a form.
///
/// ```swift
/// try await api.upload("avatars", parts: [UploadPart(file: "me.png", name: "avatar"), UploadPart(text: "Ada", name: "name")])
/// ```
public struct UploadPart: Sendable {
    /// Its name in the form.
    public var name: String
    /// `nil`: a field; for a file on disk, the last part of its path.
    public var fileName: String?
    /// `nil`: by the extension of the file name; a field has none.
    public var mimeType: String?
    private let source: Source

    private enum Source: Sendable {
        case body(HTTPBody)
        case file(String)
    }

    /// Bytes: a field, or with a file name a file.
    public init(data: Data, name: String, fileName: String? = nil, mimeType: String? = nil) {
        self.init(body: .bytes(data), name: name, fileName: fileName, mimeType: mimeType)
    }

    /// A field with a text, in UTF-8.
    public init(text: String, name: String) { self.init(body: .text(text), name: name) }

    /// A file on disk, to be read while it is sent.
    public init(file path: String, name: String, fileName: String? = nil, mimeType: String? = nil) {
        self.init(source: .file(path), name: name, fileName: fileName, mimeType: mimeType)
    }

    /// Whatever can be a body.
    public init(body: HTTPBody, name: String, fileName: String? = nil, mimeType: String? = nil) {
        self.init(source: .body(body), name: name, fileName: fileName, mimeType: mimeType)
    }

    private init(source: Source, name: String, fileName: String?, mimeType: String?) {
        self.source = source
        self.name = name
        self.fileName = fileName
        self.mimeType = mimeType
    }

    fileprivate func add(to form: inout MultipartFormData) throws(LupineError) {
        switch source {
        case .body(let body): try form.append(body: body, name: name, fileName: fileName, mimeType: mimeType)
        case .file(let path): try form.append(file: path, name: name, fileName: fileName, mimeType: mimeType)
        }
    }
}

extension MultipartFormData {
    /// Adds a part.
    ///
    /// - Throws: ``LupineError`` as ``append(body:name:fileName:mimeType:)`` and ``append(file:name:fileName:mimeType:)``.
    public mutating func append(_ part: UploadPart) throws(LupineError) { try part.add(to: &self) }
}
