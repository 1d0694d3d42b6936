internal import CLupineLinux
internal import Glibc

/// A network interface, as far as reachability depends on it.
struct Link: Hashable, Sendable {
    /// The kernel's number.
    let index: UInt32
    var name = ""
    /// Of `IFF_…` those in ``relevantFlags``: others change without a change of what can be reached.
    var flags: UInt32
    /// `ARPHRD_…`.
    var hardware: UInt16 = 0
    /// What kind of virtual link it is: `vlan`, `bridge`, `wireguard`; empty for a device.
    var kind = ""
    /// The bridge, bond or VRF it belongs to; 0: none.
    var master: UInt32 = 0
    /// The link it lies on, in this namespace; 0: none.
    var lower: UInt32 = 0
    /// What a device is; `nil`: to be told from the links beneath.
    var medium: NetworkReachabilityStatus.ConnectionType?

    static let relevantFlags =
        UInt32(IFF_UP) | UInt32(IFF_RUNNING) | UInt32(IFF_LOOPBACK)
        | UInt32(IFF_POINTOPOINT)

    /// Switched on; nothing is said of a cable.
    var isUp: Bool { flags & UInt32(IFF_UP) != 0 }
    /// Switched on and able to carry packets: with a cable, or a network joined.
    var isRunning: Bool { isUp && flags & UInt32(IFF_RUNNING) != 0 }
    var isLoopback: Bool { flags & UInt32(IFF_LOOPBACK) != 0 }
    /// Has a routing table of its own, which only who binds to it uses.
    var isVRF: Bool { kind == "vrf" }
    /// Carries packets inside others, over whichever link leads to its other end.
    var isTunnel: Bool {
        flags & UInt32(IFF_POINTOPOINT) != 0 || ["wireguard", "vxlan", "geneve", "tun"].contains(kind)
    }
}
