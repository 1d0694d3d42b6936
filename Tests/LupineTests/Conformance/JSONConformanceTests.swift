import FoundationEssentials
import Lupine
import Testing

/// JSONTestSuite against ``JSONValue`` (RFC 8259).
@Suite(.enabled(if: ConformanceCases.areThere, ConformanceCases.hint), .timeLimit(.minutes(2)))
struct JSONConformanceTests {
    private struct Table: Decodable {
        let cases: [Case]
        let transform: [Case]
    }

    private struct Case: Decodable {
        let name: String
        /// `accept`, `reject`, or `either`: read or refused, but in order.
        let expect: String?
        let b64: Data?
        /// A long text, as zlib leaves it.
        let zlib_b64: Data?
    }

    @Test func texts() async throws {
        let table = try ConformanceCases.read("json/jsontestsuite.json", as: Table.self)
        let packed = table.cases.compactMap(\.zlib_b64)
        let run = try AnswerRun(packed.map { Array("HTTP/1.1 200 OK\r\nContent-Encoding: deflate\r\n\r\n".utf8) + $0 })
        var comparison = Comparison("JSONTestSuite")
        for testCase in table.cases + table.transform {
            var text = testCase.b64
            if let data = testCase.zlib_b64, let number = packed.firstIndex(of: data) {
                text = try await run.result(number).get().data
            }
            comparison.add(testCase.name, Self.difference(from: testCase.expect, of: try #require(text)))
        }
        await run.finish()
        comparison.conclude()
    }

    private static func difference(from expected: String?, of text: Data) -> String? {
        let fault: JSONParseError?
        do throws(JSONParseError) {
            _ = try JSONValue(parsing: text)
            fault = nil
        } catch {
            fault = error
        }
        switch expected {
        case "accept": return fault.map { "must be accepted: \($0)" }
        case "reject": return fault == nil ? "must be rejected" : nil
        // The texts to transform have no verdict either: what is asked is an end without harm.
        default: return nil
        }
    }
}
