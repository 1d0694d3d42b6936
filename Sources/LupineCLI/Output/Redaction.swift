internal import LupineCore

/// How fields are shown: secrets are not, unless asked for.
struct Redaction: Sendable {
    var showsSecrets = false

    func value(of field: HTTPHeader) -> String {
        guard !showsSecrets else { return field.value }
        // Whatever its name, it may hold URLs, as Location, Link and Refresh do.
        return field.isSecret ? "<redacted>" : target(field.value)
    }

    /// A URL, several in a text, or the part of one that a request is sent with: credentials, and values in its path, query or
    /// fragment with the names of secrets, are left out.
    func target(_ text: String) -> String {
        guard !showsSecrets else { return text }
        var shown = "", piece = "", isAfterSecret = false
        var ends = Self.endsInPath
        func finish(_ end: Character?) {
            let name = piece.prefix { $0 != "=" }
            let isSecret = name.count < piece.count && Self.isSecret(parameter: String(name))
            // What follows a `?` within a secret may be a part of it.
            shown += isSecret ? "\(name)=<redacted>" : isAfterSecret && name.count == piece.count ? "" : piece
            isAfterSecret = isSecret && end == "?"
            if let end { shown.append(end) }
            if let end, "?#>".contains(end) { ends = end == ">" ? Self.endsInPath : Self.endsInQuery }
            piece = ""
        }
        for character in text.withoutUserinfo {
            if ends.contains(character) { finish(character) } else { piece.append(character) }
        }
        finish(nil)
        return shown
    }

    private static let endsInPath = "/;?#>"
    private static let endsInQuery = "&#?>"

    private static func isSecret(parameter name: String) -> Bool {
        HTTPHeader.isSecret(name: name) || names.contains(name.lowercased())
    }

    /// Of secrets in a URL. `code` is what OAuth's redirects carry (RFC 6749 section 4.1.2).
    private static let names: Set = [
        "auth", "code", "jsessionid", "jwt", "key", "pass", "passwd", "pwd", "sessionid", "sid", "sig",
    ]

    func line(_ field: HTTPHeader) -> String { "\(field.name): \(value(of: field))" }

    /// A URL that could not be read: what may be credentials is left out.
    static func unreadable(url: String) -> String {
        guard let at = url.lastIndex(of: "@") else { return url }
        let slash = url[..<at].firstIndex(of: "/")
        let start = slash.map { url[$0...].firstIndex { $0 != "/" } ?? at } ?? url.startIndex
        return "\(url[..<start])<redacted>\(url[at...])"
    }
}

extension String {
    /// Without what stands before an `@` in the authorities of URLs.
    fileprivate var withoutUserinfo: String {
        var shown = "", rest = self[...]
        while let start = rest.firstRange(of: "//")?.upperBound {
            shown += rest[..<start]
            rest = rest[start...]
            let authority = rest.prefix { !"/?#".contains($0) }
            guard let at = authority.lastIndex(of: "@") else { continue }
            shown += "<redacted>"
            rest = rest[at...]
        }
        return shown + rest
    }
}
