public import FoundationEssentials
public import Lupine

/// A document, read whole.
///
/// ```swift
/// let feed = try XMLDocument(parsing: bytes)
/// for item in feed.root.elements(at: "channel/item") {
///     print(item.element(named: "title")?.text ?? "", item["href"] ?? "")
/// }
/// ```
public struct XMLDocument: Hashable, Sendable {
    /// The one element that holds all others.
    public let root: XMLElement

    /// A document around an element.
    public init(root: XMLElement) { self.root = root }

    /// Reads a document: see ``XMLEventParser`` for what is read and what is refused.
    ///
    /// - Parameter charset: what came with the document, such as its content type's. `nil`: the document says it.
    /// - Throws: ``XMLParseError``.
    public init(
        parsing data: Data, charset: Charset? = nil, limits: XMLLimits = XMLLimits()
    ) throws(XMLParseError) {
        var builder = XMLTreeBuilder()
        do {
            try XMLEventParser(data, charset: charset, limits: limits).parse { builder.take($0) }
        } catch {
            throw error as? XMLParseError ?? XMLParseError(line: 0, column: 0, reason: "\(error)")
        }
        guard let root = builder.root else { throw XMLParseError(line: 0, column: 0, reason: "there is no element") }
        self.init(root: root)
    }
}

/// An element with what it holds.
public struct XMLElement: Hashable, Sendable {
    public var name: XMLName
    /// In the order of the document.
    public var attributes: [XMLAttribute]
    /// In the order of the document. Text that is split by nothing is one node.
    public var children: [XMLNode]

    public init(_ name: XMLName, attributes: [XMLAttribute] = [], children: [XMLNode] = []) {
        self.name = name
        self.attributes = attributes
        self.children = children
    }

    /// The value of an attribute by its local name. `nil`: there is none.
    public subscript(attribute: String) -> String? { attributes.first { $0.name.local == attribute }?.value }

    /// The elements that it holds itself.
    public var elements: [XMLElement] {
        children.compactMap { if case .element(let element) = $0 { element } else { nil } }
    }

    /// The elements of a local name that it holds itself.
    ///
    /// - Parameter namespace: only those of this one. `nil`, the default: of any.
    public func elements(named name: String, namespace: String? = nil) -> [XMLElement] {
        elements.filter { $0.name.local == name && (namespace == nil || $0.name.namespace == namespace) }
    }

    /// The first of them. `nil`: there is none.
    public func element(named name: String, namespace: String? = nil) -> XMLElement? {
        elements(named: name, namespace: namespace).first
    }

    /// The elements that a path of local names leads to, from here: `channel/item`.
    public func elements(at path: String) -> [XMLElement] {
        path.split(separator: "/").reduce([self]) { found, name in
            found.flatMap { $0.elements(named: String(name)) }
        }
    }

    /// All text within, also that of elements within.
    public var text: String {
        children.reduce(into: "") { text, child in
            switch child {
            case .text(let piece): text += piece
            case .element(let element): text += element.text
            case .comment, .processingInstruction: break
            }
        }
    }
}

/// What an element holds.
public enum XMLNode: Hashable, Sendable {
    case element(XMLElement)
    /// Text, that of CDATA sections among it.
    case text(String)
    case comment(String)
    case processingInstruction(target: String, data: String?)
}

/// Makes elements of events.
private struct XMLTreeBuilder {
    private(set) var root: XMLElement?
    private var open: [XMLElement] = []
    /// Text comes in small pieces.
    private var text = ""

    mutating func take(_ event: XMLEvent) {
        switch event {
        case .text(let piece), .cdata(let piece): text += piece
        case .startElement(let name, let attributes):
            endText()
            open.append(XMLElement(name, attributes: attributes))
        case .endElement:
            endText()
            guard let element = open.popLast() else { return }
            if open.isEmpty { root = element } else { add(.element(element)) }
        case .comment(let text):
            endText()
            add(.comment(text))
        case .processingInstruction(let target, let data):
            endText()
            add(.processingInstruction(target: target, data: data))
        }
    }

    private mutating func endText() {
        if !text.isEmpty { add(.text(text)) }
        text = ""
    }

    // What stands outside the root is not kept.
    private mutating func add(_ node: XMLNode) {
        guard let top = open.indices.last else { return }
        open[top].children.append(node)
    }
}
