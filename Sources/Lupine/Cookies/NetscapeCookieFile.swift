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
            .map { String(decoding: $0, as: UTF8.self) }
        // As curl reads it: the path may be left out, and so may an empty value with the tab before it.
        if fields.count > 3, flag(fields[2]) != nil { fields.insert("/", at: 2) }
        if fields.count == 6 { fields.append("") }
        guard fields.count == 7, let goesBeneath = flag(fields[1]), let isSecure = flag(fields[3]),
            fields[4].utf8.allSatisfy(\.isASCIIDigit)
        else { return nil }
        let isDotted = fields[0].utf8.first == UInt8(ascii: ".")
        let domain = isDotted ? String(Substring(fields[0].utf8.dropFirst())) : fields[0]
        let cookie = Cookie(
            name: fields[5], value: fields[6], domain: domain, isHostOnly: !goesBeneath,
            path: fields[2].utf8.first == UInt8(ascii: "/") ? fields[2] : "/", expires: end(fields[4]),
            isSecure: isSecure,
            isHTTPOnly: isHTTPOnly, creationTime: now)
        return cookie.isExpired(at: now) ? nil : Cookie(checking: cookie)
    }

    private static func flag(_ field: String) -> Bool? {
        field.equalsIgnoringASCIICase("TRUE") ? true : field.equalsIgnoringASCIICase("FALSE") ? false : nil
    }

    /// No digits are what other programs write for 0.
    private static func end(_ digits: String) -> Date? {
        let seconds = digits.isEmpty ? 0 : digits.decimalLength ?? .max
        return seconds == 0 ? nil : Date(timeIntervalSince1970: Double(seconds))
    }

    /// The file's text. A cookie that holds a tab is left out: the format cannot hold one. `SameSite` is lost.
    static func text(of cookies: [Cookie]) -> String {
        // Programs know the file by its first line.
        var text = "# Netscape HTTP Cookie File\n# Written by Lupine. Whoever can read it can use these sessions.\n\n"
        for cookie in cookies {
            let fields = [
                cookie.isHostOnly ? host(cookie) : "." + host(cookie), cookie.isHostOnly ? "FALSE" : "TRUE",
                cookie.path,
                cookie.isSecure ? "TRUE" : "FALSE", seconds(cookie.expires), cookie.name, cookie.value,
            ]
            guard !fields.contains(where: { $0.utf8.contains(0x09) }) else { continue }
            text += (cookie.isHTTPOnly ? httpOnlyPrefix : "") + fields.joined(separator: "\t") + "\n"
        }
        return text
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
