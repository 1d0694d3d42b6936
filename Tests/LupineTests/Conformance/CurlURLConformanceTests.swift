import Lupine
import Testing

/// curl's tables of URLs: references resolved, URLs read, dot segments removed (RFC 3986 section 5.2).
///
/// Without curl's flags only, and http and https only: flags change what a URL means.
@Suite(.enabled(if: ConformanceCases.areThere, ConformanceCases.hint))
struct CurlURLConformanceTests {
    private struct Table: Decodable {
        let redirect: [Reference]
        let normalize: [Text]
        let dotdot: [Path]
    }
    private struct Reference: Decodable {
        let base: String
        let location: String
        let result: String
        let flags: String
        let code: String
    }
    private struct Text: Decodable {
        let input: String
        let output: String
        let flags: String
        let code: String
    }
    private struct Path: Decodable {
        let input: String
        let output: String
    }

    private static func table() throws -> Table { try ConformanceCases.read("url/curl-url-tables.json") }
    private static func isHTTP(_ text: String) -> Bool { text.hasPrefix("http:") || text.hasPrefix("https:") }
    /// The tables hold one byte a character.
    private static func text(_ latin1: String) -> String { String(decoding: latin1.latin1, as: UTF8.self) }

    @Test func references() throws {
        var comparison = Comparison("curl references")
        for testCase in try Self.table().redirect {
            guard testCase.flags == "0 0", Self.isHTTP(testCase.base) else {
                comparison.skipped += 1
                continue
            }
            let isGood = testCase.code == "CURLUE_OK"
            comparison.add("\(testCase.base) \(testCase.location)", table: isGood ? testCase.result : nil) {
                () throws(LupineError) in try HTTPURL(testCase.base).resolve(testCase.location)
            }
        }
        comparison.conclude(known: Self.knownReferences)
    }

    @Test func urls() throws {
        var comparison = Comparison("curl URLs")
        for testCase in try Self.table().normalize {
            guard testCase.flags == "0 0", Self.isHTTP(testCase.input.lowercased()) else {
                comparison.skipped += 1
                continue
            }
            let isGood = testCase.code == "CURLUE_OK"
            comparison.add(testCase.input, table: isGood ? Self.text(testCase.output) : nil) {
                () throws(LupineError) in try HTTPURL(Self.text(testCase.input))
            }
        }
        comparison.conclude(known: Self.knownURLs)
    }

    @Test func dotSegments() throws {
        var comparison = Comparison("curl dot segments")
        for testCase in try Self.table().dotdot {
            // There a path may hold them; in a reference they end it.
            guard !testCase.input.contains(where: { "?#".contains($0) }) else {
                comparison.skipped += 1
                continue
            }
            // A relative path is seen from the root.
            let expected =
                (testCase.output.hasPrefix("/") && testCase.input.hasPrefix("/") ? "" : "/") + testCase.output
            comparison.add(testCase.input, table: "http://host\(expected)") { () throws(LupineError) in
                // As an absolute path it would begin an authority.
                let isNetworkPath = testCase.input.hasPrefix("//")
                return try isNetworkPath
                    ? HTTPURL("http://host\(testCase.input)") : HTTPURL("http://host/").resolve(testCase.input)
            }
        }
        comparison.conclude(known: Self.knownDotSegments)
    }

    private static let knownReferences = [
        KnownDifference(
            "an empty host is none, and no slash is skipped to find one (RFC 9110 section 4.2.1)",
            ["http://example.org/ ///example.org/../path/../../"])
    ]

    private static let knownURLs = [
        KnownDifference(
            "a percent-encoded host is refused: its readers differ (RFC 3986 section 3.2.2 lets it be a name)",
            [
                "https://127.0.0.%31.", "https://127.0.0.0%78f%46.", "https://%30%31%37%37%2e%31",
                "https://[fe80%3A%3A20c%3A29ff%3Afe9c%3A409b]/", "https://%41", "https://_%c0_",
            ]),
        KnownDifference(
            "0x alone is the number 0, as the URL standard has it (RFC 3986 section 7.4 leaves it to resolvers)",
            ["https://127.1.0x", "https://127.0x", "https://127.0x.1", "https://127.1.1.0x", "https://0x.0x.0"]),
        KnownDifference(
            "a host whose last label is a number is an address or nothing (RFC 3986 section 7.4; RFC 1123 section 2.1)",
            [
                "https://1.0x1000000", "https://1.2.com.99", "https://a127.0.0.1", "https://127.-0.0.1",
                "https://1.2.3.256", "https://1.2.3.256.", "https://1.2.3.4.5", "https://1.2.0x100.3",
                "https://4294967296",
            ]),
        KnownDifference("a label within a host is not empty (RFC 1034 section 3.1)", ["http://HO0_-st..~./"]),
        KnownDifference(
            "two slashes come before a host (RFC 3986 section 3.2)",
            ["http:/@example.com:123", "http:/:password@example.com"]),
        KnownDifference(
            "an empty query is one: the URL with it is another (RFC 3986 section 6.2.3)",
            ["http://user@example.com?#", "http://user@example.com?"]),
    ]

    private static let knownDotSegments = [
        KnownDifference(
            "the segment before `..` goes, also the first of a relative path (RFC 3986 section 5.2.4)",
            ["%2f%2e%2e%2f/../a", "%2f%2e%2e%2f/../"]),
        KnownDifference("a reference that is `.` is the folder (RFC 3986 section 5.4.1)", ["."]),
    ]
}
