internal import FoundationEssentials
internal import LupineCore

/// Hosts known to want https, and how long: a value that knows no clock and no lock (RFC 6797 section 8).
struct HSTSTable {
    /// The most hosts that are remembered. The one that would be forgotten soonest goes first.
    let limit: Int
    private(set) var policies: [Substring: HSTSPolicy] = [:]

    init(limit: Int) { self.limit = limit }

    /// Takes in what a host said over https.
    mutating func receive(_ field: StrictTransportSecurity, from url: HTTPURL, now: Date) {
        guard url.isSecure, let host = Self.host(of: url) else { return }
        guard field.maximumAge > 0 else { return remove(host) }
        insert(
            HSTSPolicy(
                host: String(host), includesSubdomains: field.includesSubdomains,
                expires: now.addingTimeInterval(Double(field.maximumAge))),
            now: now)
    }

    /// The policy's host is canonical.
    mutating func insert(_ policy: HSTSPolicy, now: Date) {
        // A text of its own: a slice would keep the URL.
        policies[policy.host[...]] = policy
        guard policies.count > limit else { return }
        removeExpired(now: now)
        guard policies.count > limit, let soonest = policies.min(by: { $0.value.expires < $1.value.expires }) else {
            return
        }
        remove(soonest.key)
    }

    mutating func remove(_ host: Substring) { policies[host] = nil }

    mutating func removeExpired(now: Date) { policies = policies.filter { $0.value.expires > now } }

    /// Until when a host, or one above it for all beneath it, wants https (RFC 6797 section 8.2). `nil`: nothing is known.
    func end(for url: HTTPURL) -> Date? {
        guard !policies.isEmpty, let host = Self.host(of: url) else { return nil }
        var end: Date?
        for name in HostSuffixes(of: host) {
            guard let policy = policies[name], policy.includesSubdomains || name.utf8.count == host.utf8.count else {
                continue
            }
            end = max(end ?? policy.expires, policy.expires)
        }
        return end
    }

    /// `nil` for addresses, which have no policies (section 8.1.1). A dot at the end makes no other host (RFC 1034 section
    /// 3.1), and must not be a way around a policy.
    private static func host(of url: HTTPURL) -> Substring? {
        guard let host = HostName.canonical(of: url), !HostName.isAddress(host) else { return nil }
        return host.utf8.last == UInt8(ascii: ".") ? Substring(host.utf8.dropLast()) : host
    }
}
