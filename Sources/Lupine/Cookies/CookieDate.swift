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
        guard year >= 1601, day >= 1, day <= Self.days(inMonth: month, of: year), time.hour <= 23, time.minute <= 59,
            time.second <= 59
        else { return nil }
        let days = Self.daysBeforeYear(year) + (1..<month).reduce(day - 1) { $0 + Self.days(inMonth: $1, of: year) }
        let seconds = ((days * 24 + time.hour) * 60 + time.minute) * 60 + time.second
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

    private static let months = [
        "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
    ]

    /// By its first three letters.
    private static func month(_ token: [UInt8]) -> Int? {
        guard token.count >= 3 else { return nil }
        let name = String(decoding: token.prefix(3).map(\.asciiLowercased), as: UTF8.self)
        return months.firstIndex(of: name).map { $0 + 1 }
    }

    private static func days(inMonth month: Int, of year: Int) -> Int {
        switch month {
        case 2: year.isMultiple(of: 4) && (!year.isMultiple(of: 100) || year.isMultiple(of: 400)) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }

    /// From the start of 1970 to that of a year, in the Gregorian calendar throughout.
    private static func daysBeforeYear(_ year: Int) -> Int {
        func daysFromYearOne(_ before: Int) -> Int { before * 365 + before / 4 - before / 100 + before / 400 }
        return daysFromYearOne(year - 1) - daysFromYearOne(1969)
    }
}
