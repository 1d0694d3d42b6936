public import FoundationEssentials
public import LupineCore

/// Which cookies a storage takes and gives.
public enum CookieAcceptPolicy: Hashable, Sendable {
    /// Every cookie that RFC 6265bis lets a server set.
    case always
    /// Those of them that have a name. RFC 6265 (section 5.2 step 5), and most clients that are no browsers, ignore a field
    /// that is only a value, such as `Set-Cookie: abc`; RFC 6265bis keeps it, as browsers do.
    case onlyNamed
    /// None: what servers set is ignored, and no cookie is sent (RFC 6265bis section 7.2).
    case never
}

/// The cookies of one or several sessions, in memory: RFC 6265bis.
///
/// Public suffixes are told by libpsl: no host sets cookies for `com` or `github.io`. Hosts compare in lower case, names
/// outside ASCII by their Punycode. What is secure is told by the scheme alone: a cookie with `Secure` is neither taken
/// from nor sent to any http URL, the local host's among them. `SameSite` is kept and not acted upon, see
/// ``Cookie/SameSite``.
///
/// At most 180 cookies are kept for a site (what somebody can own below a public suffix, with all its subdomains), and
/// 3000 in all. Beyond that expired ones go first, then of a site with too many those that are not secure, then those
/// that were used longest ago. No cookie lives longer than 400 days from when it was set.
///
/// Any thread may use it. One that nobody sets cookies in costs a request next to nothing.
public final class CookieStorage: Sendable {
    private struct State {
        var jar = CookieJar()
        var policy = CookieAcceptPolicy.always
    }

    private let state = Lock(State())
    let now: @Sendable () -> Date

    /// An empty storage.
    ///
    /// - Parameter now: the clock that expiry goes by; the system's by default.
    public init(now: @escaping @Sendable () -> Date = { Date() }) { self.now = now }

    /// ``CookieAcceptPolicy/always`` by default. A change does not touch the cookies there are.
    public var acceptPolicy: CookieAcceptPolicy {
        get { state.withLock { $0.policy } }
        set { state.withLock { $0.policy = newValue } }
    }

    /// Takes the cookies that an answer's head sets: each of its `Set-Cookie` fields is one. What RFC 6265bis says is to
    /// be ignored is.
    public func store(_ headers: HTTPHeaders, for url: HTTPURL) {
        guard headers.contains("Set-Cookie") else { return }
        store(headers.filter { $0.name.equalsIgnoringASCIICase("Set-Cookie") }.map(\.byteText), for: url)
    }

    /// The same with the values of the fields.
    public func store(setCookie fields: [String], for url: HTTPURL) { store(fields.map { ByteText($0) }, for: url) }

    private func store(_ fields: [ByteText], for url: HTTPURL) {
        let policy = acceptPolicy
        guard policy != .never, let host = HostName.canonical(of: url) else { return }
        let now = now()
        // Read before the lock is taken: an answer may hold thousands.
        let cookies = fields.compactMap { field -> Cookie? in
            guard let field = SetCookieField(field), policy == .always || !field.name.isEmpty else { return nil }
            return Cookie(field, from: url, host: host, now: now)
        }
        guard !cookies.isEmpty else { return }
        state.withLock { $0.jar.receive(cookies, from: host, isSecure: url.isSecure, now: now) }
    }

    /// The value of the `Cookie` field of a request to that URL: longer paths first, then older cookies (RFC 6265bis section
    /// 5.8.3). `nil`: none. The cookies count as used. Where one of them is no UTF-8 each character stands for one byte.
    public func cookieHeader(for url: HTTPURL) -> String? { cookieText(for: url)?.text }

    func cookieText(for url: HTTPURL) -> ByteText? {
        // The clock may be the caller's: it is not asked under the lock.
        guard state.withLock({ $0.policy != .never && $0.jar.hasCookies(near: url) }) else { return nil }
        let now = now()
        return state.withLock { $0.jar.header(for: url, now: now) }
    }

    /// All cookies that have not expired, the oldest first.
    public var cookies: [Cookie] {
        let now = now()
        return state.withLock { $0.jar.cookies(now: now) }
    }

    /// The cookies that a request to that URL would bring, in their order, whatever the policy. They do not count as used.
    public func cookies(for url: HTTPURL) -> [Cookie] {
        let now = now()
        return state.withLock { $0.jar.cookies(for: url, now: now) }
    }

    /// Puts a cookie there, whatever the policy, in the place of one of the same name, domain and path. One that has expired
    /// removes that.
    ///
    /// - Returns: whether it was taken. It is not where it could not be sent as one cookie (a `;`, a control character, a
    ///   `=` in the name, more than 4096 bytes), where its domain is no host or a public suffix that it would go beneath,
    ///   where its path has no `/` in front, or where its name or SameSite asks for `Secure` in vain.
    @discardableResult
    public func set(_ cookie: Cookie) -> Bool {
        guard let cookie = Cookie(checking: cookie) else { return false }
        add([cookie])
        return true
    }

    /// Puts cookies there that have been checked.
    func add(_ cookies: [Cookie]) {
        let now = now()
        state.withLock { state in
            for cookie in cookies { state.jar.insert(cookie, now: now) }
        }
    }

    /// Removes the cookie of that name, domain and path.
    public func remove(_ cookie: Cookie) {
        let domain = HostName.canonical(cookie.domain) ?? cookie.domain
        state.withLock { state in
            state.jar.removeAll { $0.isReplaced(by: cookie.with(domain: domain, isHostOnly: cookie.isHostOnly)) }
        }
    }

    /// Removes every cookie.
    public func removeAll() { state.withLock { $0.jar = CookieJar() } }

    /// Removes the cookies that have expired. They are never sent; this frees their memory.
    public func removeExpired() {
        let now = now()
        state.withLock { state in state.jar.removeAll { $0.isExpired(at: now) } }
    }

    /// Removes the cookies that end with the session, as a browser does when it is closed.
    public func removeSessionCookies() { state.withLock { state in state.jar.removeAll { $0.expires == nil } } }
}
