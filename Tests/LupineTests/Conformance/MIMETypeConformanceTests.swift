import FoundationEssentials
import Lupine
import Testing

/// The MIME sniffing standard's tables against ``ContentType``.
@Suite(.enabled(if: ConformanceCases.areThere, ConformanceCases.hint))
struct MIMETypeConformanceTests {
    /// A case, or a heading between cases.
    private struct Entry: Decodable {
        struct Case: Decodable {
            let input: String
            let output: String?
            /// A name of the encoding standard. Only where a page would be shown.
            let encoding: String?
            let navigable: Bool?
        }
        let content: Case?

        init(from decoder: any Decoder) throws { content = try? Case(from: decoder) }
    }

    @Test(arguments: ["mime-types", "generated-mime-types"])
    func types(file: String) throws {
        var comparison = Comparison(file)
        for case let testCase? in try ConformanceCases.read("mime/\(file).json", as: [Entry].self).map(\.content) {
            let read = ContentType(testCase.input)
            let text = read.map(Self.written)
            var difference = text == testCase.output ? nil : "\(text ?? "none"), expected \(testCase.output ?? "none")"
            if difference == nil, testCase.navigable == true {
                let isGBK = read?.charset.map { Charset($0).readsGBK } ?? false
                if isGBK != (testCase.encoding == "GBK") { difference = "charset \(read?.charset ?? "none")" }
            }
            comparison.add(testCase.input, difference)
        }
        comparison.conclude(known: file == "mime-types" ? Self.known : [])
    }

    /// Several fields in one answer: what a serializer that accepts the expected type, and nothing else, makes of them.
    @Test func combined() throws {
        struct Case: Decodable {
            let contentType: [String]
            let documentContentType: String
        }
        var comparison = Comparison("several Content-Type fields")
        for testCase in try ConformanceCases.read("mime/combined-content-types.json", as: [Case].self) {
            var response = HTTPResponse(status: 200)
            for value in testCase.contentType { response.headers.add(name: "Content-Type", value: value) }
            let serializer = HTTPResponseSerializer(acceptableContentTypes: [testCase.documentContentType])
            let request = HTTPRequest(url: try HTTPURL("http://a.test/"))
            let isAccepted = (try? serializer.serialize(Data([1]), response: response, request: request)) != nil
            comparison.add(testCase.contentType.joined(separator: " | "), isAccepted ? nil : "another type is taken")
        }
        comparison.conclude()
    }

    /// As the standard serializes: without a space, and an empty value in quotes.
    private static func written(_ type: ContentType) -> String {
        type.parameters.reduce(into: type.essence) { text, parameter in
            let single = ContentType("a/b;x=\(parameter.value)")?.parameters.first?.value == parameter.value
            let isToken = single && !parameter.value.isEmpty && parameter.value.utf8.allSatisfy(isTokenByte)
            let escaped = parameter.value.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
            text += ";\(parameter.name)=" + (isToken ? parameter.value : "\"\(escaped)\"")
        }
    }

    private static func isTokenByte(_ byte: UInt8) -> Bool {
        (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
            || "!#$%&'*+-.^_`|~".utf8.contains(byte)
    }

    private static let known = [
        KnownDifference(
            "white space around `=` is not in the grammar (RFC 9110 section 5.6.6), and means nothing else where it is sent",
            ["text/html;charset =gbk", "text/html;charset= gbk", "text/html;charset= \"gbk\""]
                + ["text/html;charset= \"\u{7F};charset=GBK"]),
        KnownDifference(
            "no line break is ever in a field (RFC 9110 section 5.5): the transport refuses it before",
            ["x/x\n\r\t ;x=x", "\n\r\t x/x;x=x\n\r\t ", "x/x;\n\r\t x=x\n\r\t ;x=y"]),
        KnownDifference("fields are read as UTF-8, so a letter beyond Latin-1 can be there", ["x/x;test=�;x=x"]),
    ]
}

extension Charset {
    /// Whether it reads two bytes of GBK as such.
    fileprivate var readsGBK: Bool { (try? decode([0xD6, 0xD0])) == "中" }
}
