import Glibc
import LupineTesting

@testable public import LupineReachability

/// Netlink messages as the kernel writes them, byte by byte, with the numbers of its headers.
enum Bytes {
    static func number<Number: FixedWidthInteger>(_ value: Number) -> [UInt8] {
        withUnsafeBytes(of: value) { Array($0) }
    }

    static func padded(_ bytes: [UInt8]) -> [UInt8] { bytes + [UInt8](repeating: 0, count: (4 - bytes.count % 4) % 4) }

    static func message(
        _ type: UInt16, flags: UInt16 = 0, sequence: UInt32 = 0, _ payload: [UInt8], length: UInt32? = nil
    ) -> [UInt8] {
        padded(
            number(length ?? UInt32(16 + payload.count)) + number(type) + number(flags) + number(sequence)
                + number(UInt32(0)) + payload)
    }

    static func attribute(_ type: UInt16, _ value: [UInt8], length: UInt16? = nil) -> [UInt8] {
        padded(number(length ?? UInt16(4 + value.count)) + number(type) + value)
    }

    static func attribute(_ type: UInt16, _ value: UInt32) -> [UInt8] { attribute(type, number(value)) }

    static func attribute(_ type: UInt16, text: String) -> [UInt8] { attribute(type, Array(text.utf8) + [0]) }

    static func address(_ text: String) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: 16)
        if inet_pton(AF_INET, text, &bytes) == 1 { return Array(bytes.prefix(4)) }
        precondition(inet_pton(AF_INET6, text, &bytes) == 1)
        return bytes
    }

    /// RTM_NEWLINK is 16, RTM_DELLINK 17; IFLA_IFNAME 3.
    static func link(
        _ type: UInt16 = 16, family: UInt8 = 0, index: UInt32 = 2, name: String = "eth0", flags: UInt32 = 0x1_0043,
        hardware: UInt16 = 1, more: [UInt8] = []
    ) -> [UInt8] {
        message(
            type,
            [family, 0] + number(hardware) + number(index) + number(flags) + number(UInt32(0))
                + attribute(3, text: name) + more)
    }

    /// RTM_NEWADDR is 20, RTM_DELADDR 21; IFA_ADDRESS 1, IFA_LOCAL 2, IFA_FLAGS 8.
    static func address(
        _ type: UInt16 = 20, family: UInt8, length: UInt8, flags: UInt8 = 0, link: UInt32 = 2, _ more: [UInt8]
    )
        -> [UInt8]
    { message(type, [family, length, flags, 0] + number(link) + more) }

    /// RTM_NEWROUTE is 24, RTM_DELROUTE 25. The structure's bytes: family, lengths, service, table, protocol, scope, type, flags.
    static func route(
        type: UInt16 = 24, flags: UInt16 = 0, family: UInt8 = 2, length: UInt8 = 0, sourceLength: UInt8 = 0,
        table: UInt8 = 254, kind: UInt8 = 1, routeFlags: UInt32 = 0, _ more: [UInt8]
    ) -> [UInt8] {
        message(
            type, flags: flags,
            [family, length, sourceLength, 0, table, 3, 0, kind] + number(routeFlags) + more)
    }

    /// What a datagram says.
    static func changes(_ datagram: [UInt8]) -> [NetworkChange] {
        NetlinkMessage.parse(datagram[...]).messages.compactMap(NetworkChange.init)
    }
}

extension IPAddress: ExpressibleByStringLiteral {
    public init(stringLiteral text: String) {
        guard let address = IPAddress(text) else { preconditionFailure("\(text) is no address") }
        self = address
    }
}

extension IPPrefix: ExpressibleByStringLiteral {
    public init(stringLiteral text: String) {
        let parts = text.split(separator: "/")
        self.init(address: IPAddress(stringLiteral: String(parts[0])), length: Int(parts[1]) ?? 0)
    }
}
