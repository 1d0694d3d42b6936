import FoundationEssentials
import Lupine
import LupineTesting
import LupineXML
import Testing

@Suite(.timeLimit(.minutes(1)))
struct XMLEventParserTests {
    private func events(_ text: String, charset: Charset? = nil) throws -> [XMLEvent] {
        try events(Data(text.utf8), charset: charset)
    }

    /// The events, pieces of text put together.
    private func events(_ data: Data, charset: Charset? = nil, _ change: (inout XMLLimits) -> Void = { _ in }) throws
        -> [XMLEvent]
    {
        var limits = XMLLimits(), events: [XMLEvent] = []
        change(&limits)
        try XMLEventParser(data, charset: charset, limits: limits).parse { event in
            if case .text(let piece) = event, case .text(let before)? = events.last {
                events[events.count - 1] = .text(before + piece)
            } else {
                events.append(event)
            }
        }
        return events
    }

    private func reason(_ text: String) -> String? {
        do {
            _ = try events(text)
            return nil
        } catch {
            return (error as? XMLParseError)?.reason
        }
    }

    @Test func inOrder() throws {
        let a = XMLName("a"), b = XMLName("b")
        #expect(
            try events(
                "<?xml version='1.0'?><a x='1' y='&lt;&#65;&amp;'>t &amp; u<b/><![CDATA[<c>]]><!-- d --><?e f?></a>")
                == [
                    .startElement(
                        a, attributes: [.init(name: XMLName("x"), value: "1"), .init(name: XMLName("y"), value: "<A&")]),
                    .text("t & u"), .startElement(b, attributes: []), .endElement(b), .cdata("<c>"), .comment(" d "),
                    .processingInstruction(target: "e", data: "f"), .endElement(a),
                ])
    }

    @Test func namespaces() throws {
        let events = try events("<p:a xmlns:p='urn:p' xmlns='urn:d'><b p:x='1'/></p:a>")
        #expect(events.first == .startElement(XMLName("a", prefix: "p", namespace: "urn:p"), attributes: []))
        let x = XMLAttribute(name: XMLName("x", prefix: "p", namespace: "urn:p"), value: "1")
        #expect(events.dropFirst().first == .startElement(XMLName("b", namespace: "urn:d"), attributes: [x]))
        #expect(reason("<q:a/>") != nil)
    }

    @Test(arguments: [
        "", " ", "x", "<foo", "<a>", "<a></b>", "<a/><b/>", "<a>&nbsp;</a>", "<a b=1/>", "<a b='1' b='2'/>",
        "<a>\u{1}</a>",
        "<a><![CDATA[x</a>", "<a><!-- -- --></a>", "<a/>x", "<1/>", "<a>&#xD800;</a>", "<a>&#0;</a>",
        "<?xml version='1.0'?>",
    ])
    func whatIsNoXML(text: String) { #expect(reason(text) != nil) }

    @Test func faultsTellThePlace() {
        #expect {
            try events("<a>\n  <b></c>\n</a>")
        } throws: { error in
            let error = error as? XMLParseError
            return error?.line == 2 && error?.reason.contains("b") == true
                && "\(error?.description ?? "")".hasPrefix("line 2, ")
        }
    }

    /// Every beginning of a document is none.
    @Test func truncated() throws {
        let text = "<?xml version='1.0'?><a x='é'><b>text &amp; more</b><!-- c --><![CDATA[d]]></a>"
        let data = Data(text.utf8)
        #expect(throws: Never.self) { try events(data) }
        for length in 0..<data.count {
            #expect(throws: XMLParseError.self) { try events(data.prefix(length)) }
        }
    }

    /// Bombs, files, addresses: none of what a document type declares comes to be.
    @Test(arguments: [
        "<!DOCTYPE a [<!ENTITY b 'c'>]><a>&b;</a>",
        "<!DOCTYPE a [<!ENTITY b 'c'>]><a/>",
        "<!DOCTYPE a [<!ENTITY b SYSTEM 'file:///etc/passwd'>]><a>&b;</a>",
        "<!DOCTYPE a [<!ENTITY b SYSTEM 'http://127.0.0.1:1/'>]><a>&b;</a>",
        "<!DOCTYPE a [<!ENTITY % b SYSTEM 'file:///etc/passwd'> %b;]><a/>",
        "<!DOCTYPE a [<!ENTITY b 'bbbbbbbbbb'><!ENTITY c '&b;&b;&b;&b;&b;&b;&b;&b;'>]><a>&c;</a>",
        "<!DOCTYPE a [<!ENTITY b '&b;'>]><a>&b;</a>", "<!DOCTYPE a SYSTEM 'a.dtd'><a>&b;</a>",
        "<!DOCTYPE a SYSTEM 'a.dtd'><a b='&c;'/>", "<!DOCTYPE a [<!ENTITY b 'c'>]><a d='&b;'/>",
    ])
    func entitiesAreRefused(text: String) {
        #expect(reason(text)?.contains("refused") == true)
    }

    @Test func aDocumentTypeIsNotLookedAt() throws {
        let html =
            "<!DOCTYPE html PUBLIC '-//W3C//DTD XHTML 1.0 Strict//EN' 'http://127.0.0.1:1/xhtml1-strict.dtd'><html/>"
        #expect(try events(html).count == 2)
        #expect(try events("<!DOCTYPE a SYSTEM '/etc/passwd'><a/>").count == 2)
        #expect(try events("<!DOCTYPE a [<!ATTLIST a b CDATA 'c'><!ELEMENT a ANY>]><a/>").count == 2)
    }

    /// Neither a default, of an attribute or a namespace, nor a type that trims values.
    @Test func aDocumentTypeGivesNoAttributes() throws {
        let text =
            "<!DOCTYPE a [<!ATTLIST a b CDATA 'c' xmlns CDATA 'urn:d' e NMTOKENS #IMPLIED f CDATA #FIXED 'g'>]><a e='  x  '/>"
        let e = XMLAttribute(name: XMLName("e"), value: "  x  ")
        #expect(try events(text).first == .startElement(XMLName("a"), attributes: [e]))
        #expect(reason("<!DOCTYPE a [<!ATTLIST a xmlns:p CDATA 'urn:p'>]><p:a/>") != nil)
    }

    /// What once took 50 GB of memory: a namespace is in effect in every element, and written once.
    @Test(arguments: [
        "<a xmlns='\(String(repeating: "x", count: 1 << 20))'>\(String(repeating: "<b/>", count: 50_000))</a>",
        "<a xmlns:p='\(String(repeating: "x", count: 1 << 20))'>\(String(repeating: "<b p:c=''/>", count: 50_000))</a>",
    ])
    func aNamespaceInEveryElementIsRefused(text: String) {
        #expect(reason(text) == "with its namespaces written out, it is more than 64 times its size")
        #expect(throws: XMLParseError.self) { try XMLDocument(parsing: Data(text.utf8)) }
    }

    @Test func anOrdinaryNamespaceIsNot() throws {
        let text = "<a xmlns='\(String(repeating: "x", count: 200))'>\(String(repeating: "<b/>", count: 50_000))</a>"
        #expect(try events(text).count == 100_002)
        #expect(throws: XMLParseError.self) { try events(Data(text.utf8)) { $0.maximumExpansion = 1 } }
        #expect(try events(Data(text.utf8)) { $0.maximumExpansion = .max }.count == 100_002)
    }

    @Test func namespacesAreHeldOnce() throws {
        let text = "<a xmlns='urn:a-long-name-of-a-namespace'><b/><c/><d xmlns='urn:a-long-name-of-a-namespace'/></a>"
        let places = try events(text).compactMap { event -> UnsafePointer<UInt8>? in
            guard case .startElement(let name, _) = event else { return nil }
            return name.namespace?.utf8.withContiguousStorageIfAvailable { $0.baseAddress } ?? nil
        }
        #expect(places.count == 4)
        #expect(Set(places).count == 1)
    }

    /// libxml2's own limits; told by what is too large, not by what it is left with.
    @Test(arguments: ["<a b='*'/>", "<a><!--*--></a>", "<a><?b *?></a>", "<a><![CDATA[*]]></a>", "<*/>"])
    func piecesThatAreTooLarge(text: String) {
        let large = String(repeating: "x", count: 12_000_000)
        let reason = reason(text.replacing("*", with: large))
        #expect(reason?.hasSuffix("beyond 10,000,000 bytes, no name beyond 50,000") == true)
    }

    @Test func anExternalEntityIsNotFetched() async throws {
        let server = try LoopbackServer(handler: LoopbackServer.serving { _ in .text("<!ENTITY b 'c'>") })
        for text in [
            "<!DOCTYPE a SYSTEM '\(server.url("/dtd"))'><a/>",
            "<!DOCTYPE a [<!ENTITY % b SYSTEM '\(server.url("/b"))'> %b;]><a/>",
            "<!DOCTYPE a [<!ENTITY b SYSTEM '\(server.url("/b"))'>]><a>&b;</a>",
        ] { _ = reason(text) }
        #expect(server.requests.isEmpty)
    }

    @Test func depth() throws {
        func nested(_ depth: Int) -> Data {
            Data((String(repeating: "<a>", count: depth) + String(repeating: "</a>", count: depth)).utf8)
        }
        #expect(try events(nested(256)).count == 512)
        #expect(throws: XMLParseError.self) { try events(nested(257)) }
        #expect(throws: XMLParseError.self) { try events(nested(1_000_000)) }
        #expect(throws: XMLParseError.self) { try events(nested(11)) { $0.maximumDepth = 10 } }
        #expect(try events(nested(10)) { $0.maximumDepth = 10 }.count == 20)
    }

    @Test func size() throws {
        #expect(throws: XMLParseError.self) { try events(Data("<a>12345</a>".utf8)) { $0.maximumSize = 11 } }
        #expect(try events(Data("<a>12345</a>".utf8)) { $0.maximumSize = 12 }.count == 3)
    }

    @Test func whatTheClosureThrowsEndsTheReading() {
        struct Enough: Error {}
        var count = 0
        #expect(throws: Enough.self) {
            try XMLEventParser(Data("<a><b/><c/></a>".utf8)).parse { _ in
                count += 1
                if count == 2 { throw Enough() }
            }
        }
        #expect(count == 2)
    }

    @Test func twiceTheSame() throws {
        let parser = XMLEventParser(Data("<a>b</a>".utf8))
        for _ in 0..<2 {
            var count = 0
            try parser.parse { _ in count += 1 }
            #expect(count == 3)
        }
    }

    /// The mark, else what came with the document, else its declaration, else UTF-8.
    @Test(
        arguments: [
            ([0x3C, 0x61, 0x3E, 0xC3, 0xA9, 0x3C, 0x2F, 0x61, 0x3E], nil),
            ([0x3C, 0x61, 0x3E, 0xE9, 0x3C, 0x2F, 0x61, 0x3E], "iso-8859-1"),
            ([0xEF, 0xBB, 0xBF, 0x3C, 0x61, 0x3E, 0xC3, 0xA9, 0x3C, 0x2F, 0x61, 0x3E], "iso-8859-1"),
            (Array("<?xml version='1.0' encoding='ISO-8859-1'?><a>".utf8) + [0xE9, 0x3C, 0x2F, 0x61, 0x3E], nil),
            (Array("<?xml version='1.0' encoding='koi8-r'?><a>".utf8) + [0xC3, 0xA9, 0x3C, 0x2F, 0x61, 0x3E], "utf-8"),
            ([0xFF, 0xFE] + "<a>é</a>".utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }, nil),
            ([0xFE, 0xFF] + "<a>é</a>".utf16.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] }, "utf-8"),
        ] as [([UInt8], String?)])
    func encodings(bytes: [UInt8], charset: String?) throws {
        #expect(try events(Data(bytes), charset: charset.map { Charset($0) }).dropFirst().first == .text("é"))
    }

    @Test func wrongBytes() {
        #expect(reason("<a>") != nil)
        #expect(throws: XMLParseError.self) { try events(Data([0x3C, 0x61, 0x3E, 0xE9, 0x3C, 0x2F, 0x61, 0x3E])) }
        #expect(throws: XMLParseError.self) { try events("<a/>", charset: "x-none") }
        #expect(throws: XMLParseError.self) { try events("<?xml version='1.0' encoding='x-none'?><a>\u{E9}</a>") }
    }

    /// Damage of any kind ends, in events or in one fault.
    @Test func damaged() {
        let text =
            "<?xml version='1.0'?><!DOCTYPE a><p:a xmlns:p='u' x='&#65;'><b>t &amp; u</b><![CDATA[d]]><!-- c --></p:a>"
        let whole = Array(text.utf8)
        for index in whole.indices {
            for bit in 0..<8 {
                var bytes = whole
                bytes[index] ^= 1 << UInt8(bit)
                _ = try? events(Data(bytes))
            }
            for piece in ["<", "&", ";", "]]>", "<!ENTITY x 'y'>", "\"", "\0"] {
                var bytes = whole
                bytes.insert(contentsOf: piece.utf8, at: index)
                _ = try? events(Data(bytes))
            }
        }
    }

    @Test func manyThreads() async throws {
        await withTaskGroup(of: Int.self) { group in
            for _ in 0..<50 { group.addTask { (try? events("<a>b</a>").count) ?? 0 } }
            for await count in group { #expect(count == 3) }
        }
    }
}
