internal import CLibpsl
internal import LupineCore

/// Which names are nobody's own: `com`, `co.uk`, `github.io` (publicsuffix.org), as libpsl knows them.
///
/// The newer one of the list in the library and the one that the distribution's package `publicsuffix` installs, read
/// once. A name that no rule lists is one below its last label, which is the list's own default. Names are in the form
/// of ``HostName``; addresses have no suffix and are not to be asked about.
enum PublicSuffixList {
    // Safe: set once, and only read from then on, here and by libpsl.
    nonisolated(unsafe) private static let list: OpaquePointer? = psl_latest(nil) ?? psl_builtin()

    static func isSuffix(_ name: some StringProtocol) -> Bool {
        let name = name.withoutTrailingDot
        guard let list else { return !name.utf8.contains(UInt8(ascii: ".")) }
        return psl_is_public_suffix(list, name) != 0
    }

    /// The shortest part of a host that somebody can own, which its site shares: `example.co.uk` for
    /// `www.example.co.uk`. A dot at the end stays.
    ///
    /// - Returns: `nil` for a public suffix, and for what is no name.
    static func registrableDomain(of host: some StringProtocol) -> String? {
        let name = host.withoutTrailingDot
        guard !name.isEmpty, !name.split(separator: ".", omittingEmptySubsequences: false).contains(where: \.isEmpty)
        else { return nil }
        let dot = host.utf8.count == name.utf8.count ? "" : "."
        guard let list else { return lastTwoLabels(of: name).map { $0 + dot } }
        // What comes back points into what was passed.
        let domain = name.withCString { text in psl_registrable_domain(list, text).map { String(cString: $0) } }
        return domain.map { $0 + dot }
    }

    /// A name outside ASCII in lower case and normal form C, as IDNA has it. `nil`: it is no UTF-8, or there is no memory.
    static func lowercased(_ name: String) -> String? {
        var lower: UnsafeMutablePointer<CChar>?
        defer { psl_free_string(lower) }
        guard psl_str_to_utf8lower(name, "utf-8", nil, &lower) == PSL_SUCCESS else { return nil }
        return lower.map { String(cString: $0) }
    }

    private static func lastTwoLabels(of name: String) -> String? {
        let labels = name.split(separator: ".")
        return labels.count < 2 ? nil : labels.suffix(2).joined(separator: ".")
    }
}

extension StringProtocol {
    fileprivate var withoutTrailingDot: String {
        let text = Substring(self)
        return String(text.utf8.last == UInt8(ascii: ".") ? Substring(text.utf8.dropLast()) : text)
    }
}
