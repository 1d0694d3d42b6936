import FoundationEssentials
import Lupine
import Testing

/// The MIME Sniffing standard's tables of content types against ``ContentType``.
@Suite(.enabled(if: ConformanceCases.areThere, ConformanceCases.hint))
struct ContentTypeConformanceTests {
    /// A case, or the heading of those that follow.
    private enum Entry: Decodable {
        case heading
        case test(input: String, output: String?)

        private enum Keys: String, CodingKey { case input, output }

        init(from decoder: any Decoder) throws {
            guard let container = try? decoder.container(keyedBy: Keys.self) else {
                self = .heading
                return
            }
            self = .test(
                input: try container.decode(String.self, forKey: .input),
                output: try container.decodeIfPresent(String.self, forKey: .output))
        }
    }

    /// As the standard writes a type: like ``ContentType/description``, but without spaces.
    private func written(_ type: ContentType) -> String {
        type.parameters.reduce(type.essence) { text, parameter in
            "\(text);\(parameter.name)=\(quoted(parameter.value))"
        }
    }

    private func quoted(_ value: String) -> String {
        let isToken =
            !value.isEmpty
            && value.unicodeScalars.allSatisfy { scalar in
                scalar.isASCII
                    && (scalar.properties.isAlphabetic || "0123456789!#$%&'*+-.^_`|~".unicodeScalars.contains(scalar))
            }
        if isToken { return value }
        return "\"" + value.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"") + "\""
    }

    @Test(arguments: ["mime-types", "generated-mime-types"]) func types(_ table: String) throws {
        var comparison = Comparison("content types, \(table)")
        for case .test(let input, let output) in try ConformanceCases.read("mime/\(table).json", as: [Entry].self) {
            let found = ContentType(input).map(written)
            comparison.add(
                input, found == output ? nil : "\(found.debugDescription), must be \(output.debugDescription)")
        }
        comparison.conclude(known: Self.known[table] ?? [])
    }

    private static let known = [
        "mime-types": [
            KnownDifference(
                "white space around `=` is passed over: the type is known without it, and senders mean what stands there",
                [
                    "text/html;charset =gbk", "text/html;charset= gbk", "text/html;charset= \"gbk\"",
                    "text/html;charset= \"\u{7F};charset=GBK",
                ]),
            KnownDifference(
                "CR and LF are no part of a field's value (RFC 9110 section 5.5)",
                ["x/x\n\r\t ;x=x", "\n\r\t x/x;x=x\n\r\t ", "x/x;\n\r\t x=x\n\r\t ;x=y"]),
            KnownDifference(
                "a field's text is UTF-8 here, in the standard one character a byte", ["x/x;test=\u{FFFD};x=x"]),
        ]
    ]
}
