import LupineCore
import Testing

@testable import LupineCLI

@Suite(.timeLimit(.minutes(1)))
struct ExitStatusTests {
    @Test(arguments: LupineError.Code.all)
    func everyCodeHasARow(code: LupineError.Code) { #expect(ExitStatus.table[code] != nil) }

    @Test func noRowIsOfAnotherCode() { #expect(ExitStatus.table.count == LupineError.Code.all.count) }

    @Test(arguments: [
        ("invalid-url", 1), ("cancelled", 1), ("unsupported", 1), ("file-exists", 1), ("response-too-large", 1),
        ("invalid-request", 2), ("tls-failed", 3), ("trust-rejected", 3), ("pin-mismatch", 3), ("timed-out", 6),
        ("incomplete-body", 7), ("checksum-mismatch", 7), ("resume-mismatch", 7), ("unacceptable-content-type", 8),
        ("response-serialization-failed", 8), ("content-decoding-failed", 8), ("request-serialization-failed", 8),
    ])
    func rows(code: String, status: Int32) {
        #expect(ExitStatus.of(LupineError(LupineError.Code(rawValue: code), "")) == status)
    }

    @Test(arguments: [(301, 1), (304, 1), (404, 4), (499, 4), (500, 5), (599, 5), (600, 1)])
    func statuses(status: Int, exit: Int32) {
        let error = LupineError(.unacceptableStatus, "")
            .with(response: HTTPResponse(status: HTTPStatus(rawValue: status)), data: nil, metrics: nil)
        #expect(ExitStatus.of(error) == exit)
    }
}
