internal import Glibc
internal import LupineCore

/// A moment of the monotonic clock in nanoseconds: small enough to be kept per transfer and compared in the
/// event loop. `distantFuture` stands for "never".
package struct MonotonicTime: Comparable, Sendable {
    package let nanoseconds: UInt64

    package init(nanoseconds: UInt64) { self.nanoseconds = nanoseconds }

    package static let distantFuture = MonotonicTime(nanoseconds: .max)

    package static func now() -> MonotonicTime {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return MonotonicTime(nanoseconds: UInt64(time.tv_sec) &* 1_000_000_000 &+ UInt64(time.tv_nsec))
    }

    package static func < (left: Self, right: Self) -> Bool { left.nanoseconds < right.nanoseconds }

    /// Saturates: beyond the clock's range is never.
    func adding(_ limit: TimeLimit) -> MonotonicTime {
        let (sum, overflow) = nanoseconds.addingReportingOverflow(limit.nanoseconds)
        return overflow ? .distantFuture : MonotonicTime(nanoseconds: sum)
    }

    /// Not below zero.
    package func duration(to later: MonotonicTime) -> Duration {
        .nanoseconds(Int64(clamping: max(self, later).nanoseconds - nanoseconds))
    }

    /// Whole milliseconds until `later`, rounded up so that a sleep does not end early.
    func milliseconds(until later: MonotonicTime) -> Int {
        later <= self ? 0 : Int(clamping: (later.nanoseconds - nanoseconds + 999_999) / 1_000_000)
    }
}
