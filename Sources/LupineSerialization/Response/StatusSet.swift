public import LupineCore

/// The status codes that are accepted, as ranges.
public struct StatusSet: Hashable, Sendable {
    /// Ascending, apart from each other.
    public let ranges: [ClosedRange<Int>]

    /// A set of these ranges, which may overlap.
    public init(_ ranges: [ClosedRange<Int>]) {
        var merged: [ClosedRange<Int>] = []
        for range in ranges.sorted(by: { $0.lowerBound < $1.lowerBound }) {
            // Written so that no bound is added to: a range may reach to `Int.max`.
            if let last = merged.last, range.lowerBound <= last.upperBound || range.lowerBound - 1 == last.upperBound {
                merged[merged.count - 1] = last.lowerBound...max(last.upperBound, range.upperBound)
            } else {
                merged.append(range)
            }
        }
        self.ranges = merged
    }

    /// Half-open, as AFNetworking's index set is described: `StatusSet(200..<300)`.
    public init(_ range: Range<Int>) { self.init(range.isEmpty ? [] : [ClosedRange(range)]) }

    /// Every successful status, 200 to 299 (RFC 9110 section 15.3).
    public static let successful = StatusSet(200..<300)

    /// Whether a status is accepted.
    public func contains(_ status: HTTPStatus) -> Bool { ranges.contains { $0.contains(status.rawValue) } }
}

extension StatusSet: ExpressibleByArrayLiteral {
    /// Single codes: `[200, 201, 304]`.
    public init(arrayLiteral elements: Int...) { self.init(elements.map { $0...$0 }) }
}

extension StatusSet: LosslessStringConvertible {
    /// Reads codes and ranges of three digits each, such as `200-299,304`; spaces may stand around a comma.
    /// `nil`: anything else, an empty text or a range that runs backwards among it.
    public init?(_ description: String) {
        var ranges: [ClosedRange<Int>] = []
        for item in description.split(separator: ",", omittingEmptySubsequences: false) {
            let bounds = String(item).trimmingOWS.split(separator: "-", omittingEmptySubsequences: false)
            guard (1...2).contains(bounds.count), let first = bounds.first.flatMap(Self.code),
                let last = bounds.last.flatMap(Self.code), first <= last
            else { return nil }
            ranges.append(first...last)
        }
        self.init(ranges)
    }

    /// Three digits, the first not 0 (RFC 9110 section 15).
    private static func code(_ text: Substring) -> Int? {
        guard text.utf8.count == 3, text.utf8.allSatisfy(\.isASCIIDigit), text.utf8.first != UInt8(ascii: "0") else {
            return nil
        }
        return Int(text)
    }

    /// `200-299,304`.
    public var description: String {
        ranges.map { $0.count == 1 ? "\($0.lowerBound)" : "\($0.lowerBound)-\($0.upperBound)" }.joined(separator: ",")
    }
}
