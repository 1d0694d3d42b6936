internal import LupineCore

/// How fields are shown: secrets are not, unless asked for.
struct Redaction: Sendable {
    var showsSecrets = false

    func value(of field: HTTPHeader) -> String {
        field.isSecret && !showsSecrets ? "<redacted>" : field.value
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
