internal import LupineCore

/// How fields are shown: secrets are not, unless asked for.
struct Redaction: Sendable {
    var showsSecrets = false

    func value(of field: HTTPHeader) -> String {
        guard !showsSecrets else { return field.value }
        if field.isSecret { return "<redacted>" }
        return ["location", "content-location", "referer"].contains(field.name.lowercased())
            ? target(field.value) : field.value
    }

    /// A URL, or the part of one that a request is sent with: credentials, and values of its query or fragment with the names of
    /// secrets, are left out.
    func target(_ text: String) -> String {
        guard !showsSecrets else { return text }
        let text = text.withoutUserinfo(before: "/?#")
        guard let mark = text.firstIndex(where: { "?#".contains($0) }) else { return text }
        var shown = "", pair = ""
        func finish(_ separator: Character?) {
            let name = pair.prefix { $0 != "=" }
            let isSecret = name.count < pair.count && Self.isSecret(parameter: String(name))
            shown += isSecret ? "\(name)=<redacted>" : pair
            if let separator { shown.append(separator) }
            pair = ""
        }
        for character in text[text.index(after: mark)...] {
            if "&#?".contains(character) { finish(character) } else { pair.append(character) }
        }
        finish(nil)
        return "\(text[...mark])\(shown)"
    }

    private static func isSecret(parameter name: String) -> Bool {
        HTTPHeader.isSecret(name: name) || ["key", "sig", "auth", "pass", "passwd", "pwd"].contains(name.lowercased())
    }

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
    /// Without what stands before an `@` in the authority of a URL.
    fileprivate func withoutUserinfo(before ends: String) -> String {
        guard let start = firstRange(of: "//")?.upperBound else { return self }
        let authority = self[start...].prefix { !ends.contains($0) }
        guard let at = authority.lastIndex(of: "@") else { return self }
        return "\(self[..<start])<redacted>\(self[at...])"
    }
}
