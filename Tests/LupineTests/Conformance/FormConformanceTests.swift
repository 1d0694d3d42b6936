import Lupine
import Testing

/// The URL standard's table of form bodies against ``QueryEncoding``.
///
/// Its other half is of bodies to read, which Lupine does not.
@Suite(.enabled(if: ConformanceCases.areThere, ConformanceCases.hint))
struct FormConformanceTests {
    private struct Table: Decodable {
        struct Case: Decodable {
            let pairs: [[String]]
            let output: String
        }
        let serialize: [Case]
    }

    @Test func bodies() throws {
        var comparison = Comparison("form bodies")
        for testCase in try ConformanceCases.read("url/urlencoded.json", as: Table.self).serialize {
            // Parameters are an object: each name comes once.
            guard Set(testCase.pairs.map { $0[0] }).count == testCase.pairs.count else {
                comparison.skipped += 1
                continue
            }
            let parameters = JSONValue.object(
                JSONObject(testCase.pairs.map { .init(name: $0[0], value: .string($0[1])) }))
            var encoding = QueryEncoding()
            encoding.sortsNames = false
            encoding.spaces = .plusReplaced
            let text = try encoding.string(from: parameters)
            comparison.add(testCase.output, text == testCase.output ? nil : text)
        }
        comparison.conclude(known: Self.known)
    }

    private static let known = [
        KnownDifference(
            "`*` is a sub-delimiter (RFC 3986 section 2.2), which AFNetworking's rules escape: a reader decodes it",
            ["a=*-._", "*-._=c"])
    ]
}
