extension ConnectionRoute {
    /// What stands in the way of this route, which a C library would read as another one or not at all; `nil`: nothing.
    /// A proxy's address is not repeated: it may hold a password.
    var fault: String? {
        if let unixSocket, !(1...107).contains(unixSocket.utf8.count) || unixSocket.utf8.contains(0) {
            return "the path of a Unix socket has from 1 to 107 bytes, none of them NUL (unix(7))"
        }
        if case .url(let url) = proxy, !Self.isProxy(url) {
            return "the proxy's address cannot be read: it is [SCHEME://][USER:PASSWORD@]HOST[:PORT]"
        }
        if let interface, !Self.isWord(interface) {
            return "the interface \(interface.quotedForMessage) is no interface, address or host name"
        }
        for entry in connectTo {
            let ports = [entry.port, entry.toPort].compactMap(\.self)
            guard [entry.host, entry.toHost].allSatisfy({ $0.isEmpty || Self.isWord($0) }),
                ports.allSatisfy((0...65535).contains)
            else { return "the redirection to \(entry.toHost.quotedForMessage) holds what is no host or port" }
        }
        return nil
    }

    private static let proxySchemes = ["http", "https", "socks4", "socks4a", "socks5", "socks5h"]

    private static func isWord(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.allSatisfy { $0 > 0x20 && $0 != 0x7F }
    }

    private static func isProxy(_ url: String) -> Bool {
        var rest = url[...]
        if let scheme = url.firstRange(of: "://") {
            guard proxySchemes.contains(String(url[..<scheme.lowerBound]).asciiLowercased) else { return false }
            rest = url[scheme.upperBound...]
        }
        var authority = rest.prefix { $0 != "/" }
        if let at = authority.lastIndex(of: "@") { authority = authority[authority.index(after: at)...] }
        var port: Substring?
        if authority.last != "]", let colon = authority.lastIndex(of: ":") {
            port = authority[authority.index(after: colon)...]
            authority = authority[..<colon]
        }
        let isHost = authority.hasPrefix("[") ? authority.hasSuffix("]") : !authority.contains(":")
        let isPort = port.map { String($0).decimalLength.map { $0 <= 65535 } ?? false } ?? true
        return isWord(url) && !authority.isEmpty && isHost && isPort
    }
}
