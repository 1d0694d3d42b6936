import FoundationEssentials
import Lupine
import Testing

/// The responses on which the parser llhttp is tested, read by a session: verdict and body.
@Suite(.enabled(if: ConformanceCases.areThere, ConformanceCases.hint), .timeLimit(.minutes(2)))
struct LLHTTPConformanceTests {
    private struct Table: Decodable { let cases: [Case] }

    private struct Case: Decodable {
        struct Meta: Decodable { let skipBody: Bool? }
        let id: String
        let mode: String
        let raw_b64: Data
        /// Why the parser refuses it.
        let error: String?
        /// Messages that ended without the connection's end.
        let complete: Int
        /// Of all messages, one after another.
        let body: String
        let meta: Meta?

        /// The table has lost the empty line that ends a head or a chunked body where it was the text's last: messages
        /// counted as complete lack it, and a body has it that its text has not.
        var bytes: [UInt8] {
            let raw = Array(raw_b64)
            return raw.suffix(2) == [13, 10] && raw.suffix(4) != [13, 10, 13, 10] ? raw + [13, 10] : raw
        }

        /// Whether a reader that also sees the connection's end takes the first final answer for whole. Where llhttp still
        /// waits the table says neither: then only a body up to the connection's end is whole by that (RFC 9112
        /// section 8), which has no length and ends where the text does.
        var isWhole: Bool {
            if error != nil { return false }
            let text = String(decoding: bytes, as: UTF8.self)
            let interim = text.hasPrefix("HTTP/1.1 1") ? 1 : 0
            if complete > interim { return true }
            return text.hasSuffix("\r\n\r\n" + body) && !text.lowercased().contains("content-length:")
        }
    }

    @Test func responses() async throws {
        // The other modes are lenient ones that a program must ask for.
        let cases = try ConformanceCases.read("http1/llhttp-responses.json", as: Table.self).cases
            .filter { $0.mode == "response" }
        let run = try AnswerRun(cases.map(\.bytes))
        var comparison = Comparison("llhttp responses")
        for (number, testCase) in cases.enumerated() {
            let method: HTTPMethod = testCase.meta?.skipBody == true ? .head : .get
            let result = try await run.result(number, method: method)
            comparison.add(testCase.id, Self.difference(of: result, from: testCase))
        }
        await run.finish()
        comparison.conclude(known: Self.known)
    }

    private static func difference(of result: Result<DataResponse, LupineError>, from testCase: Case) -> String? {
        guard testCase.isWhole else { return result.differenceFromRefusal }
        let body = testCase.body.latin1
        // One of several messages is read.
        if testCase.complete > 1, case .success(let response) = result, body.starts(with: response.data) { return nil }
        return result.difference(fromBody: body)
    }

    private static let known = [
        KnownDifference(
            "what follows a whole answer on a connection that then ends is dropped (RFC 9112 section 6.3)",
            [
                "connection: HTTP/1.1 with keep-alive disabled and 204 status",
                "connection: HTTP/1.1 with keep-alive disabled, content-length",
            ]),
        KnownDifference(
            "the table gives the body of an answer behind the first, or took several cases for one",
            ["connection: HTTP 304 with Transfer-Encoding", "sample: Google 301"]),
        KnownDifference(
            "a line may end with LF alone (RFC 9112 section 2.2)",
            [
                "invalid: Only LFs present and no body", "invalid: Only LFs present", "sample: No carriage ret",
            ]),
        KnownDifference(
            "an empty line before a message is a server's to skip, not a client's (RFC 9112 section 2.2)",
            ["connection: HTTP 100 first, then 400", "sample: Response starting with CRLF"]),
        KnownDifference(
            "other protocols, and HTTP/0.9, which has no status line, are not spoken (RFC 9112 section 2.3)",
            ["sample: RTSP response", "sample: ICE response", "sample: HTTP version 0.9"]),
        KnownDifference(
            "a transfer coding that was not asked for is refused, not handed on coded (RFC 9112 section 6.1)",
            [
                "transfer-encoding: `chunked` before other transfer-encoding",
                "transfer-encoding: multiple transfer-encoding where chunked is not the last one",
                "transfer-encoding: `chunkedchunked` transfer-encoding does not enable chunked enconding",
            ]),
        KnownDifference(
            "blanks after a chunk's size, and an extension without a name, change nothing (RFC 9112 section 7.1.1)",
            [
                "transfer-encoding: Trailing space on chunked body",
                "transfer-encoding: No extension after semicolon",
            ]),
    ]
}
