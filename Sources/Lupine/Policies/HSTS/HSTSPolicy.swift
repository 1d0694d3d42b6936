public import FoundationEssentials

/// What a host said with `Strict-Transport-Security`: that it is to be reached over https only (RFC 6797).
public struct HSTSPolicy: Hashable, Sendable {
    /// The host's name: lower case, labels outside ASCII as Punycode, without a dot at the end.
    public let host: String
    /// Whether it holds for all hosts beneath it too.
    public let includesSubdomains: Bool
    /// Until when.
    public let expires: Date

    public init(host: String, includesSubdomains: Bool = false, expires: Date) {
        self.host = host
        self.includesSubdomains = includesSubdomains
        self.expires = expires
    }
}
