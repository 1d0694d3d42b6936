import FoundationEssentials
import LupineCore
import Testing

@testable import Lupine

/// Which hosts may set cookies for which domains, and which get them (RFC 6265bis sections 5.1.3, 5.7, 5.8.3).
@Suite struct CookieDomainTests {
    /// Which of the hosts get what the first of them sets with that attribute.
    private static func hosts(_ attribute: String, from host: String, among hosts: [String]) throws -> [String] {
        let storage = CookieStorage()
        try storage.receive("a=b\(attribute)", from: "http://\(host)/")
        return try hosts.filter { try storage.header("http://\($0)/") != nil }
    }

    @Test(arguments: [
        // Without a domain: that host alone.
        ("", "example.test", ["example.test"]),
        ("; Domain=", "example.test", ["example.test"]),
        // With one: all hosts beneath it, and it.
        ("; Domain=example.test", "example.test", ["example.test", "sub.example.test", "a.sub.example.test"]),
        ("; Domain=.Example.TEST", "sub.example.test", ["example.test", "sub.example.test", "a.sub.example.test"]),
        ("; Domain=sub.example.test", "sub.example.test", ["sub.example.test", "a.sub.example.test"]),
        // A label begins at a dot.
        ("; Domain=example.test", "wwwexample.test", []),
        ("; Domain=ample.test", "example.test", []),
        // Not for others: beneath, beside, above what can be owned.
        ("; Domain=sub.example.test", "example.test", []),
        ("; Domain=other.test", "example.test", []),
        ("; Domain=test", "example.test", []),
        ("; Domain=.", "example.test", ["example.test"]),
        ("; Domain=..example.test", "example.test", []),
        ("; Domain=example.test.", "example.test", []),
        ("; Domain=example.test:80", "example.test", []),
        // A host with a dot at its end is one of its own.
        ("; Domain=test.", "example.test.", []),
        ("; Domain=example.test.", "sub.example.test.", ["example.test.", "sub.example.test."]),
        ("", "example.test.", ["example.test."]),
    ])
    func domains(attribute: String, host: String, expected: [String]) throws {
        let hosts = [
            "example.test", "sub.example.test", "a.sub.example.test", "wwwexample.test", "other.test", "ample.test",
            "example.test.", "sub.example.test.", "test", "127.0.0.1",
        ]
        #expect(try Self.hosts(attribute, from: host, among: hosts) == expected)
    }

    /// Addresses have no domains: a suffix of one is nothing.
    @Test(arguments: [
        ("", "127.0.0.1", ["127.0.0.1"]),
        ("; Domain=127.0.0.1", "127.0.0.1", ["127.0.0.1"]),
        ("; Domain=.127.0.0.1", "127.0.0.1", ["127.0.0.1"]),
        ("; Domain=0.0.1", "127.0.0.1", []),
        ("; Domain=1", "127.0.0.1", []),
        ("; Domain=0x7f.0.0.1", "127.0.0.1", []),
        ("", "[::1]", ["[::1]"]),
        ("; Domain=[::1]", "[::1]", ["[::1]"]),
        ("; Domain=::1", "[::1]", []),
        ("; Domain=1]", "[::1]", []),
        ("", "2130706433", ["127.0.0.1"]),
    ])
    func addresses(attribute: String, host: String, expected: [String]) throws {
        let hosts = ["127.0.0.1", "1.127.0.0", "10.0.0.1", "[::1]", "[::2]", "x.1.test"]
        #expect(try Self.hosts(attribute, from: host, among: hosts) == expected)
    }

    /// Nobody sets cookies for all of a public suffix; a host that is one sets them for itself.
    @Test(arguments: [
        ("; Domain=com", "example.com", []),
        ("; Domain=co.uk", "example.co.uk", []),
        ("; Domain=github.io", "me.github.io", []),
        ("; Domain=example.co.uk", "www.example.co.uk", ["example.co.uk", "www.example.co.uk"]),
        ("; Domain=github.io", "github.io", ["github.io"]),
        ("; Domain=ck", "a.b.ck", []),
        ("; Domain=b.ck", "a.b.ck", []),
        ("; Domain=www.ck", "www.ck", ["www.ck", "x.www.ck"]),
        ("; Domain=localhost", "localhost", ["localhost"]),
        ("; Domain=xn--55qx5d.cn", "a.xn--55qx5d.cn", []),
        ("; Domain=COM.", "example.com.", []),
        // Another's suffix may lie beneath what somebody owns.
        ("; Domain=amazonaws.com", "amazonaws.com", ["amazonaws.com", "s3.amazonaws.com"]),
    ])
    func publicSuffixes(attribute: String, host: String, expected: [String]) throws {
        let hosts = [
            "example.com", "other.com", "example.co.uk", "www.example.co.uk", "me.github.io", "github.io", "a.b.ck",
            "c.b.ck", "www.ck", "x.www.ck", "localhost", "x.localhost", "a.xn--55qx5d.cn", "example.com.", "other.com.",
            "amazonaws.com", "s3.amazonaws.com",
        ]
        #expect(try Self.hosts(attribute, from: host, among: hosts) == expected)
    }

    /// A name outside ASCII and its Punycode are one host.
    @Test(arguments: [
        ("", "b\u{FC}cher.example", ["b\u{FC}cher.example", "xn--bcher-kva.example", "bu\u{308}cher.example"]),
        ("", "xn--bcher-kva.example", ["b\u{FC}cher.example", "xn--bcher-kva.example", "bu\u{308}cher.example"]),
        ("", "B\u{DC}CHER.example", ["b\u{FC}cher.example", "xn--bcher-kva.example", "bu\u{308}cher.example"]),
        (
            "; Domain=xn--bcher-kva.example", "www.b\u{FC}cher.example",
            ["b\u{FC}cher.example", "xn--bcher-kva.example", "bu\u{308}cher.example"]
        ),
        // An attribute outside ASCII makes the cookie ignored (section 5.7 step 8).
        ("; Domain=b\u{FC}cher.example", "b\u{FC}cher.example", []),
        ("", "\u{4F60}\u{597D}.example", ["xn--6qq79v.example"]),
        ("", "fa\u{DF}.example", ["xn--fa-hia.example"]),
    ])
    func namesOutsideASCII(attribute: String, host: String, expected: [String]) throws {
        let hosts = [
            "b\u{FC}cher.example", "xn--bcher-kva.example", "bu\u{308}cher.example", "bucher.example",
            "xn--6qq79v.example", "xn--fa-hia.example", "fass.example",
        ]
        #expect(try Self.hosts(attribute, from: host, among: hosts) == expected)
    }

    /// Ports do not part cookies.
    @Test func ports() throws {
        let storage = CookieStorage()
        try storage.receive("a=b", from: "http://example.test:8080/")
        #expect(try storage.header("http://example.test/") == "a=b")
    }

    /// Hosts too long for the DNS have no cookies, however many labels they have.
    @Test func longHosts() throws {
        let storage = CookieStorage()
        let host = String(repeating: "a.", count: 20_000) + "example.test"
        try storage.receive("a=b", "a=b; Domain=example.test", from: "http://\(host)/")
        #expect(storage.cookies.isEmpty)
        try storage.receive("a=b; Domain=example.test", from: "http://example.test/")
        #expect(try storage.header("http://\(host)/") == nil)
    }
}
