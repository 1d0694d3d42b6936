internal import CLupineXML
public import FoundationEssentials
public import Lupine
internal import LupineCore

/// A reader of one document, event by event; it reads when it is told to. It takes little memory, however large the document.
///
/// ```swift
/// let parser = try await api.get("feed", responseSerializer: XMLParserResponseSerializer())
/// try parser.parse { event in
///     if case .startElement(let name, let attributes) = event { … }
/// }
/// ```
///
/// Entities are XML's own five and characters by number. Any other is refused where it is declared or referred to, so there are no
/// entity bombs; attributes have no defaults, whatever a document type gives them; what it names elsewhere is not fetched, from no
/// disk and no network. The encoding is that of the byte order mark, else the one given, else the document's own (RFC 7303
/// section 3). Values of attributes, comments, instructions and CDATA sections may have 10,000,000 bytes, names 50,000: that is
/// what libxml2 reads.
public struct XMLEventParser: Sendable {
    /// The document.
    public let data: Data
    /// How much is read at most.
    public var limits: XMLLimits
    private let charset: Charset?

    /// - Parameter charset: what came with the document, such as its content type's. `nil`: the document says it.
    public init(_ data: Data, charset: Charset? = nil, limits: XMLLimits = XMLLimits()) {
        self.data = data
        self.charset = charset
        self.limits = limits
    }

    /// Reads the document and hands over each event, in order. May be called again, for the same events.
    ///
    /// - Throws: ``XMLParseError`` for a document that is not well-formed, is cut short, has entities of its own or is beyond
    ///   the limits, after the events before that; or what the closure throws, which ends the reading.
    public func parse(_ handle: (XMLEvent) throws -> Void) throws {
        guard data.count <= limits.maximumSize else {
            throw XMLParseError(line: 0, column: 0, reason: "the document is larger than \(limits.maximumSize) bytes")
        }
        let hasMark = Charset(byteOrderMarkOf: data) != nil
        guard let charset, !hasMark else { return try parse(data, isUTF8: false, handle) }
        let text: Data
        do {
            text = Data(try charset.decode(data).utf8)
        } catch {
            throw XMLParseError(line: 0, column: 0, reason: "\(error)")
        }
        try parse(text, isUTF8: true, handle)
    }

    private func parse(_ data: Data, isUTF8: Bool, _ handle: (XMLEvent) throws -> Void) throws {
        _ = Self.isPrepared
        try withoutActuallyEscaping(handle) { handle in
            let run = XMLRun(limits: limits, handle: handle)
            let fault = data.withUnsafeBytes { bytes in run.parse(bytes, isUTF8: isUTF8) }
            if let failure = run.failure { throw failure }
            if let fault { throw fault }
        }
    }

    // Once, before threads share the library.
    private static let isPrepared: Void = lupine_xml_prepare()
}
