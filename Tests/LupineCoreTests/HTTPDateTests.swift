import FoundationEssentials
import Testing

@testable import LupineCore

@Suite struct HTTPDateTests {
    /// 10 September 2026, 12:00:00.
    private static let now = Date(timeIntervalSince1970: 1_789_041_600)

    @Test(
        arguments: [
            // One moment in each format: RFC 9110 section 5.6.7's own example.
            ("Sun, 06 Nov 1994 08:49:37 GMT", 784_111_777),
            ("Sunday, 06-Nov-94 08:49:37 GMT", 784_111_777),
            ("Sun Nov  6 08:49:37 1994", 784_111_777),
            ("Sun Nov 06 08:49:37 1994", 784_111_777),
            ("Sun Nov 16 08:49:37 1994", 784_975_777),
            // Letters of either case (RFC 9111 section 4.2).
            ("sun, 06 nov 1994 08:49:37 gmt", 784_111_777),
            ("SUNDAY, 06-NOV-94 08:49:37 GMT", 784_111_777),
            ("sun nov  6 08:49:37 1994", 784_111_777),
            // The day's name is not compared with the date.
            ("Mon, 06 Nov 1994 08:49:37 GMT", 784_111_777),
            ("Saturday, 06-Nov-94 08:49:37 GMT", 784_111_777),
            // The rows of curl's table of dates (lib517) that are of one of the formats.
            ("Wed, 25 Apr 2007 21:02:13 GMT", 1_177_534_933),
            ("Sun, 06 Nov 2044 08:49:37 GMT", 2_362_034_977),
            ("Sun, 06 Nov 3144 08:49:37 GMT", 37_074_617_377),
            ("Sun, 06 Nov 1900 08:49:37 GMT", -2_182_259_423),
            ("Sun, 06 Nov 1800 08:49:37 GMT", -5_337_933_023),
            ("Sun, 06 Nov 1968 08:49:37 GMT", -36_342_623),
            ("Wed, 31 Dec 2008 23:59:60 GMT", 1_230_768_000),
            ("Wed, 31 Dec 2008 23:59:61 GMT", nil),
            ("Wed, 31 Dec 2008 24:00:00 GMT", nil),
            ("Wed, 31 Dec 2008 23:60:59 GMT", nil),
            // What curl reads besides is none.
            ("Sun Nov  6 8:49:37 1994", nil),
            ("06 Nov 1994 08:49:37 GMT", nil),
            ("Sun, 06 Nov 1994 08:49:37 CET", nil),
            ("Sun, 06 Nov 1994 08:49:37 UT", nil),
            ("Sun, 06 Nov 1994 08:49:37 -0700", nil),
            ("Sat, 15-Apr-17 21:01:22 GMT", nil),
            ("Thu, 19-Apr-2007 16:00:00 GMT", nil),
            ("Fri, 1 Jan 2010 01:01:50 GMT", nil),
            ("Monday, 06 Nov 1994 08:49:37 GMT", nil),
            ("Sun,    06 Nov   1994   08:49:37 GMT", nil),
            ("  Sun, 06 Nov 1994 08:49:37 GMT  ", nil),
            ("Sun, 06 Nov 1994 08:49:37", nil),
            ("1994-11-06T08:49:37Z", nil),
            // The first and last moments, and days that exist or do not.
            ("Thu, 01 Jan 1970 00:00:00 GMT", 0),
            ("Wed, 31 Dec 1969 23:59:59 GMT", -1),
            ("Sat, 01 Jan 0000 00:00:00 GMT", -62_167_219_200),
            ("Fri, 31 Dec 9999 23:59:59 GMT", 253_402_300_799),
            ("Fri, 31 Dec 9999 23:59:60 GMT", 253_402_300_799),
            ("Thu, 29 Feb 2024 00:00:00 GMT", 1_709_164_800),
            ("Wed, 29 Feb 2023 00:00:00 GMT", nil),
            ("Mon, 29 Feb 2100 00:00:00 GMT", nil),
            ("Sat, 00 Jan 2022 00:00:00 GMT", nil),
            ("Fri, 31 Apr 2026 00:00:00 GMT", nil),
            ("Fri, 32 Jan 2026 00:00:00 GMT", nil),
            // A part is missing, too long or another.
            ("", nil),
            ("GMT", nil),
            ("Sun, 06 Nov 94 08:49:37 GMT", nil),
            ("Sun, 06 Nov 19944 08:49:37 GMT", nil),
            ("Sun, 06 Nov -994 08:49:37 GMT", nil),
            ("Sun, 06 Nov 1994 08:49 GMT", nil),
            ("Sun, 06 Nov 1994 08:49:3 GMT", nil),
            ("Sun, 06 Nov 1994 08:49:37 GMT+1", nil),
            ("Sun, 06 Nov 1994 08:49:37\u{00A0}GMT", nil),
            ("Sun, 06 Nox 1994 08:49:37 GMT", nil),
            ("Son, 06 Nov 1994 08:49:37 GMT", nil),
            ("Sun 06 Nov 1994 08:49:37 GMT", nil),
            ("Sun, ٠٦ Nov 1994 08:49:37 GMT", nil),
            ("Sunday, 06-Nov-1994 08:49:37 GMT", nil),
            ("Sunday 06-Nov-94 08:49:37 GMT", nil),
            ("Sun Nov 6 08:49:37 1994", nil),
            ("Sun Nov   6 08:49:37 1994", nil),
            ("Sun Nov  6 08:49:37 1994 GMT", nil),
        ] as [(String, Double?)])
    func reading(text: String, expected: Double?) {
        #expect(HTTPDate(text, now: Self.now)?.date.timeIntervalSince1970 == expected)
    }

    /// Two digits name the latest year that is no more than fifty years from now, to the second.
    @Test(
        arguments: [
            ("Thursday, 10-Sep-26 12:00:00 GMT", "2026"),
            ("Thursday, 01-Jan-70 00:00:00 GMT", "2070"),
            ("Thursday, 10-Sep-76 12:00:00 GMT", "2076"),
            ("Thursday, 10-Sep-76 12:00:01 GMT", "1976"),
            ("Thursday, 11-Sep-76 00:00:00 GMT", "1976"),
            ("Friday, 01-Jan-77 00:00:00 GMT", "1977"),
            ("Friday, 31-Dec-99 23:59:59 GMT", "1999"),
            ("Saturday, 01-Jan-00 00:00:00 GMT", "2000"),
            ("Thursday, 10-Sep-25 12:00:00 GMT", "2025"),
        ] as [(String, String)])
    func yearsOfTwoDigits(text: String, year: String) {
        let date = HTTPDate(text, now: Self.now)?.description
        #expect(date?.split(separator: " ").dropFirst(3).first.map(String.init) == year)
    }

    @Test(
        arguments: [
            (784_111_777, "Sun, 06 Nov 1994 08:49:37 GMT"),
            (784_111_777.999, "Sun, 06 Nov 1994 08:49:37 GMT"),
            (0, "Thu, 01 Jan 1970 00:00:00 GMT"),
            (-0.001, "Wed, 31 Dec 1969 23:59:59 GMT"),
            (951_782_400, "Tue, 29 Feb 2000 00:00:00 GMT"),
            (-62_167_219_200, "Sat, 01 Jan 0000 00:00:00 GMT"),
            (253_402_300_799, "Fri, 31 Dec 9999 23:59:59 GMT"),
            // Beyond four digits.
            (-1e30, "Sat, 01 Jan 0000 00:00:00 GMT"),
            (-.infinity, "Sat, 01 Jan 0000 00:00:00 GMT"),
            (253_402_300_800, "Fri, 31 Dec 9999 23:59:59 GMT"),
            (.infinity, "Fri, 31 Dec 9999 23:59:59 GMT"),
            (.nan, "Sat, 01 Jan 0000 00:00:00 GMT"),
        ] as [(Double, String)])
    func writing(seconds: Double, expected: String) {
        #expect(HTTPDate(Date(timeIntervalSince1970: seconds)).description == expected)
    }

    /// What is written is read, and days have their names in turn, over four hundred years and some.
    @Test func everyEleventhDay() {
        let names = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
        var texts: [String] = []
        for day in stride(from: -142_445, to: 20_000, by: 11) {
            let date = HTTPDate(Date(timeIntervalSince1970: Double(day) * 86_400 + 86_399))
            let text = date.description
            // The first is a Tuesday.
            guard text.hasPrefix(names[(texts.count * 11 + 2) % 7]), HTTPDate(text) == date else {
                Issue.record("\(text) after \(texts.last ?? "none")")
                return
            }
            texts.append(text)
        }
        #expect(texts.first == "Tue, 01 Jan 1580 23:59:59 GMT")
        #expect(texts.last == "Thu, 26 Sep 2024 23:59:59 GMT")
    }
}
