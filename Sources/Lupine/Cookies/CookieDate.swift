internal import FoundationEssentials
internal import LupineCore

/// The dates of `Expires`: a day, a month, a year and a time in whatever order and between whatever marks
/// (RFC 6265bis section 5.1.1). Time zones are not read: all is UTC.
struct CookieDate {
    private var time: (hour: Int, minute: Int, second: Int)?
    private var day: Int?
    private var month: Int?
    private var year: Int?

    /// `nil`: a part is missing, or there is no such day or time.
    static func parse(_ text: some StringProtocol) -> Date? {
        var parts = CookieDate()
        for token in text.utf8.split(whereSeparator: isDelimiter) { parts.take(Array(token)) }
        return parts.date
    }

    private static func isDelimiter(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x09, 0x20...0x2F, 0x3B...0x40, 0x5B...0x60, 0x7B...0x7E: true
        default: false
        }
    }

    /// A token is the first part it can be that has not been found yet.
    private mutating func take(_ token: [UInt8]) {
        if time == nil, let found = Self.time(token) {
            time = found
        } else if day == nil, let found = Self.number(token[...], digits: 1...2) {
            day = found.value
        } else if month == nil, let found = Self.month(token) {
            month = found
        } else if year == nil, let found = Self.number(token[...], digits: 2...4) {
            year = found.value
        }
    }

    private var date: Date? {
        guard let time, let day, let month, var year else { return nil }
        if (70...99).contains(year) { year += 1900 }
        if (0...69).contains(year) { year += 2000 }
        guard year >= 1601, let day = CivilDay(year: year, month: month, day: day), time.hour <= 23, time.minute <= 59,
            time.second <= 59
        else { return nil }
        let seconds = ((day.daysSince1970 * 24 + time.hour) * 60 + time.minute) * 60 + time.second
        return Date(timeIntervalSince1970: Double(seconds))
    }

    /// So many digits at the start, and then none.
    private static func number(
        _ token: ArraySlice<UInt8>, digits: ClosedRange<Int>
    ) -> (value: Int, rest: ArraySlice<UInt8>)? {
        let found = token.prefix { $0.isASCIIDigit }
        guard digits.contains(found.count) else { return nil }
        return (found.reduce(0) { $0 * 10 + Int($1 - 0x30) }, token[found.endIndex...])
    }

    private static func time(_ token: [UInt8]) -> (hour: Int, minute: Int, second: Int)? {
        guard let hour = number(token[...], digits: 1...2), hour.rest.first == UInt8(ascii: ":"),
            let minute = number(hour.rest.dropFirst(), digits: 1...2), minute.rest.first == UInt8(ascii: ":"),
            let second = number(minute.rest.dropFirst(), digits: 1...2)
        else { return nil }
        return (hour.value, minute.value, second.value)
    }

    /// By its first three letters.
    private static func month(_ token: [UInt8]) -> Int? {
        guard token.count >= 3 else { return nil }
        let name = String(decoding: token.prefix(3), as: UTF8.self)
        return CivilDay.monthNames.firstIndex { $0.equalsIgnoringASCIICase(name) }.map { $0 + 1 }
    }
}
