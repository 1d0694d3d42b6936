import FoundationEssentials
import Lupine
import LupineXML
import Testing

@Suite(.timeLimit(.minutes(1)))
struct XMLDocumentTests {
    private static let feed = """
        <?xml version="1.0"?>
        <!-- before -->
        <rss version="2.0" xmlns:dc="http://purl.org/dc/elements/1.1/">
          <channel>
            <title>News &amp; more</title>
            <item id="1"><title>First <b>bold</b> one</title><dc:title>dc</dc:title></item>
            <item id="2"><title><![CDATA[<Second>]]> item</title></item>
          </channel>
        </rss>
        """

    private func document(_ text: String) throws -> XMLDocument { try XMLDocument(parsing: Data(text.utf8)) }

    @Test func reading() throws {
        let root = try document(Self.feed).root
        #expect(root.name == XMLName("rss"))
        #expect(root["version"] == "2.0")
        #expect(root["missing"] == nil)
        let items = root.elements(at: "channel/item")
        #expect(items.map { $0["id"] } == ["1", "2"])
        #expect(items.first?.element(named: "title")?.text == "First bold one")
        #expect(items.last?.element(named: "title")?.children == [.text("<Second> item")])
        #expect(root.element(named: "channel")?.element(named: "title")?.text == "News & more")
        let dc = "http://purl.org/dc/elements/1.1/"
        #expect(items.first?.elements(named: "title").count == 2)
        #expect(items.first?.element(named: "title", namespace: dc)?.text == "dc")
        #expect(root.elements(at: "channel/none").isEmpty)
        #expect(root.elements(at: "") == [root])
    }

    @Test func nodesInOrder() throws {
        let root = try document("<a>x<!-- c --><?t d?><b/>y&#x1F600;</a>").root
        #expect(
            root.children == [
                .text("x"), .comment(" c "), .processingInstruction(target: "t", data: "d"),
                .element(XMLElement(XMLName("b"))), .text("y😀"),
            ])
    }

    /// Text comes from libxml2 in pieces of some hundred bytes: as one node, in time in proportion to it.
    @Test func longText() throws {
        let text = String(repeating: "ä &amp; ", count: 500_000)
        let root = try document("<a>\(text)</a>").root
        #expect(root.children == [.text(String(repeating: "ä & ", count: 500_000))])
    }

    @Test func faults() {
        #expect(throws: XMLParseError.self) { try document("<foo") }
        #expect(throws: XMLParseError.self) { try document("") }
    }
}
