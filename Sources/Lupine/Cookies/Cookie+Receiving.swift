internal import FoundationEssentials
internal import LupineCore

// What becomes of a field that a server sent (RFC 6265bis section 5.7), as far as no other cookie matters.
extension Cookie {
    /// The longest that a cookie may live: 400 days (RFC 6265bis section 5.5).
    static let longestLife: TimeInterval = 400 * 24 * 3600

    /// - Parameter host: the URL's in canonical form.
    /// - Returns: `nil` when the cookie is to be ignored.
    init?(_ field: SetCookieField, from url: HTTPURL, host: Substring, now: Date) {
        guard let (domain, isHostOnly) = Self.domain(field.domain ?? "", host: host) else { return nil }
        // A server in the clear cannot ask for what it cannot have. That is decided by the scheme alone: the local host is
        // no exception.
        guard url.isSecure || !field.isSecure else { return nil }
        let path = field.path ?? ""
        self.init(
            name: field.name, value: field.value, domain: domain, isHostOnly: isHostOnly,
            path: path.isEmpty ? Self.defaultPath(of: url) : path, expires: Self.expiry(of: field, now: now),
            isSecure: field.isSecure, isHTTPOnly: field.isHTTPOnly, sameSite: field.sameSite, creationTime: now)
        guard hasKeepablePair, keepsPromises(hasPath: field.path != nil) else { return nil }
    }

    /// Steps 7 to 10. `nil`: the host may not set cookies for that domain.
    private static func domain(_ attribute: String, host: Substring) -> (String, isHostOnly: Bool)? {
        guard !attribute.isEmpty else { return (String(host), true) }
        guard HostName.matches(host, domain: attribute) else { return nil }
        let isWhole = host.utf8.count == attribute.utf8.count
        // Nothing lies beneath an address.
        if isWhole, HostName.isAddress(host) { return (String(host), true) }
        // A host that is a public suffix itself sets cookies for itself alone; nobody sets them for all who share one.
        if PublicSuffixList.isSuffix(attribute) { return isWhole ? (String(host), true) : nil }
        return (attribute, false)
    }

    /// Step 6: `Max-Age` goes before `Expires`.
    private static func expiry(of field: SetCookieField, now: Date) -> Date? {
        let latest = now.addingTimeInterval(longestLife)
        if let age = field.maximumAge {
            return age <= 0 ? .distantPast : min(now.addingTimeInterval(Double(age)), latest)
        }
        return field.expires.map { min($0, latest) }
    }

    /// The URL's folder, without the slash at its end (RFC 6265bis section 5.1.4).
    static func defaultPath(of url: HTTPURL) -> String {
        let path = url.path
        guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")), slash > path.startIndex else { return "/" }
        return String(path[..<slash])
    }

    /// Whether a path is at or below another one (RFC 6265bis section 5.1.4). By bytes.
    static func pathMatches(_ path: String, _ cookiePath: String) -> Bool {
        guard path.utf8.starts(with: cookiePath.utf8) else { return false }
        return path.utf8.count == cookiePath.utf8.count || cookiePath.utf8.last == UInt8(ascii: "/")
            || path.utf8.dropFirst(cookiePath.utf8.count).first == UInt8(ascii: "/")
    }
}
