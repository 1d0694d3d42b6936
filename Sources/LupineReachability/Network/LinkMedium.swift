internal import Glibc

/// What a device is, from its hardware type, its kind, and what the kernel shows of it in files.
struct LinkMedium: Sendable {
    /// Where the kernel shows its interfaces.
    var root = "/sys/class/net"

    /// `ARPHRD_…` of radio interfaces in monitor mode (801 to 803), and of modems that carry bare IP packets.
    private static let radio: ClosedRange<UInt16> = 801...803
    private static let bareIP: UInt16 = 519

    /// - Returns: `nil` for what is neither WiFi nor cellular by itself.
    func medium(of link: Link) -> NetworkReachabilityStatus.ConnectionType? {
        if link.hardware == Self.bareIP || ["wwan", "rmnet"].contains(link.kind) { return .cellular }
        if Self.radio.contains(link.hardware) { return .wifi }
        guard let event = text("\(link.name)/uevent") else { return nil }
        let lines = event.split(separator: "\n")
        // Else the files are of another namespace's interface of that name.
        guard lines.contains("IFINDEX=\(link.index)") else { return nil }
        if lines.contains("DEVTYPE=wlan") { return .wifi }
        if lines.contains("DEVTYPE=wwan") { return .cellular }
        // Old drivers of wireless devices do not say so there.
        let isWireless = ["wireless", "phy80211"].contains { access("\(root)/\(link.name)/\($0)", F_OK) == 0 }
        return isWireless ? .wifi : nil
    }

    /// The file's text: a page at most, as all such files are.
    private func text(_ name: String) -> String? {
        let file = open("\(root)/\(name)", O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return nil }
        defer { close(file) }
        var bytes = [UInt8](repeating: 0, count: 4096)
        let count = read(file, &bytes, bytes.count)
        return count < 0 ? nil : String(decoding: bytes.prefix(count), as: UTF8.self)
    }
}
