import FoundationEssentials
import Lupine
import Testing

/// The web platform's tests of answers, read by a session.
@Suite(.enabled(if: ConformanceCases.areThere, ConformanceCases.hint), .timeLimit(.minutes(2)))
struct WPTAnswerConformanceTests {
    private struct Table: Decodable {
        struct StatusLine: Decodable {
            let after_version: String
            let expect: Expectation?

            struct Expectation: Decodable {
                let status: Int
                let reason: String

                init(from decoder: any Decoder) throws {
                    var pair = try decoder.unkeyedContainer()
                    status = try pair.decode(Int.self)
                    reason = try pair.decode(String.self)
                }
            }
        }
        struct Length: Decodable {
            let header: String
            let body_bytes: Int?
        }
        struct Value: Decodable {
            let sent: String
            let seen: String?
        }
        struct Combined: Decodable {
            let raw: String
            let name: String
            let value: String
        }
        struct BadGzip: Decodable {
            let content_encoding: String
            let body_latin1: String
        }
        let status_line: [StatusLine]
        let lone_cr_is_error: [String]
        let content_length: [Length]
        let header_value: [Value]
        let header_combining: [Combined]
        let incomplete_head_is_error: [String]
        let bad_gzip: BadGzip
    }

    private struct Case {
        let id: String
        let answer: String
        let difference: (Result<DataResponse, LupineError>) -> String?
    }

    @Test func answers() async throws {
        let cases = Self.cases(of: try ConformanceCases.read("http1/wpt-tables.json"))
        let run = try AnswerRun(cases.map(\.answer.latin1))
        var comparison = Comparison("WPT answers")
        for (number, testCase) in cases.enumerated() {
            comparison.add(testCase.id, testCase.difference(try await run.result(number)))
        }
        await run.finish()
        comparison.conclude(known: Self.known)
    }

    private static func cases(of table: Table) -> [Case] {
        // The forty-two bytes that the table's lengths speak of.
        let body = "Fact: this is really forty-two bytes long."
        let gzip = "HTTP/1.1 200 OK\r\nContent-Encoding: \(table.bad_gzip.content_encoding)\r\n\r\n"
        let lines = table.status_line.map { line in
            Case(id: "status line \(line.after_version)", answer: "HTTP/1.1 \(line.after_version)\r\nA: b\r\n\r\n") {
                expect($0, line.expect.map { "\($0.status) \($0.reason)" }) { "\($0.status) \($0.response.reason)" }
            }
        }
        let lengths = table.content_length.map { length in
            Case(id: length.header, answer: "HTTP/1.1 200 OK\r\n\(length.header)\r\n\r\n\(body)") {
                expect($0, length.body_bytes.map { String(body.prefix($0)) }) { $0.text }
            }
        }
        let values = table.header_value.map { value in
            Case(id: "field value \(value.sent)", answer: "HTTP/1.1 200 OK\r\nA: \(value.sent)\r\n\r\n") {
                expect($0, value.seen) { $0.headers.value(for: "A") }
            }
        }
        let combined = table.header_combining.map { fields in
            Case(id: "fields \(fields.raw)", answer: fields.raw) {
                expect($0, fields.value) { $0.headers.values(for: fields.name).joined(separator: ", ") }
            }
        }
        let refused = (table.lone_cr_is_error + table.incomplete_head_is_error + [gzip + table.bad_gzip.body_latin1])
            .map {
                Case(id: "refused \($0)", answer: $0, difference: \.differenceFromRefusal)
            }
        return lines + lengths + values + combined + refused
    }

    /// `nil` stands in the table for an answer to refuse.
    private static func expect(
        _ result: Result<DataResponse, LupineError>, _ expected: String?, _ seen: (DataResponse) -> String?
    ) -> String? {
        guard let expected else { return result.differenceFromRefusal }
        guard case .success(let response) = result else { return result.difference(fromBody: []) }
        let seen = seen(response)
        return seen == expected ? nil : "\(seen.debugDescription), must be \(expected.debugDescription)"
    }

    private static let known = [
        KnownDifference(
            "a status is three digits, from 100 up (RFC 9110 section 15)",
            [
                "status line 0 OK", "status line 1 OK", "status line 99 NOT OK", "status line 077 77",
                "status line 099 HELLO",
            ]),
        KnownDifference("a length is digits alone (RFC 9112 section 6.3)", ["Content-Length: 42s"]),
        KnownDifference(
            "CRLF ends one line and LF the next (RFC 9112 section 2.2): no carriage return is alone",
            ["refused HTTP/1.1 200 OK\nHeader: Value\r\n\nBody"]),
    ]
}
