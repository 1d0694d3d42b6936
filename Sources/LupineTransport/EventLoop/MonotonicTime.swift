internal import Glibc

/// A moment of the monotonic clock in nanoseconds: small enough to be kept per transfer and compared in the
/// event loop. `distantFuture` stands for "never".
package struct MonotonicTime: Hashable, Comparable, Sendable {
    package let nanoseconds: UInt64

    package init(nanoseconds: UInt64) { self.nanoseconds = nanoseconds }

    package static let distantFuture = MonotonicTime(nanoseconds: .max)

    package static func now() -> MonotonicTime {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return MonotonicTime(nanoseconds: UInt64(time.tv_sec) &* 1_000_000_000 &+ UInt64(time.tv_nsec))
    }

    package static func < (left: Self, right: Self) -> Bool { left.nanoseconds < right.nanoseconds }

    /// Saturates at both ends: a duration beyond the clock's range means never, a negative one now.
    package func adding(_ duration: Duration) -> MonotonicTime {
        let (seconds, attoseconds) = duration.components
        guard seconds >= 0, attoseconds >= 0 else { return self }
        guard seconds < 9_000_000_000 else { return .distantFuture }
        let (sum, overflow) = nanoseconds.addingReportingOverflow(
            UInt64(seconds) * 1_000_000_000 + UInt64(attoseconds) / 1_000_000_000)
        return overflow ? .distantFuture : MonotonicTime(nanoseconds: sum)
    }

    /// Whole milliseconds until `later`, rounded up so that a sleep does not end early.
    func milliseconds(until later: MonotonicTime) -> Int {
        later <= self ? 0 : Int(clamping: (later.nanoseconds - nanoseconds + 999_999) / 1_000_000)
    }
}
