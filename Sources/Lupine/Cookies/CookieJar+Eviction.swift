internal import FoundationEssentials

// Which cookies go when there are too many (RFC 6265bis section 5.7).
extension CookieJar {
    /// Makes room after a cookie of a site was added: by one at most in the site, and one in all, besides what has expired.
    ///
    /// Expired cookies go first; then, where a site has too many, its insecure ones, then any of its; then any at all.
    /// Among equals the one that was used longest ago goes.
    mutating func evictExcess(of site: Substring, now: Date) {
        let isFull = { (jar: borrowing CookieJar) in (jar.sites[site]?.count ?? 0) > jar.limits.cookiesPerSite }
        guard isFull(self) || count > limits.cookies else { return }
        // One look at all of them for each moment at which some have ended, whatever is added then.
        if earliestEnd <= now { removeExpired(at: now) }
        // A site has few.
        if isFull(self), let place = sites.index(forKey: site), let index = Self.leastWanted(sites.values[place]) {
            remove(at: index, of: place)
        }
        if count > limits.cookies { removeOldest() }
    }

    mutating func removeExpired(at now: Date) {
        removeAll { $0.isExpired(at: now) }
        earliestEnd = sites.values.joined().lazy.compactMap(\.cookie.expires).min() ?? .distantFuture
    }

    private static func leastWanted(_ entries: [Entry]) -> Int? {
        entries.indices.min { one, other in
            let one = entries[one], other = entries[other]
            if one.cookie.isSecure != other.cookie.isSecure { return other.cookie.isSecure }
            let used = one.cookie.lastAccessTime, otherUsed = other.cookie.lastAccessTime
            return used == otherUsed ? one.order < other.order : used < otherUsed
        }
    }

    private mutating func removeOldest() {
        while let age = ages.oldest {
            ages.removeOldest()
            guard let place = sites.index(forKey: age.site),
                let index = Self.index(of: age.order, in: sites.values[place])
            else { continue }
            let used = sites.values[place][index].cookie.lastAccessTime
            guard used > age.used else { return remove(at: index, of: place) }
            // Used since.
            ages.add(CookieAges.Age(used: used, order: age.order, site: age.site))
        }
    }

    /// Entries stand in the order in which they were created.
    private static func index(of order: UInt64, in entries: [Entry]) -> Int? {
        var range = entries.indices
        while let first = range.first {
            let middle = first + range.count / 2
            if entries[middle].order == order { return middle }
            range = entries[middle].order < order ? middle + 1..<range.upperBound : first..<middle
        }
        return nil
    }

    /// Notes that a cookie is that old, where it may be older than is known.
    mutating func note(_ entry: Entry, of site: Substring) {
        // What has gone is forgotten before it is more than what there is.
        if ages.count > 2 * count + 64 {
            ages = CookieAges(sites.flatMap { site, entries in entries.map { $0.age(of: site) } })
        } else {
            ages.add(entry.age(of: site))
        }
    }
}

extension CookieJar.Entry {
    fileprivate func age(of site: Substring) -> CookieAges.Age {
        CookieAges.Age(used: cookie.lastAccessTime, order: order, site: site)
    }
}
