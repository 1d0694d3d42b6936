/// A name with its namespace (Namespaces in XML 1.0).
public struct XMLName: Hashable, Sendable, CustomStringConvertible {
    /// The name without its prefix.
    public let local: String
    /// What stands before the colon, as the document has it. `nil`: nothing.
    public let prefix: String?
    /// The namespace that the prefix, or its absence, means. `nil`: none.
    public let namespace: String?

    public init(_ local: String, prefix: String? = nil, namespace: String? = nil) {
        self.local = local
        self.prefix = prefix
        self.namespace = namespace
    }

    /// `prefix:local`.
    public var description: String { prefix.map { "\($0):\(local)" } ?? local }
}

/// An attribute of an element.
public struct XMLAttribute: Hashable, Sendable {
    public let name: XMLName
    public let value: String

    public init(name: XMLName, value: String) {
        self.name = name
        self.value = value
    }
}

/// What comes next in a document.
public enum XMLEvent: Hashable, Sendable {
    case startElement(XMLName, attributes: [XMLAttribute])
    case endElement(XMLName)
    /// A piece of text, references resolved: an element's text may come in several.
    case text(String)
    /// A CDATA section's text.
    case cdata(String)
    case comment(String)
    case processingInstruction(target: String, data: String?)
}

/// Where a document stops being XML, or is refused.
public struct XMLParseError: Error, Hashable, Sendable, CustomStringConvertible {
    /// Counted from 1; 0 where no place is known.
    public let line: Int
    /// Counted from 1, in bytes.
    public let column: Int
    /// What is wrong there.
    public let reason: String

    public init(line: Int, column: Int, reason: String) {
        self.line = line
        self.column = column
        self.reason = reason
    }

    /// `line 3, column 7: …`.
    public var description: String { line > 0 ? "line \(line), column \(column): \(reason)" : reason }
}

/// How much of XML is read at most.
public struct XMLLimits: Hashable, Sendable {
    /// How deep elements may lie in each other. 256 by default, and at most, since libxml2 reads no deeper.
    public var maximumDepth = 256
    /// The size of a document in bytes. 64 MiB by default: as a tree a dense one takes some forty times as much memory.
    public var maximumSize = 64 << 20
    /// How many times the document's size its names may take, each written out with its prefix and its namespace wherever an element
    /// or an attribute has it. 64 by default: no namespace of 200 bytes or less gets there. In memory each namespace stands once;
    /// what reads, compares or writes them one by one would take that long.
    public var maximumExpansion = 64

    public init() {}
}
