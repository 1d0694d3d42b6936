internal import FoundationEssentials
internal import LupineCore

/// The text of a Netscape cookie file: a line a cookie, of seven fields with tabs between: domain, whether hosts beneath it
/// get the cookie, path, whether it is secure, its end in seconds since 1970 (0: the session's), name, value.
enum NetscapeCookieFile {
    /// Before the domain of a cookie that pages may not read. To other programs the line is a comment.
    private static let httpOnlyPrefix = "#HttpOnly_"

    /// The cookies of the lines that can be read, in their order. Others are passed over: comments, headers, lines with a
    /// field too few or one that makes no sense.
    static func cookies(in bytes: [UInt8], now: Date) -> [Cookie] {
        bytes.split(whereSeparator: { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") })
            .compactMap { cookie(in: $0, now: now) }
    }

    private static func cookie(in line: ArraySlice<UInt8>, now: Date) -> Cookie? {
        var line = line
        let isHTTPOnly = line.starts(with: httpOnlyPrefix.utf8)
        if isHTTPOnly { line = line.dropFirst(httpOnlyPrefix.utf8.count) }
        guard line.first != UInt8(ascii: "#") else { return nil }
        var fields = line.split(separator: 0x09, maxSplits: 8, omittingEmptySubsequences: false)
            .map { ByteText(bytes: Array($0)) }
        // As curl reads it: the path may be left out, and so may an empty value with the tab before it.
        if fields.count > 3, flag(fields[2]) != nil { fields.insert(ByteText("/"), at: 2) }
        if fields.count == 6 { fields.append(ByteText("")) }
        guard fields.count == 7, let goesBeneath = flag(fields[1]), let isSecure = flag(fields[3]),
            fields[4].text.utf8.allSatisfy(\.isASCIIDigit), !fields[0].isLatin1
        else { return nil }
        let domain = fields[0].text, path = fields[2].text
        let isDotted = domain.utf8.first == UInt8(ascii: ".")
        let cookie = Cookie(
            name: fields[5], value: fields[6], domain: isDotted ? String(Substring(domain.utf8.dropFirst())) : domain,
            isHostOnly: !goesBeneath, path: path.utf8.first == UInt8(ascii: "/") ? path : "/",
            expires: end(fields[4].text), isSecure: isSecure, isHTTPOnly: isHTTPOnly, creationTime: now)
        return cookie.isExpired(at: now) ? nil : Cookie(checking: cookie)
    }

    private static func flag(_ field: ByteText) -> Bool? {
        let field = field.text
        return field.equalsIgnoringASCIICase("TRUE") ? true : field.equalsIgnoringASCIICase("FALSE") ? false : nil
    }

    /// No digits are what other programs write for 0.
    private static func end(_ digits: String) -> Date? {
        let seconds = digits.isEmpty ? 0 : digits.decimalLength ?? .max
        return seconds == 0 ? nil : Date(timeIntervalSince1970: Double(seconds))
    }

    /// The file's bytes. A cookie that holds a tab is left out: the format cannot hold one. `SameSite` is lost.
    static func bytes(of cookies: [Cookie]) -> [UInt8] {
        // Programs know the file by its first line.
        let head = "# Netscape HTTP Cookie File\n# Written by Lupine. Whoever can read it can use these sessions.\n\n"
        var bytes = Array(head.utf8)
        for cookie in cookies {
            let fields = [
                cookie.isHostOnly ? host(cookie) : "." + host(cookie), cookie.isHostOnly ? "FALSE" : "TRUE",
                cookie.path,
                cookie.isSecure ? "TRUE" : "FALSE", seconds(cookie.expires), cookie.name, cookie.value,
            ]
            guard !fields.contains(where: { $0.utf8.contains(0x09) }) else { continue }
            bytes += (cookie.isHTTPOnly ? httpOnlyPrefix : "").utf8
            bytes += fields.dropLast(2).joined(separator: "\t").utf8
            // As they came.
            bytes += [0x09] + cookie.nameText.bytes + [0x09] + cookie.valueText.bytes + [0x0A]
        }
        return bytes
    }

    /// curl keeps IPv6 addresses without their brackets.
    private static func host(_ cookie: Cookie) -> String {
        let isBracketed = cookie.domain.hasPrefix("[") && cookie.domain.hasSuffix("]")
        return isBracketed ? String(cookie.domain.dropFirst().dropLast()) : cookie.domain
    }

    /// At least 1, since 0 says something else.
    private static func seconds(_ date: Date?) -> String {
        guard let date else { return "0" }
        return String(Int64(min(max(date.timeIntervalSince1970.rounded(.down), 1), 9e18)))
    }
}
