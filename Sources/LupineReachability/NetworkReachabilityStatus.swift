internal import CLupineLinux

/// Whether, and over what, the network can be reached.
public enum NetworkReachabilityStatus: Hashable, Sendable, CustomStringConvertible {
    /// Not known: nothing is monitored yet, a name is being looked up for the first time, or the kernel could not be asked.
    case unknown
    /// Nothing leads there.
    case notReachable
    /// Something leads there. Whether somebody answers is not known before one asks.
    case reachable(ConnectionType)

    /// What leads there.
    public enum ConnectionType: Hashable, Sendable {
        /// A wired link, and all that is neither WiFi nor cellular: the loopback, virtual links, tunnels over such.
        case ethernet
        /// A wireless LAN.
        case wifi
        /// A modem's link: mobile data. A modem that is dialled by PPP looks like any other PPP link, and counts as ethernet.
        case cellular
    }

    public var isReachable: Bool {
        if case .reachable = self { true } else { false }
    }
    public var isReachableOnCellular: Bool { self == .reachable(.cellular) }
    public var isReachableOnEthernetOrWiFi: Bool { isReachable && !isReachableOnCellular }

    /// One line for programs and logs, in words that stay: `reachable via ethernet`.
    public var description: String {
        switch self {
        case .unknown: "unknown"
        case .notReachable: "not reachable"
        case .reachable(.ethernet): "reachable via ethernet"
        case .reachable(.wifi): "reachable via wifi"
        case .reachable(.cellular): "reachable via cellular"
        }
    }

    /// One line for people, in AFNetworking's words; those for ethernet, which it takes for WiFi, are added.
    ///
    /// In the user's language where the program offers it, by the C library's gettext: text domain `lupine`, the English text as
    /// key. It is the program that calls `setlocale` and `bindtextdomain`; else the text is English.
    public var localizedDescription: String {
        // Copied while the key lives: without a translation gettext gives that back.
        englishDescription.withCString { String(cString: lupine_text($0)) }
    }

    /// The text that ``localizedDescription`` translates.
    package var englishDescription: String {
        switch self {
        case .unknown: "Unknown"
        case .notReachable: "Not Reachable"
        case .reachable(.ethernet): "Reachable via Ethernet"
        case .reachable(.wifi): "Reachable via WiFi"
        case .reachable(.cellular): "Reachable via WWAN"
        }
    }
}
