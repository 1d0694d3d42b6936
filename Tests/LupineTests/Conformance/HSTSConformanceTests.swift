import Testing

@testable import Lupine

/// curl's table of `Strict-Transport-Security` fields, valid or not.
@Suite(.enabled(if: ConformanceCases.areThere, ConformanceCases.hint))
struct HSTSConformanceTests {
    private struct Table: Decodable {
        let cases: [Case]

        struct Case: Decodable {
            let host: String
            let header: String
            let valid: Bool
        }
    }

    @Test func headers() throws {
        var comparison = Comparison("HSTS headers")
        for testCase in try ConformanceCases.read("tls/hsts-headers.json", as: Table.self).cases {
            // The table has the end of the line in it, which is no part of a field's value.
            let value = String(testCase.header.unicodeScalars.filter { $0 != "\r" && $0 != "\n" })
            let isValid = StrictTransportSecurity(value) != nil
            comparison.add(
                value, isValid == testCase.valid ? nil : "is \(isValid ? "valid" : "invalid") here, not in the table")
        }
        comparison.conclude(known: [
            KnownDifference(
                "a quote is no part of a token: such a field is ignored (RFC 6797 sections 6.1 and 8.1)",
                ["max-age=31536\""])
        ])
    }
}
