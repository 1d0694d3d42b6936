public import FoundationEssentials
public import LupineCore

extension HTTPResponse {
    /// How long the server asks to wait before the next request: `Retry-After`, a number of seconds or a date (RFC 9110 section
    /// 10.2.3).
    ///
    /// A date that is over is no wait at all. What is neither of the two is ignored, a negative number or a fraction too. More than
    /// 2^31 seconds are taken for that many, as RFC 9111 section 1.2.2 has it. Where the field came more than once, or numbers were
    /// joined to a list on the way, the longest wait counts: it is within what every one of them allows.
    ///
    /// - Parameter now: what a date is counted from; the present by default. A clock that differs from the server's makes the wait
    ///   that much longer or shorter.
    /// - Returns: `nil` where there is no such field that can be read.
    public func retryAfter(now: Date = Date()) -> Duration? {
        headers.values(for: "Retry-After").flatMap(Self.joined).compactMap { Self.wait($0, now: now) }.max()
    }

    /// A date has a comma too.
    private static func joined(_ value: String) -> [String] {
        let isList = value.utf8.allSatisfy { $0.isASCIIDigit || ", \t".utf8.contains($0) }
        return isList ? value.split(separator: ",").map(String.init) : [value]
    }

    private static func wait(_ text: String, now: Date) -> Duration? {
        let text = String(text.trimmingOWS)
        if !text.isEmpty, text.utf8.allSatisfy(\.isASCIIDigit) {
            return text.decimalLength.map { min(.seconds($0), .longestWait) } ?? .longestWait
        }
        return HTTPDate(text, now: now).map { .wait(seconds: $0.date.timeIntervalSince(now)) }
    }
}

extension Duration {
    /// Beyond what anybody waits for, and far within what can be added to.
    static let longestWait = Duration.seconds(1 << 31)

    /// To the nanosecond, from nothing to the longest wait. What is no number is nothing.
    static func wait(seconds: Double) -> Duration {
        guard seconds > 0 else { return .zero }
        return .nanoseconds(Int64((min(seconds, longestWait / .seconds(1)) * 1e9).rounded()))
    }
}
