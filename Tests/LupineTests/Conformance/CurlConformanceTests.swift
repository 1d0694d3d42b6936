import Lupine
import Testing

/// curl's own tests of one request and one reply, repeated with a session: verdict, status, names of fields, body.
@Suite(.enabled(if: ConformanceCases.areThere, ConformanceCases.hint), .timeLimit(.minutes(3)))
struct CurlConformanceTests {
    private static let areas: Set = [
        "chunked", "framing", "status-line", "headers", "content-encoding", "connection-reuse", "timeouts-errors",
    ]

    @Test func replies() async throws {
        let all = try ["curl/curl-http-1.json", "curl/curl-http-2.json"].flatMap {
            try ConformanceCases.read($0, as: CurlCase.Table.self).cases
        }
        let candidates = all.filter { $0.single_request && Self.areas.contains($0.area) }
        let cases = candidates.compactMap { testCase in testCase.request.map { (testCase, $0) } }
        let run = try AnswerRun(cases.map(\.0.reply))
        var comparison = Comparison("curl replies")
        comparison.skipped = candidates.count - cases.count
        for (number, (testCase, request)) in cases.enumerated() {
            let result = try await run.result(number, method: request.method, body: request.body) {
                $0.decodesContent = request.decodesContent
                if let size = request.maximumBodySize { $0.maximumBodySize = size }
            }
            comparison.add(testCase.id, Self.difference(of: result, from: testCase, request))
        }
        await run.finish()
        comparison.conclude(known: Self.known)
    }

    private static func difference(
        of result: Result<DataResponse, LupineError>, from testCase: CurlCase, _ request: CurlCase.Request
    ) -> String? {
        guard testCase.outcome == "ok" else { return result.differenceFromRefusal.map { "\($0): \(testCase.outcome)" } }
        var printed = testCase.printed(for: request.method)
        if case .success(let response) = result {
            let trailers = response.trailers.map { "\($0.name): \($0.value)\r\n" }.joined().latin1
            if printed.body.suffix(trailers.count) == trailers[...] { printed.body.removeLast(trailers.count) }
            guard response.status.rawValue == printed.status else { return "the status is \(response.status)" }
            // As they came: decoding takes some away.
            let names = response.response.receivedHeaders.map(\.name)
            guard names == printed.names else { return "the fields are \(names), must be \(printed.names)" }
        }
        return result.difference(fromBody: printed.body)
    }

    private static let known = [
        KnownDifference(
            "chunked comes once, and identity is no coding any more (RFC 9112 sections 6.1 and 7)",
            ["curl-1482", "curl-1483", "curl-1493", "curl-1494"]),
        KnownDifference("a gzip body may have several members (RFC 1952 section 2.2)", ["curl-2305"]),
        KnownDifference(
            "a length beyond all numbers is none, where curl reads to the end (RFC 9110 section 8.6)", ["curl-395"]),
        KnownDifference("a head is limited in bytes, not in fields (RFC 9110 section 5.4)", ["curl-747"]),
        KnownDifference(
            "two Location fields are handed on: of a 200 nobody follows them (RFC 9110 section 10.2.2)", ["curl-772"]),
        KnownDifference("a first field that is folded is refused (RFC 9112 section 2.2)", ["curl-1473"]),
    ]
}
