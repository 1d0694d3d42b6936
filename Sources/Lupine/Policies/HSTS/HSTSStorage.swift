public import FoundationEssentials
public import LupineCore

/// The hosts that are to be reached over https only, because they said so: HTTP Strict Transport Security (RFC 6797).
///
/// Kept in memory, for 4096 hosts at most; beyond that the host whose policy ends soonest is forgotten. No list of hosts
/// comes with it: ``set(_:)`` adds those that a program knows, and ``policies`` are what it may write to a file.
///
/// Any thread may use it. An https URL, or one of a host that is not known, costs next to nothing.
public final class HSTSStorage: Sendable {
    private let table: Lock<HSTSTable>
    private let now: @Sendable () -> Date

    /// An empty storage.
    ///
    /// - Parameter now: the clock that expiry goes by; the system's by default.
    public convenience init(now: @escaping @Sendable () -> Date = { Date() }) { self.init(limit: 4096, now: now) }

    init(limit: Int, now: @escaping @Sendable () -> Date) {
        table = Lock(HSTSTable(limit: limit))
        self.now = now
    }

    /// Takes in what an answer's head says.
    ///
    /// Only answers over https count, only the first `Strict-Transport-Security` field, and only hosts that have a name; a
    /// field that is not in order is ignored as a whole (RFC 6797 section 8.1). `max-age=0` makes a host forgotten.
    public func store(_ headers: HTTPHeaders, for url: HTTPURL) {
        guard url.isSecure, let text = headers["Strict-Transport-Security"], let field = StrictTransportSecurity(text)
        else { return }
        let now = now()
        table.withLock { $0.receive(field, from: url, now: now) }
    }

    /// The URL to ask instead of an http one whose host, or one above it with `includeSubDomains`, wants https.
    ///
    /// Port 80 becomes 443, another port stays, as do credentials and fragment (RFC 6797 section 8.3). `nil`: the URL stays as
    /// it is: it is an https one, or its host is not known, or an address.
    public func upgraded(_ url: HTTPURL) -> HTTPURL? {
        // The clock may be the caller's: it is not asked under the lock.
        guard !url.isSecure, let end = table.withLock({ $0.end(for: url) }), end > now() else { return nil }
        return try? url.overHTTPS()
    }

    /// What is known of hosts and has not expired, in the order of their names.
    public var policies: [HSTSPolicy] {
        let now = now()
        return table.withLock { $0.policies.values.filter { $0.expires > now } }.sorted { $0.host < $1.host }
    }

    /// Adds a policy, in the place of what is known of its host.
    ///
    /// - Returns: whether it was taken: its host has to be a name, and its end to come.
    @discardableResult
    public func set(_ policy: HSTSPolicy) -> Bool {
        let now = now()
        guard let host = Self.canonical(policy.host), policy.expires > now else { return false }
        let canonical = HSTSPolicy(
            host: host, includesSubdomains: policy.includesSubdomains, expires: policy.expires)
        table.withLock { $0.insert(canonical, now: now) }
        return true
    }

    /// Forgets a host.
    public func remove(host: String) {
        guard let host = Self.canonical(host) else { return }
        table.withLock { $0.remove(host[...]) }
    }

    /// Forgets every host.
    public func removeAll() { table.withLock { $0 = HSTSTable(limit: $0.limit) } }

    private static func canonical(_ host: String) -> String? {
        guard let name = HostName.canonical(host), !HostName.isAddress(name) else { return nil }
        return name.utf8.last == UInt8(ascii: ".") ? String(name.dropLast()) : name
    }
}
