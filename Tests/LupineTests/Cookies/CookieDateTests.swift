import FoundationEssentials
import Testing

@testable import Lupine

@Suite struct CookieDateTests {
    private static func date(_ text: String) -> String? { CookieDate.parse(text)?.formatted(.iso8601) }

    @Test(
        arguments: [
            ("Wed, 09 Jun 2027 10:18:14 GMT", "2027-06-09T10:18:14Z"),
            ("Wed, 09-Jun-27 10:18:14 GMT", "2027-06-09T10:18:14Z"),
            // Two digits: 70 to 99 lie in the last century, 00 to 69 in this one (RFC 6265bis section 5.1.1 steps 3, 4).
            ("1 Jan 70 00:00:00", "1970-01-01T00:00:00Z"),
            ("31 Dec 99 23:59:59", "1999-12-31T23:59:59Z"),
            ("1 Jan 00 00:00:00", "2000-01-01T00:00:00Z"),
            ("1 Jan 69 00:00:00", "2069-01-01T00:00:00Z"),
            ("1 Jan 069 00:00:00", "2069-01-01T00:00:00Z"),
            // Any order, any mark between; a part counts where it is first found.
            ("10:18:14 2027 9 June", "2027-06-09T10:18:14Z"),
            ("9|Jun|2027|10:18:14", "2027-06-09T10:18:14Z"),
            ("9~Jun/2027\"10:18:14", "2027-06-09T10:18:14Z"),
            ("9 Jun 10 10:18:14 2027", "2010-06-09T10:18:14Z"),
            ("9th Juneau 2027AD 1:2:3pm", "2027-06-09T01:02:03Z"),
            ("9 Jun 2027 10:18:14 -0500", "2027-06-09T10:18:14Z"),
            // Days that exist, and those that do not.
            ("29 Feb 2024 00:00:00", "2024-02-29T00:00:00Z"),
            ("29 Feb 2000 00:00:00", "2000-02-29T00:00:00Z"),
            ("29 Feb 2023 00:00:00", nil),
            ("29 Feb 2100 00:00:00", nil),
            ("31 Apr 2027 00:00:00", nil),
            ("0 Jan 2027 00:00:00", nil),
            ("32 Jan 2027 00:00:00", nil),
            ("1 Jan 2027 24:00:00", nil),
            ("1 Jan 2027 00:60:00", nil),
            ("1 Jan 2027 00:00:60", nil),
            ("1 Jan 1601 00:00:00", "1601-01-01T00:00:00Z"),
            ("31 Dec 1600 23:59:59", nil),
            ("31 Dec 9999 23:59:59", "9999-12-31T23:59:59Z"),
            // Numbers of too many digits are no part at all.
            ("1 Jan 20270 00:00:00", nil),
            ("001 Jan 2027 00:00:00", nil),
            ("1 Jan 2027 000:00:00", nil),
            ("1 Jan 99999999999999999999 00:00:00", nil),
            // Something is missing.
            ("1 Jan 2027", nil),
            ("Jan 2027 00:00:00", nil),
            ("1 2027 00:00:00", nil),
            ("1 Ja 2027 00:00:00", nil),
            ("", nil),
            (";;;---", nil),
        ] as [(String, String?)])
    func reading(text: String, expected: String?) { #expect(Self.date(text) == expected) }

    /// Day after day, around a century whose first year has no leap day.
    @Test func everyDay() {
        let names = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
        var expected = -2_335_219_200.0
        for year in 1896...1904 {
            for name in names {
                for day in 1...31 {
                    guard let date = CookieDate.parse("\(day) \(name) \(year) 00:00:00") else { continue }
                    guard date.timeIntervalSince1970 == expected else {
                        Issue.record("\(day) \(name) \(year) is \(date)")
                        return
                    }
                    expected += 86_400
                }
            }
        }
        #expect(expected == -2_051_222_400)
    }
}
