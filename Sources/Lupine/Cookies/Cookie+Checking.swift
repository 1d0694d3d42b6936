internal import LupineCore

extension Cookie {
    /// A cookie that did not come from a server, if it may be kept; its domain in canonical form.
    init?(checking cookie: Cookie) {
        guard cookie.hasKeepablePair, cookie.keepsPromises(), cookie.isOnePair,
            cookie.path.utf8.first == UInt8(ascii: "/"), cookie.path.isHTTPFieldValue,
            let domain = HostName.canonical(cookie.domain)
        else { return nil }
        let isAddress = HostName.isAddress(domain)
        guard cookie.isHostOnly || isAddress || !PublicSuffixList.isSuffix(domain) else { return nil }
        self = cookie.with(domain: domain, isHostOnly: cookie.isHostOnly || isAddress)
    }

    /// Whether a server would read name and value as they are.
    private var isOnePair: Bool {
        !name.utf8.contains { $0 == UInt8(ascii: ";") || $0 == UInt8(ascii: "=") }
            && !value.utf8.contains(UInt8(ascii: ";"))
    }

    /// The same cookie elsewhere.
    func with(domain: String, isHostOnly: Bool) -> Cookie {
        Cookie(
            name: nameText, value: valueText, domain: domain, isHostOnly: isHostOnly, path: path, expires: expires,
            isSecure: isSecure, isHTTPOnly: isHTTPOnly, sameSite: sameSite, creationTime: creationTime,
            lastAccessTime: lastAccessTime)
    }
}
