import FoundationEssentials
import Lupine
import Testing

@Suite struct RetryAfterTests {
    /// Sun, 06 Nov 1994 08:49:37 GMT.
    private static let now = Date(timeIntervalSince1970: 784_111_777)

    @Test(
        arguments: [
            ([], nil),
            (["0"], .zero),
            (["1"], .seconds(1)),
            (["120"], .seconds(120)),
            (["007"], .seconds(7)),
            ([" 120\t"], .seconds(120)),
            // Longer than anything: 2^31 seconds (RFC 9111 section 1.2.2).
            (["2147483648"], .seconds(2_147_483_648)),
            (["2147483649"], .seconds(2_147_483_648)),
            (["9223372036854775808"], .seconds(2_147_483_648)),
            (["99999999999999999999999999999999999999999"], .seconds(2_147_483_648)),
            // No number of seconds.
            ([""], nil),
            (["-1"], nil),
            (["+1"], nil),
            (["1.5"], nil),
            (["1e3"], nil),
            (["0x10"], nil),
            (["120 s"], nil),
            (["1 2"], nil),
            (["120, 60"], .seconds(120)),
            (["60,120"], .seconds(120)),
            (["5, soon"], nil),
            (["soon"], nil),
            (["١"], nil),
            // Dates, in each format.
            (["Sun, 06 Nov 1994 08:49:37 GMT"], .zero),
            (["Sun, 06 Nov 1994 08:49:47 GMT"], .seconds(10)),
            (["Sunday, 06-Nov-94 08:50:37 GMT"], .seconds(60)),
            (["Sun Nov  6 09:49:37 1994"], .seconds(3600)),
            (["Sun, 06 Nov 1994 08:49:36 GMT"], .zero),
            (["Thu, 01 Jan 1970 00:00:00 GMT"], .zero),
            (["Fri, 31 Dec 9999 23:59:59 GMT"], .seconds(2_147_483_648)),
            (["Sun, 06 Nov 1994 08:49:47"], nil),
            (["1994-11-06T08:49:47Z"], nil),
            // Several: the longest that can be read.
            (["5", "10"], .seconds(10)),
            (["10", "5"], .seconds(10)),
            (["10", "soon"], .seconds(10)),
            (["-1", "5"], .seconds(5)),
            (["5", "Sun, 06 Nov 1994 08:49:57 GMT"], .seconds(20)),
            (["soon", "later"], nil),
        ] as [([String], Duration?)])
    func reading(values: [String], expected: Duration?) {
        let fields = values.map { HTTPHeader(name: "retry-after", value: $0) }
        let head = HTTPResponse(status: 503, headers: HTTPHeaders(fields))
        #expect(head.retryAfter(now: Self.now) == expected)
    }

    @Test func aPartOfASecondIsWaitedFor() {
        let head = HTTPResponse(status: 503, headers: ["Retry-After": "Sun, 06 Nov 1994 08:49:47 GMT"])
        let now = Self.now.addingTimeInterval(0.25)
        #expect(head.retryAfter(now: now) == .milliseconds(9750))
    }

    /// A clock without sense gives no wait, or the longest, and does not trap.
    @Test func oddClocks() {
        let head = HTTPResponse(status: 503, headers: ["Retry-After": "Sun, 06 Nov 1994 08:49:47 GMT"])
        #expect(head.retryAfter(now: Date(timeIntervalSince1970: .nan)) == .zero)
        #expect(head.retryAfter(now: Date(timeIntervalSince1970: .infinity)) == .zero)
        #expect(head.retryAfter(now: Date(timeIntervalSince1970: -.infinity)) == .seconds(2_147_483_648))
    }
}
