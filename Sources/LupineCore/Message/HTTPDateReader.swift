/// The grammar of `HTTP-date` (RFC 9110 section 5.6.7). Each format is read from the start of the text, and gives seconds since
/// the start of 1970.
struct HTTPDateReader {
    private var rest: Substring.UTF8View

    init(_ text: String) { rest = text[...].utf8 }

    /// `IMF-fixdate`: `Sun, 06 Nov 1994 08:49:37 GMT`.
    func fixdate() -> Int? {
        var text = self
        guard text.takeName(of: Self.shortDayNames) != nil, text.take(", "), let day = text.takeNumber(2),
            text.take(" "), let month = text.takeName(of: CivilDay.monthNames), text.take(" "),
            let year = text.takeNumber(4), text.take(" "), let second = text.takeTime(), text.take(" GMT"),
            text.rest.isEmpty
        else { return nil }
        return Self.seconds(year, month + 1, day, second)
    }

    /// `rfc850-date`: `Sunday, 06-Nov-94 08:49:37 GMT`.
    func rfc850(now: (day: CivilDay, second: Int)) -> Int? {
        var text = self
        guard text.takeName(of: Self.dayNames) != nil, text.take(", "), let day = text.takeNumber(2), text.take("-"),
            let name = text.takeName(of: CivilDay.monthNames), text.take("-"), let digits = text.takeNumber(2),
            text.take(" "), let second = text.takeTime(), text.take(" GMT"), text.rest.isEmpty
        else { return nil }
        let month = name + 1
        // The last year with these digits until fifty years from now, and the one before where that comes too late in it.
        let end = now.day.year + 50
        let year = end - (end - digits) % 100
        let isTooLate =
            year == end && (month, day, second) > (now.day.month, now.day.day, now.second)
        return Self.seconds(isTooLate ? year - 100 : year, month, day, second)
    }

    /// `asctime-date`: `Sun Nov  6 08:49:37 1994`.
    func asctime() -> Int? {
        var text = self
        guard text.takeName(of: Self.shortDayNames) != nil, text.take(" "),
            let month = text.takeName(of: CivilDay.monthNames), text.take(" "),
            let day = text.take(" ") ? text.takeNumber(1) : text.takeNumber(2), text.take(" "),
            let second = text.takeTime(), text.take(" "), let year = text.takeNumber(4), text.rest.isEmpty
        else { return nil }
        return Self.seconds(year, month + 1, day, second)
    }

    /// From Sunday.
    static let dayNames = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"]
    private static let shortDayNames = dayNames.map { String($0.prefix(3)) }

    private static func seconds(_ year: Int, _ month: Int, _ day: Int, _ second: Int) -> Int? {
        CivilDay(year: year, month: month, day: day).map { $0.daysSince1970 * 86_400 + second }
    }

    /// `time-of-day`, as seconds since the day began: 00:00:00 to 23:59:60.
    private mutating func takeTime() -> Int? {
        guard let hour = takeNumber(2), hour <= 23, take(":"), let minute = takeNumber(2), minute <= 59, take(":"),
            let second = takeNumber(2), second <= 60
        else { return nil }
        return (hour * 60 + minute) * 60 + second
    }

    /// Exactly so many digits.
    private mutating func takeNumber(_ digits: Int) -> Int? {
        let found = rest.prefix(digits)
        guard found.count == digits, found.allSatisfy(\.isASCIIDigit) else { return nil }
        rest = rest.dropFirst(digits)
        return found.reduce(0) { $0 * 10 + Int($1 - 0x30) }
    }

    /// - Returns: which of the names comes next.
    private mutating func takeName(of names: [String]) -> Int? {
        for (index, name) in names.enumerated() where take(name) { return index }
        return nil
    }

    private mutating func take(_ text: String) -> Bool {
        let found = rest.prefix(text.utf8.count)
        guard found.count == text.utf8.count,
            zip(found, text.utf8).allSatisfy({ $0.asciiLowercased == $1.asciiLowercased })
        else { return false }
        rest = rest.dropFirst(text.utf8.count)
        return true
    }
}
