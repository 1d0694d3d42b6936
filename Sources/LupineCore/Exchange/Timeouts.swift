/// The limits of time of an exchange. Milliseconds count; zero or less means at once. Kept in whole nanoseconds; more than 285
/// years become 292.
public struct Timeouts: Hashable, Sendable {
    package var limits = Limits()

    package struct Limits: Hashable, Sendable {
        package var pool = TimeLimit.none
        package var connect = TimeLimit(nanoseconds: 30_000_000_000)
        package var idle = TimeLimit(nanoseconds: 60_000_000_000)
        package var total = TimeLimit.none
        package var connectivity = TimeLimit(nanoseconds: 60_000_000_000)
    }

    public init() {}

    /// To wait until the session's limits of connections and of requests let the exchange begin. `nil`, the default: as long as the total allows.
    public var pool: Duration? {
        get { limits.pool.duration }
        set { limits.pool = TimeLimit(newValue) }
    }
    /// To look up the name, connect and agree on TLS. 30 seconds by default.
    public var connect: Duration? {
        get { limits.connect.duration }
        set { limits.connect = TimeLimit(newValue) }
    }
    /// Without a byte in either direction, once connected. 60 seconds by default.
    public var idle: Duration? {
        get { limits.idle.duration }
        set { limits.idle = TimeLimit(newValue) }
    }
    /// For the network to allow a connection, where ``TransferOptions/waitsForConnectivity`` has a task wait for that; by its
    /// session's clock. 60 seconds by default; `nil`: as long as the total allows.
    public var connectivity: Duration? {
        get { limits.connectivity.duration }
        set { limits.connectivity = TimeLimit(newValue) }
    }
    /// For the whole exchange, body included; of a task, for all its exchanges and the decisions between them. `nil`, the
    /// default: none.
    public var total: Duration? {
        get { limits.total.duration }
        set { limits.total = TimeLimit(newValue) }
    }
}

/// A limit of time as the loop counts. A `Duration` has 128 bits, and dividing them costs more than what is done with the
/// result.
package struct TimeLimit: Hashable, Sendable {
    package let nanoseconds: UInt64

    package static let none = TimeLimit(nanoseconds: .max)
    private static let longest = UInt64(Int64.max)

    package init(nanoseconds: UInt64) { self.nanoseconds = nanoseconds }

    /// `nil` is no limit; a negative duration is over at once.
    package init(_ duration: Duration?) {
        guard let duration else {
            self = .none
            return
        }
        let (seconds, attoseconds) = max(.zero, duration).components
        nanoseconds =
            seconds < 9_000_000_000
            ? UInt64(seconds) * 1_000_000_000 + UInt64(attoseconds / 1_000_000_000) : Self.longest
    }

    package var duration: Duration? { self == .none ? nil : .nanoseconds(Int64(clamping: nanoseconds)) }
}
