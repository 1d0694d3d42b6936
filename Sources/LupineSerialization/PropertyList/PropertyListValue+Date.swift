internal import FoundationEssentials
internal import LupineCore

extension Date {
    /// `2024-02-29T12:00:00Z`, as a property list writes a date. `nil`: something else.
    init?(propertyList text: String) {
        let bytes = Array(text.utf8)
        guard bytes.count == 20 else { return nil }
        for (index, separator) in zip([4, 7, 10, 13, 16, 19], "--T::Z".utf8) where bytes[index] != separator {
            return nil
        }
        func number(_ range: Range<Int>, _ limits: ClosedRange<Int>) -> Int? {
            guard bytes[range].allSatisfy(\.isASCIIDigit) else { return nil }
            let value = bytes[range].reduce(0) { $0 * 10 + Int($1 - 0x30) }
            return limits.contains(value) ? value : nil
        }
        guard let year = number(0..<4, 0...9999), let month = number(5..<7, 1...12), let day = number(8..<10, 1...31),
            let hour = number(11..<13, 0...23), let minute = number(14..<16, 0...59),
            let second = number(17..<19, 0...60)
        else { return nil }
        let days = CivilDay(year: year, month: month, day: day).number
        // The 30th of February is the 1st of March by its number.
        guard CivilDay(number: days).day == day else { return nil }
        self.init(timeIntervalSince1970: Double(days * 86_400 + hour * 3600 + minute * 60 + second))
    }

    /// The same the other way. `nil`: beyond the years 0 to 9999.
    var propertyListText: String? {
        let seconds = timeIntervalSince1970.rounded(.down)
        guard seconds >= -62_167_219_200, seconds < 253_402_300_800 else { return nil }
        let whole = Int(seconds)
        let days = (whole >= 0 ? whole : whole - 86_399) / 86_400
        let rest = whole - days * 86_400
        let day = CivilDay(number: days)
        func two(_ value: Int) -> String { value < 10 ? "0\(value)" : "\(value)" }
        let year = String(repeating: "0", count: max(0, 4 - String(day.year).count)) + String(day.year)
        return "\(year)-\(two(day.month))-\(two(day.day))T\(two(rest / 3600)):\(two(rest / 60 % 60)):\(two(rest % 60))Z"
    }
}

/// A day of the Gregorian calendar, and its number from 1970-01-01 on. The year begins in March here, so that the day that
/// leap years add is its last.
private struct CivilDay {
    let year: Int
    let month: Int
    let day: Int

    init(year: Int, month: Int, day: Int) {
        self.year = year
        self.month = month
        self.day = day
    }

    var number: Int {
        let year = month <= 2 ? self.year - 1 : self.year
        let era = (year >= 0 ? year : year - 399) / 400
        let yearOfEra = year - era * 400
        let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }

    init(number: Int) {
        let shifted = number + 719_468
        let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        day = dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
        month = shiftedMonth + (shiftedMonth < 10 ? 3 : -9)
        year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    }
}
