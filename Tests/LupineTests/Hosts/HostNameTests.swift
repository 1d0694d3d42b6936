import LupineCore
import Testing

@testable import Lupine

@Suite struct HostNameTests {
    @Test(arguments: [
        // From RFC 3492 section 7.1, and labels whose first letters have been seen in the DNS.
        (
            "\u{644}\u{64A}\u{647}\u{645}\u{627}\u{628}\u{62A}\u{643}\u{644}\u{645}\u{648}\u{634}\u{639}\u{631}\u{628}\u{64A}\u{61F}",
            "egbpdaj6bu4bxfgehfvwxn"
        ),
        ("\u{4ED6}\u{4EEC}\u{4E3A}\u{4EC0}\u{4E48}\u{4E0D}\u{8BF4}\u{4E2D}\u{6587}", "ihqwcrb4cv8a8dqg056pqjye"),
        ("3\u{5E74}b\u{7D44}\u{91D1}\u{516B}\u{5148}\u{751F}", "3b-ww4c5e180e575a65lsy2b"),
        ("b\u{FC}cher", "bcher-kva"), ("fa\u{DF}", "fa-hia"), ("\u{2603}", "n3h"), ("\u{1F4A9}", "ls8h"),
        ("a\u{E9}", "a-bga"), ("-> $1.00 <-", "-> $1.00 <--"),
    ])
    func punycode(label: String, expected: String) { #expect(Punycode.encode(label) == expected) }

    @Test func longLabels() {
        #expect(Punycode.encode(String(repeating: "\u{10FFFF}", count: 63)) != nil)
        #expect(Punycode.encode(String(repeating: "\u{FC}", count: 64)) == nil)
    }

    @Test(
        arguments: [
            ("example.com", "example.com"), ("EXAMPLE.com", "example.com"), ("example.com.", "example.com."),
            ("B\u{DC}CHER.example", "xn--bcher-kva.example"), ("0x7f.1", "127.0.0.1"), ("::1", "[::1]"),
            ("[::1]", "[::1]"), ("[fe80::1%25eth0]", "[fe80::1%25eth0]"), ("a_b", "a_b"),
            ("", nil), (".", nil), (".com", nil), ("a..b", nil), ("a b", nil), ("a/b", nil), ("a:80", nil),
            ("u@a", nil),
            ("a?b", nil), ("a#b", nil), ("a%b", nil), ("a\n", nil), (String(repeating: "a", count: 255), nil),
        ] as [(String, String?)])
    func written(text: String, expected: String?) { #expect(HostName.canonical(text) == expected) }

    @Test(arguments: [
        ("127.0.0.1", true), ("[::1]", true), ("example.com", false), ("1.2.3.com", false), ("com", false),
        ("1a", false), ("a1", false), ("example.com.", false), ("", false),
    ])
    func addresses(host: String, expected: Bool) { #expect(HostName.isAddress(host) == expected) }

    @Test(arguments: [
        ("a.b.c", ["a.b.c", "b.c", "c"]), ("a.b.", ["a.b.", "b."]), ("a", ["a"]), ("127.0.0.1", ["127.0.0.1"]),
        ("[::1]", ["[::1]"]),
    ])
    func suffixes(host: String, expected: [String]) {
        #expect(HostSuffixes(of: host[...]).map(String.init) == expected)
    }

    @Test(
        arguments: [
            ("www.example.co.uk", "example.co.uk"), ("co.uk", nil), ("a.b.github.io", "b.github.io"),
            ("www.example.com.", "example.com."), ("com.", nil), ("localhost", nil), ("a.localhost", "a.localhost"),
            (".example.com", nil), ("", nil), (".", nil),
        ] as [(String, String?)])
    func registrableDomains(host: String, expected: String?) {
        #expect(PublicSuffixList.registrableDomain(of: host) == expected)
    }
}
