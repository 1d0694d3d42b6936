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

    /// A URL, or the part of one that a request is sent with: values of its query with the names of secrets are left out.
    func target(_ text: String) -> String {
        guard !showsSecrets, let mark = text.firstIndex(of: "?") else { return text }
        let pairs = text[text.index(after: mark)...].split(separator: "&", omittingEmptySubsequences: false)
        let shown = pairs.map { pair in
            guard let equals = pair.firstIndex(of: "=") else { return String(pair) }
            let name = String(pair[..<equals])
            let isSecret = Self.isSecret(parameter: name)
            return isSecret ? "\(name)=<redacted>" : String(pair)
        }
        return "\(text[...mark])\(shown.joined(separator: "&"))"
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
