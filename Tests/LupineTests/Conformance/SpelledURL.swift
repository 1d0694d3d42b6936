import FoundationEssentials
import Lupine

/// A table's URL, in the one spelling that ``HTTPURL`` has of all that RFC 3986 calls equivalent: lower case in scheme and
/// host (section 6.2.2.1), no default port (6.2.3), and what may not stand in a part as it is percent-encoded (2.1).
///
/// It splits a URL that a table gives as its result, which is well-formed.
struct SpelledURL: Equatable, CustomStringConvertible {
    let text: String
    /// Percent-decoded; empty for none.
    let userinfo: String

    var description: String { userinfo.isEmpty ? text : "\(text) for \(userinfo.debugDescription)" }

    init(_ url: HTTPURL) {
        text = url.description
        userinfo = url.userinfo.map { $0.password.isEmpty ? $0.user : "\($0.user):\($0.password)" } ?? ""
    }

    init(table url: String) {
        let schemeEnd = url.firstRange(of: "://")?.upperBound ?? url.startIndex
        let authorityEnd = url[schemeEnd...].firstIndex { "/?#".contains($0) } ?? url.endIndex
        var host = url[schemeEnd..<authorityEnd], credentials = ""
        if let at = host.lastIndex(of: "@") {
            credentials = String(host[..<at])
            host = host[host.index(after: at)...]
        }
        if credentials.hasSuffix(":") { credentials.removeLast() }
        let scheme = url[..<schemeEnd].lowercased()
        let port = scheme == "https://" ? ":443" : ":80"
        if host.hasSuffix(port) { host = host.dropLast(port.count) }
        let fragmentStart = url[authorityEnd...].firstIndex(of: "#") ?? url.endIndex
        let rest = Self.encoded(url[authorityEnd..<fragmentStart])
        let fragment = url[fragmentStart...].isEmpty ? "" : "#" + Self.encoded(url[fragmentStart...].dropFirst())
        text = scheme + host.lowercased() + (rest.hasPrefix("/") ? "" : "/") + rest + fragment
        userinfo = Self.decoded(credentials)
    }

    private static func decoded(_ text: String) -> String {
        var bytes: [UInt8] = [], rest = Array(text.utf8)[...]
        while let byte = rest.popFirst() {
            let digits = rest.prefix(2).filter(\.isHexDigit)
            guard byte == UInt8(ascii: "%"), digits.count == 2 else {
                bytes.append(byte)
                continue
            }
            bytes.append(UInt8(String(decoding: digits, as: UTF8.self), radix: 16) ?? byte)
            rest = rest.dropFirst(2)
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Text whose every byte but those of RFC 3986 sections 3.3 to 3.5 is percent-encoded.
    static func encoded(_ text: some StringProtocol) -> String {
        let bytes = Array(text.utf8), allowed = Set("-._~!$&'()*+,;=:@/?".utf8)
        var encoded = ""
        for (index, byte) in bytes.enumerated() {
            let isTriplet =
                byte == UInt8(ascii: "%") && bytes[index...].dropFirst().prefix(2).filter(\.isHexDigit).count == 2
            if isTriplet || byte.isLetterOrDigit || allowed.contains(byte) {
                encoded.unicodeScalars.append(Unicode.Scalar(byte))
            } else {
                encoded += "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
            }
        }
        return encoded
    }
}

extension UInt8 {
    fileprivate var isLetterOrDigit: Bool {
        (0x30...0x39).contains(self) || (0x41...0x5A).contains(self) || (0x61...0x7A).contains(self)
    }
    fileprivate var isHexDigit: Bool {
        (0x30...0x39).contains(self) || (0x41...0x46).contains(self & 0xDF)
    }
}

extension Comparison {
    /// Compares what comes of a URL with the table's; `nil` is there to be refused.
    mutating func add(_ id: String, table expected: String?, _ read: () throws(LupineError) -> HTTPURL) {
        do throws(LupineError) {
            let url = SpelledURL(try read())
            guard let expected else { return add(id, "read as \(url), must be refused") }
            let spelled = SpelledURL(table: expected)
            add(id, url == spelled ? nil : "read as \(url), must be \(spelled)")
        } catch {
            add(id, expected.map { "refused (\(error.message)), must be \($0)" })
        }
    }
}
