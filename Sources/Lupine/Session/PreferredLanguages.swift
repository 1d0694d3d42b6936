internal import LupineCore

/// The languages of whoever runs the program, as the environment names them.
enum PreferredLanguages {
    /// What `Accept-Language` says of them, `de-AT;q=1, de;q=0.9, en;q=0.8`: six at most, as AFNetworking has it. `nil`: none is
    /// named.
    ///
    /// As gettext reads the environment: the locale is the first of `LC_ALL`, `LC_MESSAGES` and `LANG` that is set; the list in
    /// `LANGUAGE` goes before it, unless the locale is C.
    static func acceptLanguage(_ environment: (String) -> String?) -> String? {
        let locale = ["LC_ALL", "LC_MESSAGES", "LANG"].lazy.compactMap(environment).first { !$0.isEmpty } ?? ""
        guard let own = tag(of: locale) else { return nil }
        let list = environment("LANGUAGE").map { $0.split(separator: ":").compactMap { tag(of: String($0)) } } ?? []
        var tags: [String] = []
        for tag in list.isEmpty ? [own] : list where !tags.contains(tag) { tags.append(tag) }
        return tags.prefix(6).enumerated().map { index, tag in
            "\(tag);q=\(index == 0 ? "1" : "0.\(10 - index)")"
        }.joined(separator: ", ")
    }

    /// The tag of RFC 5646 for a locale: `sr_RS.UTF-8@latin` is `sr-Latn-RS`. `nil`: C, POSIX, or none at all.
    private static func tag(of locale: String) -> String? {
        let parts = locale.split(separator: "@", maxSplits: 1, omittingEmptySubsequences: false)
        let name = parts[0].prefix { $0 != "." }
        var subtags = name.split(whereSeparator: { $0 == "_" || $0 == "-" }).map(String.init)
        let areSound = subtags.allSatisfy { subtag in
            (1...8).contains(subtag.utf8.count) && subtag.utf8.allSatisfy { $0.isASCIIAlpha || $0.isASCIIDigit }
        }
        guard areSound, let language = subtags.first, (2...3).contains(language.utf8.count),
            language.utf8.allSatisfy(\.isASCIIAlpha)
        else { return nil }
        if parts.count > 1, let script = scripts[String(parts[1])] { subtags.insert(script, at: 1) }
        return subtags.joined(separator: "-")
    }

    private static let scripts = ["latin": "Latn", "cyrillic": "Cyrl", "devanagari": "Deva"]
}
