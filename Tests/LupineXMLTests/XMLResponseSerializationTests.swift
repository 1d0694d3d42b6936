import FoundationEssentials
import Lupine
import LupineTesting
import LupineXML
import Testing

/// What AFNetworking's own tests of `AFXMLParserResponseSerializer` and `AFXMLDocumentResponseSerializer` assert, each under its
/// name there, and what is done right here.
@Suite(.timeLimit(.minutes(1)))
struct XMLResponseSerializationTests {
    private func response(_ status: HTTPStatus = 200, type: String?) -> HTTPResponse {
        HTTPResponse(status: status, headers: type.map { ["Content-Type": $0] } ?? [:])
    }

    private func serialized<Serializer: ResponseSerializer>(
        _ serializer: Serializer, _ body: String, _ response: HTTPResponse, method: HTTPMethod = .get
    ) throws -> Serializer.Value {
        let request = HTTPRequest(method: method, url: try HTTPURL("http://test.com/"))
        return try serializer.serialize(Data(body.utf8), response: response, request: request)
    }

    private func fault<Serializer: ResponseSerializer>(
        _ serializer: Serializer, _ body: String, _ response: HTTPResponse
    ) throws -> LupineError? {
        do {
            _ = try serialized(serializer, body, response)
            return nil
        } catch let error as LupineError {
            #expect(error.response == response)
            #expect(error.data == Data(body.utf8))
            return error
        }
    }

    @Test(arguments: ["application/xml", "text/xml", "Text/XML; charset=utf-8"])
    func thatXMLResponseSerializersAcceptMimeType(type: String) throws {
        #expect(try fault(XMLParserResponseSerializer(), "<foo/>", response(type: type)) == nil)
        #expect(try fault(XMLDocumentResponseSerializer(), "<foo/>", response(type: type)) == nil)
    }

    @Test func thatXMLResponseSerializersDoNotAcceptNonStandardXMLMimeType() throws {
        let response = response(type: "nonstandard/xml")
        #expect(try fault(XMLParserResponseSerializer(), "<foo/>", response)?.code == .unacceptableContentType)
        #expect(try fault(XMLDocumentResponseSerializer(), "<foo/>", response)?.code == .unacceptableContentType)
    }

    @Test func thatXMLDocumentResponseSerializerReturnsDocumentForValidXML() throws {
        let document = try serialized(XMLDocumentResponseSerializer(), "<foo>é</foo>", response(type: "text/xml"))
        #expect(document == XMLDocument(root: XMLElement(XMLName("foo"), children: [.text("é")])))
    }

    @Test func thatXMLParserResponseSerializerReturnsParserForValidXML() throws {
        let parser = try serialized(XMLParserResponseSerializer(), "<foo/>", response(type: "text/xml"))
        var count = 0
        try parser.parse { _ in count += 1 }
        #expect(count == 2)
    }

    @Test func thatXMLDocumentResponseSerializerReturnsErrorForInvalidXML() throws {
        let error = try fault(XMLDocumentResponseSerializer(), "<foo", response(type: "text/xml"))
        #expect(error?.code == .responseSerializationFailed)
        #expect(error?.underlying is XMLParseError)
        #expect(error?.message.hasPrefix("test.com answered with a body that is no XML: line 1, column ") == true)
        // The parser has not begun: it finds out.
        let parser = try serialized(XMLParserResponseSerializer(), "<foo", response(type: "text/xml"))
        #expect(throws: XMLParseError.self) { try parser.parse { _ in } }
    }

    @Test func thatXMLResponseSerializersCanBeCopied() {
        let original = XMLDocumentResponseSerializer(acceptableStatuses: [100], acceptableContentTypes: ["test/type"])
        var copy = original
        copy.acceptableStatuses = nil
        copy.limits.maximumDepth = 3
        #expect(original.acceptableStatuses == [100])
        #expect(original.limits.maximumDepth == 256)
    }

    @Test func theCharsetOfTheTypeCounts() throws {
        let request = HTTPRequest(url: try HTTPURL("http://test.com/"))
        let body = Data([0x3C, 0x61, 0x3E, 0xD6, 0xD0, 0x3C, 0x2F, 0x61, 0x3E])
        let document = try XMLDocumentResponseSerializer().serialize(
            body, response: response(type: "text/xml; charset=gb2312"), request: request)
        #expect(document.root.text == "中")
    }

    @Test func aBadStatusIsOnTop() throws {
        let error = try fault(XMLDocumentResponseSerializer(), "<foo", response(500, type: "text/xml"))
        #expect(error?.code == .unacceptableStatus)
        #expect((error?.underlying as? LupineError)?.code == .responseSerializationFailed)
        let page = try fault(XMLDocumentResponseSerializer(), "<p>", response(502, type: "text/html"))
        #expect(page?.code == .unacceptableStatus)
        #expect((page?.underlying as? LupineError)?.code == .unacceptableContentType)
    }

    /// The rows of docs/response-serialization.md on answers without content.
    @Test(arguments: [("GET", 204, ""), ("GET", 205, ""), ("HEAD", 200, ""), ("GET", 200, ""), ("GET", 200, " ")])
    func nothing(method: String, status: Int, body: String) throws {
        let response = response(HTTPStatus(rawValue: status), type: "text/xml"), method = HTTPMethod(rawValue: method)
        let parser = try serialized(XMLParserResponseSerializer(), body, response, method: method)
        #expect(parser.data == Data(body.utf8))
        #expect {
            try serialized(XMLDocumentResponseSerializer(), body, response, method: method)
        } throws: {
            ($0 as? LupineError)?.message.hasSuffix("the body is empty") == true
        }
        #expect(try serialized(XMLDocumentResponseSerializer().optional, body, response, method: method) == nil)
    }

    @Test func throughASession() async throws {
        let server = try LoopbackServer(
            handler: LoopbackServer.serving { _ in .bytes(Array("<a><b>c</b></a>".utf8), type: "application/xml") })
        var configuration = SessionConfiguration()
        configuration.options.route.proxy = .none
        let api = HTTPSessionManager(baseURL: server.url("/"), configuration: configuration)
        let document = try await api.get("feed", responseSerializer: XMLDocumentResponseSerializer())
        #expect(document.root.elements(at: "b").map(\.text) == ["c"])
        await api.invalidate()
    }
}
