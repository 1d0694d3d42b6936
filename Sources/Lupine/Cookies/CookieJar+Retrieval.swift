internal import FoundationEssentials
internal import LupineCore

// Which cookies go with a request (RFC 6265bis section 5.8.3).
extension CookieJar {
    /// Whether a site of the host has cookies: no allocation where none has.
    func hasCookies(near url: HTTPURL) -> Bool {
        guard count > 0, let host = HostName.canonical(of: url) else { return false }
        for suffix in HostSuffixes(of: host) where sites.index(forKey: suffix) != nil { return true }
        return false
    }

    /// The value of the request's `Cookie` field; the cookies in it count as used. `nil`: none goes along.
    mutating func header(for url: HTTPURL, now: Date) -> ByteText? {
        let entries = matching(url, now: now, isUse: true)
        guard !entries.isEmpty else { return nil }
        guard !entries.contains(where: { $0.cookie.nameText.isLatin1 || $0.cookie.valueText.isLatin1 }) else {
            return ByteText(bytes: Self.bytes(of: entries))
        }
        var header = ""
        header.reserveCapacity(entries.reduce(0) { $0 + $1.cookie.name.utf8.count + $1.cookie.value.utf8.count + 3 })
        for entry in entries {
            if !header.isEmpty { header += "; " }
            if !entry.cookie.name.isEmpty {
                header += entry.cookie.name
                header += "="
            }
            header += entry.cookie.value
        }
        return ByteText(header)
    }

    /// The same where some are no UTF-8.
    private static func bytes(of entries: [Entry]) -> [UInt8] {
        let pairs = entries.map { entry in
            let name = entry.cookie.nameText
            return (name.isEmpty ? [] : name.bytes + [UInt8(ascii: "=")]) + entry.cookie.valueText.bytes
        }
        return Array(pairs.joined(separator: "; ".utf8))
    }

    /// The cookies that would go along, in the order in which they would.
    mutating func cookies(for url: HTTPURL, now: Date) -> [Cookie] {
        matching(url, now: now, isUse: false).map(\.cookie)
    }

    /// All that have not expired, the oldest first.
    func cookies(now: Date) -> [Cookie] {
        sites.values.joined().filter { !$0.cookie.isExpired(at: now) }.sorted(by: Self.isOlder).map(\.cookie)
    }

    /// Longer paths first, then older cookies.
    private mutating func matching(_ url: HTTPURL, now: Date, isUse: Bool) -> [Entry] {
        guard count > 0, let host = HostName.canonical(of: url) else { return [] }
        let path = url.path
        var found: [Entry] = []
        for suffix in HostSuffixes(of: host) {
            guard let site = sites.index(forKey: suffix) else { continue }
            for index in sites.values[site].indices {
                let cookie = sites.values[site][index].cookie
                guard !cookie.isExpired(at: now), url.isSecure || !cookie.isSecure,
                    Cookie.pathMatches(path, cookie.path), cookie.goes(to: host)
                else { continue }
                if isUse {
                    sites.values[site][index].cookie.lastAccessTime = now
                    // A clock that was set back.
                    if now < cookie.lastAccessTime { note(sites.values[site][index], of: sites.keys[site]) }
                }
                found.append(sites.values[site][index])
            }
        }
        return found.sorted { one, other in
            let length = one.cookie.path.utf8.count, otherLength = other.cookie.path.utf8.count
            return length == otherLength ? Self.isOlder(one, other) : length > otherLength
        }
    }

    private static func isOlder(_ one: Entry, _ other: Entry) -> Bool {
        one.cookie.creationTime == other.cookie.creationTime
            ? one.order < other.order : one.cookie.creationTime < other.cookie.creationTime
    }
}

extension Cookie {
    fileprivate func goes(to host: Substring) -> Bool {
        isHostOnly ? host.utf8.elementsEqual(domain.utf8) : HostName.matches(host, domain: domain)
    }
}
