internal import FoundationEssentials

// Which cookies go when there are too many (RFC 6265bis section 5.7).
extension CookieJar {
    /// Makes room after a cookie of a site was added: by one at most in the site, and one in all.
    ///
    /// Expired cookies go first; then, where a site has too many, its insecure ones, then any of its; then any at all.
    /// Among equals the one that was used longest ago goes.
    mutating func evictExcess(of site: Substring, now: Date) {
        if let entries = sites[site], entries.count > limits.cookiesPerSite,
            let index = Self.leastWanted(entries, now: now, sparesSecure: true)
        {
            remove(at: index, of: site)
        }
        guard count > limits.cookies else { return }
        var candidate: (site: Substring, index: Int, entry: Entry)?
        for (site, entries) in sites {
            guard let index = Self.leastWanted(entries, now: now, sparesSecure: false) else { continue }
            let entry = entries[index]
            if let other = candidate?.entry,
                !Self.goesBefore(entry, other, now: now, sparesSecure: false)
            {
                continue
            }
            candidate = (site, index, entry)
        }
        if let candidate { remove(at: candidate.index, of: candidate.site) }
    }

    private static func leastWanted(_ entries: [Entry], now: Date, sparesSecure: Bool) -> Int? {
        entries.indices.min { goesBefore(entries[$0], entries[$1], now: now, sparesSecure: sparesSecure) }
    }

    private static func goesBefore(_ one: Entry, _ other: Entry, now: Date, sparesSecure: Bool) -> Bool {
        let oneExpired = one.cookie.isExpired(at: now), otherExpired = other.cookie.isExpired(at: now)
        if oneExpired != otherExpired { return oneExpired }
        if sparesSecure, one.cookie.isSecure != other.cookie.isSecure { return other.cookie.isSecure }
        if one.cookie.lastAccessTime != other.cookie.lastAccessTime {
            return one.cookie.lastAccessTime < other.cookie.lastAccessTime
        }
        return one.order < other.order
    }
}
