public import FoundationEssentials
internal import LupineCore

/// One cookie as it is kept: what a server set, and where it goes (RFC 6265bis section 5.7).
public struct Cookie: Hashable, Sendable {
    /// The name; empty for a cookie that is only a value. Text as ``value``.
    public var name: String { nameText.text }
    /// Text. Where what the server set is no UTF-8, each character stands for one byte of it (ISO 8859-1), and those bytes go
    /// back.
    public var value: String { valueText.text }
    let nameText: ByteText
    let valueText: ByteText
    /// The host that it belongs to, and unless it is host-only all beneath it: lower case, labels outside ASCII as
    /// Punycode, without a dot in front.
    public let domain: String
    /// Whether it goes to that one host alone.
    public let isHostOnly: Bool
    /// The path at and below which it goes along. `/` by default.
    public let path: String
    /// When it ends; `nil`: with the session, that is when ``CookieStorage/removeSessionCookies()`` is called or the
    /// storage goes.
    public let expires: Date?
    /// Whether it goes over https only.
    public let isSecure: Bool
    /// Whether pages may not read it. Kept for files; this client has no pages.
    public let isHTTPOnly: Bool
    /// Kept, and not acted upon.
    public let sameSite: SameSite
    /// When a cookie of that name, domain and path was first set.
    public internal(set) var creationTime: Date
    /// When it was last set or sent.
    public internal(set) var lastAccessTime: Date

    /// What the server wants of requests that another site's page causes.
    ///
    /// A client without pages has no such requests: each counts as same-site (RFC 6265bis section 5.2), and the cookie goes
    /// along whatever this says. What remains is that a cookie with `none` has to be secure.
    public enum SameSite: String, Hashable, Sendable {
        /// Nothing was said, or nothing that is known.
        case unspecified
        case none, lax, strict
    }

    /// A cookie made by the program. ``CookieStorage/set(_:)`` says what is kept of such.
    ///
    /// - Parameter lastAccessTime: `creationTime` by default.
    public init(
        name: String, value: String, domain: String, isHostOnly: Bool = true, path: String = "/", expires: Date? = nil,
        isSecure: Bool = false, isHTTPOnly: Bool = false, sameSite: SameSite = .unspecified,
        creationTime: Date = Date(), lastAccessTime: Date? = nil
    ) {
        self.init(
            name: ByteText(name), value: ByteText(value), domain: domain, isHostOnly: isHostOnly, path: path,
            expires: expires, isSecure: isSecure, isHTTPOnly: isHTTPOnly, sameSite: sameSite,
            creationTime: creationTime, lastAccessTime: lastAccessTime)
    }

    init(
        name: ByteText, value: ByteText, domain: String, isHostOnly: Bool, path: String, expires: Date?,
        isSecure: Bool, isHTTPOnly: Bool, sameSite: SameSite = .unspecified, creationTime: Date,
        lastAccessTime: Date? = nil
    ) {
        nameText = name
        valueText = value
        self.domain = domain
        self.isHostOnly = isHostOnly
        self.path = path
        self.expires = expires
        self.isSecure = isSecure
        self.isHTTPOnly = isHTTPOnly
        self.sameSite = sameSite
        self.creationTime = creationTime
        self.lastAccessTime = lastAccessTime ?? creationTime
    }

    /// Whether it has ended. A session cookie never has.
    public func isExpired(at time: Date) -> Bool { expires.map { $0 <= time } ?? false }
}

extension Cookie: CustomStringConvertible {
    /// The cookie as a server would set it, without its value, which may be a secret.
    public var description: String {
        var text = name.isEmpty ? "<redacted>" : "\(name)=<redacted>"
        text += isHostOnly ? "; Host=\(domain)" : "; Domain=\(domain)"
        text += "; Path=\(path)"
        if let expires { text += "; Expires=\(expires.formatted(.iso8601))" }
        if isSecure { text += "; Secure" }
        if isHTTPOnly { text += "; HttpOnly" }
        if sameSite != .unspecified { text += "; SameSite=\(sameSite.rawValue)" }
        return text
    }
}

// The rules that hold wherever a cookie comes from.
extension Cookie {
    /// The most bytes of name and value together (RFC 6265bis section 5.6).
    static let longestPair = 4096

    /// Whether name and value may be kept: not both empty, not too long, without control characters other than the tab
    /// (RFC 6265bis section 5.7 steps 2 to 4).
    var hasKeepablePair: Bool {
        !(name.isEmpty && value.isEmpty) && nameText.count + valueText.count <= Self.longestPair
            && name.isHTTPFieldValue && value.isHTTPFieldValue
    }

    /// Whether it is what its name or its SameSite promises: `None` and `__Secure-` are secure, `__Host-` belongs to one
    /// host as a whole besides, and a cookie without a name does not look like either (section 5.7 steps 19 to 22).
    /// Prefixes count in any case: servers exist that compare so.
    ///
    /// - Parameter hasPath: whether the path was stated, not derived from the URL.
    func keepsPromises(hasPath: Bool = true) -> Bool {
        if sameSite == .none, !isSecure { return false }
        if name.isEmpty { return !value.hasPrefixIgnoringCase("__Secure-") && !value.hasPrefixIgnoringCase("__Host-") }
        if name.hasPrefixIgnoringCase("__Secure-") { return isSecure }
        if name.hasPrefixIgnoringCase("__Host-") { return isSecure && isHostOnly && hasPath && path == "/" }
        return true
    }

    /// Whether the other would take its place: the same name, domain, host-only flag and path. By bytes: `==` takes
    /// different spellings of an accent for one.
    func isReplaced(by other: Cookie) -> Bool {
        isHostOnly == other.isHostOnly && hasSameName(as: other) && domain == other.domain
            && path.hasSameBytes(as: other.path)
    }

    func hasSameName(as other: Cookie) -> Bool {
        nameText.isLatin1 == other.nameText.isLatin1 && name.hasSameBytes(as: other.name)
    }
}

extension String {
    fileprivate func hasPrefixIgnoringCase(_ prefix: String) -> Bool {
        utf8.count >= prefix.utf8.count
            && zip(utf8, prefix.utf8).allSatisfy { $0.asciiLowercased == $1.asciiLowercased }
    }

    /// What differs for `==` is told apart quickly; what is equal for it may still differ.
    func hasSameBytes(as other: String) -> Bool { self == other && utf8.elementsEqual(other.utf8) }
}
