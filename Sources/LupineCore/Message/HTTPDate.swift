public import FoundationEssentials

/// A moment as HTTP's fields have it, to the second (RFC 9110 section 5.6.7): `Sun, 06 Nov 1994 08:49:37 GMT`.
public struct HTTPDate: Hashable, Sendable {
    /// Since the start of 1970, without leap seconds.
    private let seconds: Int

    /// A moment; a fraction of a second is cut off. Outside the years 0 to 9999, which four digits can say, it is the nearest
    /// moment in them.
    public init(_ date: Date) {
        let seconds = date.timeIntervalSince1970.rounded(.down)
        // So written, what is no number is the first moment.
        self.seconds = seconds > Double(Self.first) ? Int(min(seconds, Double(Self.last))) : Self.first
    }

    /// Reads any of the three formats that a recipient has to know: that of today, `Sunday, 06-Nov-94 08:49:37 GMT` of RFC 850, and
    /// `Sun Nov  6 08:49:37 1994` of C's `asctime`.
    ///
    /// By their grammar, so nothing may stand before, after or between; but letters of either case are read, as RFC 9111 section
    /// 4.2 advises. The day's name has to be one, and need not be that of the date. A sixtieth second is the first of the next
    /// minute. Of two digits the year is the latest that makes it no more than fifty years from now.
    ///
    /// - Parameter now: what those fifty years are counted from; the present by default.
    /// - Returns: `nil` where it is none of them, or there is no such day or time.
    public init?(_ text: String, now: Date = Date()) {
        let reader = HTTPDateReader(text)
        guard let seconds = reader.fixdate() ?? reader.rfc850(now: HTTPDate(now).parts) ?? reader.asctime() else {
            return nil
        }
        self.seconds = min(max(seconds, Self.first), Self.last)
    }

    public var date: Date { Date(timeIntervalSince1970: Double(seconds)) }

    /// Its day, and the seconds since that began.
    private var parts: (day: CivilDay, second: Int) {
        // Counted from the first moment there is, so that nothing is negative.
        let (days, second) = (seconds - Self.first).quotientAndRemainder(dividingBy: 86_400)
        return (CivilDay(daysSince1970: days + Self.first / 86_400), second)
    }

    private static let first = -62_167_219_200
    private static let last = 253_402_300_799
}

extension HTTPDate: Comparable {
    public static func < (left: HTTPDate, right: HTTPDate) -> Bool { left.seconds < right.seconds }
}

extension HTTPDate: CustomStringConvertible {
    /// As it is sent: `Sun, 06 Nov 1994 08:49:37 GMT`, the one format a sender may use.
    public var description: String {
        let (day, second) = parts
        let date = "\(Self.padded(day.day)) \(CivilDay.monthNames[day.month - 1]) \(Self.padded(day.year, 4))"
        let time = [second / 3600, second / 60 % 60, second % 60].map { Self.padded($0) }.joined(separator: ":")
        return "\(HTTPDateReader.dayNames[day.weekday].prefix(3)), \(date) \(time) GMT"
    }

    private static func padded(_ number: Int, _ digits: Int = 2) -> String {
        let text = String(number)
        return String(repeating: "0", count: max(0, digits - text.utf8.count)) + text
    }
}
