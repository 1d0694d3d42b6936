internal import FoundationEssentials
internal import LupineCore

/// Cookies and the rules about which go where: a value that knows no clock and no lock (RFC 6265bis sections 5.7, 5.8).
///
/// Cookies are grouped by site, the part of their domain that somebody can own, since limits hold for a site. A host's
/// cookies are found by looking for each of its suffixes, without asking the public suffix list.
struct CookieJar {
    struct Entry {
        var cookie: Cookie
        /// Tells apart what was created within one tick of the clock.
        let order: UInt64
    }

    /// The most cookies of a site and in all. RFC 6265bis section 6.1 asks for 50 a domain and 3000 at least.
    struct Limits {
        var cookiesPerSite = 180
        var cookies = 3000
    }

    let limits: Limits
    var sites: [Substring: [Entry]] = [:]
    private(set) var count = 0
    private var nextOrder: UInt64 = 0
    /// When each cookie was used, at the earliest.
    var ages = CookieAges()
    /// No cookie ends before.
    var earliestEnd = Date.distantFuture

    init(limits: Limits = Limits()) { self.limits = limits }

    /// Takes in what one answer set, in order.
    ///
    /// - Parameter isSecure: whether the answer came over https. Otherwise no cookie may get in the way of a secure one
    ///   that there is (RFC 6265bis section 5.7 step 16).
    mutating func receive(_ cookies: [Cookie], from host: Substring, isSecure: Bool, now: Date) {
        // A secure cookie cannot come with such an answer: what is there before it is all there is to guard.
        let guarded = isSecure || cookies.isEmpty ? [:] : secureCookies(near: host, now: now)
        for cookie in cookies {
            let hides = guarded[cookie.name]?.contains { existing in
                cookie.hasSameName(as: existing) && Cookie.pathMatches(cookie.path, existing.path)
                    && (HostName.matches(existing.domain, domain: cookie.domain)
                        || HostName.matches(cookie.domain, domain: existing.domain))
            }
            if hides != true { insert(cookie, now: now) }
        }
    }

    /// Secure cookies of the host, of what is above it, and of what is beneath its site, by name.
    private func secureCookies(near host: Substring, now: Date) -> [String: [Cookie]] {
        var found: [String: [Cookie]] = [:]
        let site = Self.site(of: host)
        for (key, entries) in sites where HostName.matches(host, domain: key) || HostName.matches(key, domain: site) {
            for entry in entries where entry.cookie.isSecure && !entry.cookie.isExpired(at: now) {
                found[entry.cookie.name, default: []].append(entry.cookie)
            }
        }
        return found
    }

    /// Puts a cookie in the place of the one it replaces, whose creation time it takes over, or adds it. One that has
    /// expired only removes.
    mutating func insert(_ cookie: Cookie, now: Date) {
        let site = Self.site(of: cookie.domain), isExpired = cookie.isExpired(at: now)
        if !isExpired, let end = cookie.expires { earliestEnd = min(earliestEnd, end) }
        if let place = sites.index(forKey: site),
            let index = sites.values[place].firstIndex(where: { $0.cookie.isReplaced(by: cookie) })
        {
            let old = sites.values[place][index]
            guard !isExpired, !old.cookie.isExpired(at: now) else {
                remove(at: index, of: place)
                // One that has ended is no predecessor, whether or not it has been looked for yet.
                return isExpired ? () : insert(cookie, now: now)
            }
            var entry = Entry(cookie: cookie, order: old.order)
            entry.cookie.creationTime = old.cookie.creationTime
            sites.values[place][index] = entry
            if cookie.lastAccessTime < old.cookie.lastAccessTime { note(entry, of: site) }
        } else if !isExpired {
            let entry = Entry(cookie: cookie, order: nextOrder)
            sites[site, default: []].append(entry)
            nextOrder += 1
            count += 1
            note(entry, of: site)
            evictExcess(of: site, now: now)
        }
    }

    mutating func remove(at index: Int, of place: Dictionary<Substring, [Entry]>.Index) {
        sites.values[place].remove(at: index)
        count -= 1
        if sites.values[place].isEmpty { sites.remove(at: place) }
    }

    /// Removes the cookies for which that holds.
    mutating func removeAll(where goes: (Cookie) -> Bool) {
        for (site, entries) in sites {
            let kept = entries.filter { !goes($0.cookie) }
            guard kept.count < entries.count else { continue }
            count -= entries.count - kept.count
            sites[site] = kept.isEmpty ? nil : kept
        }
    }

    /// What a domain's cookies are kept under: a suffix of it that begins at a label. Not a slice of the text, which may
    /// be long.
    private static func site(of domain: some StringProtocol) -> Substring {
        if !HostName.isAddress(domain), let site = PublicSuffixList.registrableDomain(of: domain) { return site[...] }
        return String(domain)[...]
    }
}
