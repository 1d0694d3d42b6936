internal import Glibc

// A host has one spelling: what is compared, shown and checked is what is connected to.
extension HTTPURLParser {
    /// The text of an IPv6 address as RFC 5952 writes it, a zone after `%25` (RFC 6874). `nil`: it is none.
    ///
    /// A zone may also follow a bare `%`, as users copy it from `ip addr`; not where that `%` begins a triplet, which other
    /// readers decode (RFC 6874 section 3).
    static func canonicalIPv6(_ literal: ArraySlice<UInt8>) -> [UInt8]? {
        let percent = literal.firstIndex(of: UInt8(ascii: "%"))
        var zone = percent.map { literal[$0...].dropFirst() }
        if let named = zone, named.starts(with: "25".utf8) {
            zone = named.dropFirst(2)
        } else if let bare = zone?.prefix(2), bare.count == 2, bare.allSatisfy(\.isASCIIHexDigit) {
            return nil
        }
        if let zone, zone.isEmpty || !zone.allSatisfy(\.isZoneByte) { return nil }

        let text = String(decoding: literal[..<(percent ?? literal.endIndex)], as: UTF8.self)
        var address = in6_addr()
        // `inet_pton` reads to the first NUL; a control character has been refused before.
        guard inet_pton(AF_INET6, text, &address) == 1 else { return nil }
        var buffer = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
        guard inet_ntop(AF_INET6, &address, &buffer, socklen_t(buffer.count)) != nil else { return nil }
        let canonical = buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
        return canonical + (zone.map { Array("%25".utf8) + $0 } ?? [])
    }

    /// What a host in lower case stands for when its last label is a number: an IPv4 address in four decimal parts.
    /// Fewer parts, octal and hexadecimal ones are read as every resolver reads them (WHATWG URL section 3.5), so that
    /// `0x7f.1` is known for `127.0.0.1`.
    ///
    /// - Returns: `nil` for a number that is no address; the host itself when it is a name.
    static func canonicalIPv4OrName(_ host: [UInt8]) -> [UInt8]? {
        var labels = host.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        if labels.count > 1, labels.last?.isEmpty == true { labels.removeLast() }
        guard !labels.contains(where: \.isEmpty) else { return nil }
        guard let last = labels.last, isNumber(last) else { return host }
        guard labels.count <= 4 else { return nil }
        var address: UInt64 = 0
        for (index, label) in labels.enumerated() {
            // The last number fills all the bytes that the others leave.
            let bytes = index == labels.count - 1 ? 4 - index : 1
            guard let value = number(label), value >> (8 * UInt64(bytes)) == 0 else { return nil }
            address = address << (8 * UInt64(bytes)) | value
        }
        return Array([24, 16, 8, 0].map { String(address >> $0 & 0xFF) }.joined(separator: ".").utf8)
    }

    /// Whether IDNA takes every character of a name for itself, upper case aside. One that it maps to others (UTS 46: wide
    /// digits, ligatures, soft hyphens, other full stops) would give the name a second reading after the first was
    /// compared and checked: libcurl connects to 127.0.0.1 for `0x7f.1` in wide letters.
    static func isPlainName(_ name: ArraySlice<UInt8>) -> Bool {
        if name.allSatisfy({ $0 < 0x80 }) { return true }
        return String(decoding: name, as: UTF8.self).unicodeScalars.allSatisfy { scalar in
            let properties = scalar.properties
            switch scalar {
            // The two letters that IDNA keeps although case folding would not (RFC 5892 section 2.6), the stop that folding
            // keeps although IDNA would not, and what broken text is decoded to.
            case "\u{DF}", "\u{3C2}": return true
            case "\u{3002}", "\u{FFFD}": return false
            default: break
            }
            switch properties.generalCategory {
            case .unassigned, .privateUse, .surrogate, .control, .format, .lineSeparator, .paragraphSeparator,
                .spaceSeparator:
                return false
            case .uppercaseLetter:
                return properties.lowercaseMapping.unicodeScalars.allSatisfy {
                    $0 == "\u{DF}" || !$0.properties.changesWhenNFKCCaseFolded
                }
            default: return !properties.changesWhenNFKCCaseFolded
            }
        }
    }

    private static func isNumber(_ label: ArraySlice<UInt8>) -> Bool {
        label.starts(with: "0x".utf8)
            ? label.dropFirst(2).allSatisfy(\.isASCIIHexDigit) : label.allSatisfy(\.isASCIIDigit)
    }

    /// `nil`: no number, or one beyond any address.
    private static func number(_ label: ArraySlice<UInt8>) -> UInt64? {
        guard isNumber(label) else { return nil }
        if label.starts(with: "0x".utf8) {
            let digits = label.dropFirst(2)
            return digits.isEmpty ? 0 : UInt64(String(decoding: digits, as: UTF8.self), radix: 16)
        }
        let radix = label.count > 1 && label.first == UInt8(ascii: "0") ? 8 : 10
        return UInt64(String(decoding: label, as: UTF8.self), radix: radix)
    }
}

extension UInt8 {
    /// unreserved of RFC 3986, which is what RFC 6874 lets a zone be.
    fileprivate var isZoneByte: Bool { isASCIIAlpha || isASCIIDigit || "-._~".utf8.contains(self) }
}
