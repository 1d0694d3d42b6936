internal import Glibc

/// An IPv4 or IPv6 address.
public struct IPAddress: Hashable, Sendable, CustomStringConvertible {
    /// The version of the protocol.
    public enum Family: Hashable, Sendable { case ipv4, ipv6 }

    public let family: Family
    /// The link that a link-local IPv6 address belongs to, by the kernel's number; 0: any.
    public let zone: UInt32
    /// The bits, from the first on: an IPv4 address is in the first 32 of `high`.
    let high: UInt64
    let low: UInt64

    private init(family: Family, high: UInt64, low: UInt64, zone: UInt32) {
        (self.family, self.high, self.low, self.zone) = (family, high, low, zone)
    }

    /// The address that a text such as `192.0.2.1`, `2001:db8::1` or `fe80::1%eth0` writes, `nil` where it writes none.
    ///
    /// An IPv4 address written as an IPv6 one, `::ffff:192.0.2.1`, is the IPv4 address.
    public init?(_ text: String) {
        let parts = text.split(separator: "%", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        guard let first = parts.first, !text.utf8.contains(0) else { return nil }
        var bytes = [UInt8](repeating: 0, count: 16)
        if parts.count == 1, inet_pton(AF_INET, first, &bytes) == 1 {
            self.init(bytes: bytes[..<4])
            return
        }
        guard inet_pton(AF_INET6, first, &bytes) == 1 else { return nil }
        var zone: UInt32 = 0
        if parts.count == 2 {
            zone = UInt32(parts[1]) ?? if_nametoindex(parts[1])
            guard zone > 0 else { return nil }
        }
        self.init(bytes: bytes[...], zone: zone)
    }

    /// - Parameter bytes: 4 or 16, in the order of the network; of any other number `nil` is made.
    package init?(bytes: ArraySlice<UInt8>, zone: UInt32 = 0) {
        let words = [bytes.prefix(8), bytes.dropFirst(8)].map { part in
            part.reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        }
        switch bytes.count {
        case 4: self.init(family: .ipv4, high: words[0] << 32, low: 0, zone: 0)
        case 16 where words[0] == 0 && words[1] >> 32 == 0xFFFF:
            self.init(family: .ipv4, high: words[1] << 32, low: 0, zone: 0)
        case 16: self.init(family: .ipv6, high: words[0], low: words[1], zone: zone)
        default: return nil
        }
    }

    /// As they stand: a prefix of IPv6 that covers written-out IPv4 addresses stays one of IPv6.
    init?(raw bytes: ArraySlice<UInt8>, _ family: Family) {
        guard let address = IPAddress(bytes: bytes) else { return nil }
        guard family != address.family else {
            self = address
            return
        }
        self.init(family: family, high: 0, low: 0xFFFF_0000_0000 | address.high >> 32, zone: 0)
    }

    /// All bits zero: what stands for the default route.
    static func zero(_ family: Family) -> IPAddress { IPAddress(family: family, high: 0, low: 0, zone: 0) }

    var isZero: Bool { high == 0 && low == 0 }

    /// 127.0.0.0/8 and ::1.
    var isLoopback: Bool { family == .ipv4 ? high >> 56 == 127 : high == 0 && low == 1 }

    /// Good on one link only: 169.254.0.0/16 (RFC 3927) and fe80::/10 (RFC 4291, 2.5.6).
    var isLinkLocal: Bool { family == .ipv4 ? high >> 48 == 0xA9FE : high >> 54 == 0x3FA }

    public var description: String {
        var bytes = [UInt8](repeating: 0, count: 16)
        for index in 0..<8 {
            bytes[index] = UInt8(truncatingIfNeeded: high >> UInt64(56 - 8 * index))
            bytes[index + 8] = UInt8(truncatingIfNeeded: low >> UInt64(56 - 8 * index))
        }
        var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
        inet_ntop(family == .ipv4 ? AF_INET : AF_INET6, bytes, &text, socklen_t(text.count))
        let end = text.firstIndex(of: 0) ?? text.endIndex
        let address = String(decoding: text[..<end].map(UInt8.init(bitPattern:)), as: UTF8.self)
        return zone == 0 ? address : "\(address)%\(zone)"
    }
}

/// The addresses that begin with the same bits.
struct IPPrefix: Hashable, Sendable {
    let address: IPAddress
    /// In bits.
    let length: Int

    /// Every address of a family.
    static func all(_ family: IPAddress.Family) -> IPPrefix { IPPrefix(address: .zero(family), length: 0) }

    func contains(_ other: IPAddress) -> Bool {
        guard other.family == address.family else { return false }
        // A shift by 64 or more gives 0 or the value itself, as it should: Swift's shifts are smart.
        let highMask = ~UInt64(0) << (64 - min(length, 64))
        let lowMask = length <= 64 ? 0 : ~UInt64(0) << (128 - min(length, 128))
        return (other.high ^ address.high) & highMask == 0 && (other.low ^ address.low) & lowMask == 0
    }
}
