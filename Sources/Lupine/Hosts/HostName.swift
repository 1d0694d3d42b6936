internal import LupineCore

/// Hosts in the one form in which they are compared: lower case, labels outside ASCII as Punycode (RFC 6265bis section
/// 5.1.2, RFC 6797 section 8.2).
///
/// Names outside ASCII are lowered and normalized by libpsl; what IDNA would map to something else ``HTTPURL`` has
/// refused before. A dot at the end is part of a name.
enum HostName {
    /// The longest name there is, with its last dot (RFC 1035 section 2.3.4). Longer ones lead nowhere, and are not
    /// compared.
    static let longest = 254

    /// The host of a URL. Nothing is allocated for one in ASCII. `nil`: too long.
    static func canonical(of url: HTTPURL) -> Substring? {
        let host = url.hostText
        // The URL has put ASCII letters in lower case.
        if host.utf8.allSatisfy({ $0 < 0x80 }) { return host.utf8.count <= longest ? host : nil }
        return converted(String(host)).map { $0[...] }
    }

    /// What somebody wrote as a host. `nil`: it is none.
    static func canonical(_ text: some StringProtocol) -> String? {
        var text = String(text)
        // An IPv6 address stands in brackets in URLs; elsewhere often without.
        if text.utf8.contains(UInt8(ascii: ":")), !text.hasPrefix("[") { text = "[\(text)]" }
        guard !text.isEmpty, let url = try? HTTPURL("http://\(text)/"), url.string.utf8.count > 8,
            // The whole was the host: neither a port nor a path nor credentials.
            url.userinfo == nil, url.port == 80, url.path == "/", url.query == nil, url.fragment == nil
        else { return nil }
        return canonical(of: url).map(String.init)
    }

    /// Whether a canonical host is an address: IPv6 in brackets, or an IPv4 address, the only host whose last label is a
    /// number.
    static func isAddress(_ host: some StringProtocol) -> Bool {
        let bytes = Substring(host).utf8
        if bytes.first == UInt8(ascii: "[") { return true }
        guard let last = bytes.last, last.isASCIIDigit else { return false }
        let start = bytes.lastIndex(of: UInt8(ascii: ".")).map { bytes.index(after: $0) } ?? bytes.startIndex
        return bytes[start...].allSatisfy(\.isASCIIDigit)
    }

    /// Whether a host is a domain or, no address, lies beneath it (RFC 6265bis section 5.1.3). Both canonical.
    static func matches(_ host: some StringProtocol, domain: some StringProtocol) -> Bool {
        let surplus = host.utf8.count - domain.utf8.count
        guard surplus >= 0, !domain.isEmpty, host.utf8.dropFirst(surplus).elementsEqual(domain.utf8) else {
            return false
        }
        if surplus == 0 { return true }
        return host.utf8.dropFirst(surplus - 1).first == UInt8(ascii: ".") && !isAddress(host)
    }

    private static func converted(_ host: String) -> String? {
        guard host.utf8.count <= 4 * longest, let lower = PublicSuffixList.lowercased(host) else { return nil }
        var labels: [String] = []
        for label in lower.unicodeScalars.split(separator: ".", omittingEmptySubsequences: false) {
            if label.allSatisfy(\.isASCII) {
                labels.append(String(label))
            } else {
                guard let encoded = Punycode.encode(Substring(label)) else { return nil }
                labels.append("xn--" + encoded)
            }
        }
        let name = labels.joined(separator: ".")
        return name.utf8.count <= longest ? name : nil
    }
}

/// A canonical host and what is above it, longest first: `a.b.c`, `b.c`, `c`. An address is alone.
struct HostSuffixes: Sequence, IteratorProtocol {
    private var rest: Substring?
    private let isAlone: Bool

    init(of host: Substring) {
        rest = host
        isAlone = HostName.isAddress(host)
    }

    mutating func next() -> Substring? {
        guard let current = rest, !current.isEmpty else { return nil }
        let dot = isAlone ? nil : current.utf8.firstIndex(of: UInt8(ascii: "."))
        rest = dot.map { current[current.utf8.index(after: $0)...] }
        return current
    }
}
