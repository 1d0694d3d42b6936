import LupineCore
import Testing

@testable import Lupine

@Suite struct DefaultHeadersTests {
    @Test(
        arguments: [
            ([:], nil),
            (["LANG": ""], nil), (["LANG": "C"], nil), (["LANG": "POSIX"], nil), (["LANG": "C.UTF-8"], nil),
            (["LANG": "de_DE.UTF-8"], "de-DE;q=1"), (["LANG": "de_DE@euro"], "de-DE;q=1"), (["LANG": "eo"], "eo;q=1"),
            (["LANG": "sr_RS.UTF-8@latin"], "sr-Latn-RS;q=1"), (["LANG": "es_419"], "es-419;q=1"),
            (["LANG": "de_DE", "LC_MESSAGES": "fr_FR"], "fr-FR;q=1"),
            (["LANG": "de_DE", "LC_MESSAGES": "fr_FR", "LC_ALL": "it_IT"], "it-IT;q=1"),
            (["LANG": "de_DE", "LC_ALL": ""], "de-DE;q=1"), (["LANG": "de_DE", "LC_ALL": "C"], nil),
            (["LANG": "de_DE", "LANGUAGE": "de_AT:de:en"], "de-AT;q=1, de;q=0.9, en;q=0.8"),
            (["LANG": "de_DE", "LANGUAGE": ""], "de-DE;q=1"), (["LANG": "de_DE", "LANGUAGE": ":C:"], "de-DE;q=1"),
            (["LANG": "de_DE", "LANGUAGE": "en:de:en"], "en;q=1, de;q=0.9"),
            (["LANG": "C", "LANGUAGE": "de"], nil), (["LANGUAGE": "de"], nil),
            (
                ["LANG": "de", "LANGUAGE": "aa:bb:cc:dd:ee:ff:gg"],
                "aa;q=1, bb;q=0.9, cc;q=0.8, dd;q=0.7, ee;q=0.6, ff;q=0.5"
            ),
            // What would be more than a language.
            (["LANG": "de\r\nX: y"], nil), (["LANG": "de,en"], nil), (["LANG": "/usr/share/locale"], nil),
            (["LANG": "de", "LANGUAGE": "en;q=2:fr"], "fr;q=1"),
        ] as [([String: String], String?)])
    func acceptLanguage(environment: [String: String], expected: String?) {
        #expect(PreferredLanguages.acceptLanguage { environment[$0] } == expected)
    }

    @Test(
        arguments: [
            ("App", "1.2", "App/1.2 ("), ("App", nil, "App ("), ("", nil, "("), ("", "1", "("),
            ("My App", "1 β", "MyApp/1 ("),
            ("a\r\nb", nil, "ab ("), ("日本", nil, "("),
        ] as [(String, String?, String)])
    func userAgent(program: String, version: String?, beginning: String) {
        let text = SessionConfiguration.userAgent(program: program, version: version)
        #expect(text.hasPrefix(beginning))
        #expect(text.contains("(Linux; ") && text.hasSuffix(") Lupine/\(lupineVersion)"))
    }

    @Test func everyRequestHasThem() {
        let names = SessionConfiguration().headers.map(\.name)
        #expect(names.starts(with: ["Accept", "User-Agent"]))
        #expect(names.allSatisfy { ["Accept", "User-Agent", "Accept-Language"].contains($0) })
    }
}
