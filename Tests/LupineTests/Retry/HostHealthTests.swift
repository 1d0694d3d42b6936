import Testing

@testable import Lupine

/// What the end of an exchange says of the host.
@Suite struct HostHealthTests {
    private static let faults: Set = [
        "could-not-resolve", "could-not-connect", "connection-lost", "proxy-failed", "tls-failed", "timed-out",
        "bad-response", "incomplete-body",
    ]

    @Test(arguments: LupineError.Code.all) func codesWithoutHead(code: LupineError.Code) {
        let expected: HostHealth = Self.faults.contains(code.rawValue) ? .fails : .unknown
        #expect(HostHealth(after: LupineError(code, "it failed"), response: nil) == expected)
    }

    /// After a head what failed on this side tells that the host answers.
    @Test(arguments: LupineError.Code.all) func codesAfterHead(code: LupineError.Code) {
        let error = LupineError.test(code, HTTPResponse(status: 200))
        #expect(HostHealth(after: error, response: nil) == (Self.faults.contains(code.rawValue) ? .fails : .answers))
    }

    @Test(
        arguments: [
            (200, .answers), (204, .answers), (301, .answers), (304, .answers), (400, .answers), (401, .answers),
            (404, .answers), (407, .answers), (408, .fails), (409, .answers), (425, .answers), (428, .answers),
            (429, .fails), (499, .answers), (500, .fails), (501, .fails), (502, .fails), (503, .fails), (504, .fails),
            (599, .fails), (600, .answers),
        ] as [(HTTPStatus, HostHealth)])
    func statuses(status: HTTPStatus, expected: HostHealth) {
        let head = HTTPResponse(status: status)
        // An answer that nothing checks, and one that is refused.
        #expect(HostHealth(after: nil, response: head) == expected)
        #expect(HostHealth(after: .test(.unacceptableStatus, head), response: nil) == expected)
        #expect(HostHealth(after: .test(.cancelled, head), response: nil) == expected)
    }
}
