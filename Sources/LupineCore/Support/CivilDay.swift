/// A day of the Gregorian calendar, which is also counted back to before there was one.
package struct CivilDay: Hashable, Sendable {
    package let year: Int
    /// From 1.
    package let month: Int
    /// From 1.
    package let day: Int

    /// `nil`: there is no such day.
    package init?(year: Int, month: Int, day: Int) {
        guard (1...12).contains(month), day >= 1, day <= Self.days(inMonth: month, of: year) else { return nil }
        (self.year, self.month, self.day) = (year, month, day)
    }

    /// The day so many days after the first of 1970, or before it.
    package init(daysSince1970 days: Int) {
        // The mean year is 146,097 / 400 days long, so this is the year or one beside it.
        var year = 1970 + Self.quotient(days * 400, 146_097)
        while Self.daysBefore(year: year) > days { year -= 1 }
        while Self.daysBefore(year: year + 1) <= days { year += 1 }
        var month = 1
        var left = days - Self.daysBefore(year: year)
        while left >= Self.days(inMonth: month, of: year) {
            left -= Self.days(inMonth: month, of: year)
            month += 1
        }
        (self.year, self.month, self.day) = (year, month, left + 1)
    }

    package var daysSince1970: Int {
        (1..<month).reduce(Self.daysBefore(year: year) + day - 1) { $0 + Self.days(inMonth: $1, of: year) }
    }

    /// From Sunday, which is 0.
    package var weekday: Int {
        // The first of 1970 was a Thursday.
        let days = daysSince1970 + 4
        return days - Self.quotient(days, 7) * 7
    }

    /// As dates of messages have them, from January.
    package static let monthNames = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    private static func days(inMonth month: Int, of year: Int) -> Int {
        switch month {
        case 2: year.isMultiple(of: 4) && (!year.isMultiple(of: 100) || year.isMultiple(of: 400)) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }

    /// From the start of 1970 to that of a year.
    private static func daysBefore(year: Int) -> Int {
        func daysFromYearOne(_ before: Int) -> Int {
            before * 365 + quotient(before, 4) - quotient(before, 100) + quotient(before, 400)
        }
        return daysFromYearOne(year - 1) - daysFromYearOne(1969)
    }

    /// Rounded down, also below zero.
    private static func quotient(_ number: Int, _ divisor: Int) -> Int {
        number >= 0 ? number / divisor : -((divisor - 1 - number) / divisor)
    }
}
