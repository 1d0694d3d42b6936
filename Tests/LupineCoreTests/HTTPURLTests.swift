import LupineCore
import Testing

/// Reads a URL, or gives the code of the error.
private func read(_ text: String) -> String {
    do throws(LupineError) { return try HTTPURL(text).description } catch { return error.code.rawValue }
}

@Suite struct HTTPURLCanonicalFormTests {
    @Test(arguments: [
        // Scheme and host without case, default port and empty port gone, empty path "/" (RFC 3986 6.2.2.1, 6.2.3).
        ("HTTP://Example.COM", "http://example.com/"),
        ("http://example.com:80/a", "http://example.com/a"),
        ("https://example.com:443", "https://example.com/"),
        ("http://example.com:443", "http://example.com:443/"),
        ("https://example.com:80/", "https://example.com:80/"),
        ("http://example.com:", "http://example.com/"),
        ("http://example.com:00080/", "http://example.com/"),
        ("http://example.com:65535", "http://example.com:65535/"),
        ("http://example.com?q", "http://example.com/?q"),
        ("http://example.com#f", "http://example.com/#f"),
        ("http://example.com/?", "http://example.com/?"),
        ("http://example.com./", "http://example.com./"),
        // Dot segments (5.2.4), written plainly or as %2e.
        ("http://h/a/./b/../c", "http://h/a/c"),
        ("http://h/a/b/..", "http://h/a/"),
        ("http://h/a/b/.", "http://h/a/b/"),
        ("http://h/../../a", "http://h/a"),
        ("http://h/a//../b", "http://h/a/b"),
        ("http://h/a/%2e%2E/b", "http://h/b"),
        ("http://h/a/.%2e/b", "http://h/b"),
        ("http://h/a/.../b", "http://h/a/.../b"),
        ("http://h/a?b/../c", "http://h/a?b/../c"),
        ("http://h/..", "http://h/"),
        // What may not stand in a path or query is encoded as UTF-8; what is encoded stays.
        ("http://h/2017/07/24/iOS核心动画/", "http://h/2017/07/24/iOS%E6%A0%B8%E5%BF%83%E5%8A%A8%E7%94%BB/"),
        ("http://h/?q=é&a b", "http://h/?q=%C3%A9&a%20b"),
        ("http://h/a b", "http://h/a%20b"),
        ("http://h/%41%7e%e4", "http://h/%41%7e%e4"),
        ("http://h/100%", "http://h/100%25"),
        ("http://h/%2/%zz", "http://h/%252/%25zz"),
        ("http://h/\"<>\\^`{|}[]", "http://h/%22%3C%3E%5C%5E%60%7B%7C%7D%5B%5D"),
        ("http://h/-._~!$&'()*+,;=:@", "http://h/-._~!$&'()*+,;=:@"),
        ("http://h/a?b?c/d#e#f", "http://h/a?b?c/d#e%23f"),
    ])
    func canonicalForm(text: String, expected: String) { #expect(read(text) == expected) }

    @Test(arguments: [
        // IPv6 as RFC 5952 writes it; a zone after %25 (RFC 6874).
        ("http://[::1]/", "[::1]"),
        ("http://[0:0:0:0:0:0:0:1]:8080/", "[::1]"),
        ("http://[2001:DB8:0:0:1:0:0:1]/", "[2001:db8::1:0:0:1]"),
        ("http://[2001:0db8::0001]/", "[2001:db8::1]"),
        ("http://[::ffff:192.0.2.1]/", "[::ffff:192.0.2.1]"),
        ("http://[fe80::1%25eth0]/", "[fe80::1%25eth0]"),
        ("http://[fe80::1%eth0]/", "[fe80::1%25eth0]"),
        ("http://[fe80::1%2]/", "[fe80::1%252]"),
        // A name outside ASCII stays as it is.
        ("http://bücher.example/", "bücher.example"),
        ("http://BÜCHER.example/", "bÜcher.example"),
        ("http://faß.example/", "faß.example"),
        ("http://你好.example/", "你好.example"),
        ("http://स्ते.example/", "स्ते.example"),
        ("http://☃.example/", "☃.example"),
        // A numeric host is an address, however it is written.
        ("http://192.0.2.1/", "192.0.2.1"),
        ("http://192.0.2.1./", "192.0.2.1"),
        ("http://127.1/", "127.0.0.1"),
        ("http://0x7f.1/", "127.0.0.1"),
        ("http://0177.0.0.1/", "127.0.0.1"),
        ("http://2130706433/", "127.0.0.1"),
        ("http://1.2.3/", "1.2.0.3"),
        ("http://0/", "0.0.0.0"),
        ("http://1.2.3.com/", "1.2.3.com"),
        ("http://0x7g/", "0x7g"),
        ("http://1a/", "1a"),
        ("http://under_score.example/", "under_score.example"),
        ("http://Bücher.example/", "bücher.example"),
    ])
    func host(text: String, expected: String) throws { #expect(try HTTPURL(text).host == expected) }

    /// What is wrong with it, and what to do.
    @Test(arguments: [
        ("example.com/path", "it has no scheme; write http:// or https:// before it"),
        ("127.0.0.1:80", "it has no scheme; write http:// or https:// before it"),
        ("localhost:8080/x", "only http and https are spoken; if that is a host, write http:// or https:// before it"),
        ("ftp://example.com/", "its scheme is ftp; only http and https are spoken"),
        ("mailto:ada@example.com", "its scheme is mailto; only http and https are spoken"),
    ])
    func advice(text: String, ending: String) throws {
        let error = #expect(throws: LupineError.self) { try HTTPURL(text) }
        #expect(error?.code == .invalidURL)
        #expect(error?.message.hasSuffix(ending) == true, "\(error?.message ?? "")")
    }

    /// Messages are logged, and tokens travel in queries and fragments.
    @Test(arguments: ["http://h:x/p?hush", "http://h:x/p#hush", "ftp://h/p?hush#hush", "http://h:x/p?\u{301}hush"])
    func messagesShowNoQuery(text: String) throws {
        let error = #expect(throws: LupineError.self) { try HTTPURL(text) }
        #expect(error?.message.contains("/p\"") == true && error?.message.contains("hush") == false)
    }

    @Test func parts() throws {
        let url = try HTTPURL("https://user@example.com:8443/a/b?c=d#e")
        #expect(url.scheme == "https")
        #expect(url.isSecure)
        #expect(url.host == "example.com")
        #expect(url.port == 8443)
        #expect(url.path == "/a/b")
        #expect(url.query == "c=d")
        #expect(url.fragment == "e")
        #expect(url.string == "https://example.com:8443/a/b?c=d")
        #expect(url.userinfo?.user == "user")
        #expect(url.userinfo?.password == "")
    }

    @Test func absentAndEmptyQueryDiffer() throws {
        #expect(try HTTPURL("http://h/a").query == nil)
        #expect(try HTTPURL("http://h/a?").query == "")
        #expect(try HTTPURL("http://h/a#").fragment == "")
        #expect(try HTTPURL("http://h/a").port == 80)
        #expect(try HTTPURL("https://h/a").port == 443)
    }

    @Test(arguments: [
        ("http://h:80/a", "http://H/b", true),
        ("https://h:443", "https://h", true),
        ("http://h", "https://h", false),
        ("http://h", "http://h:8080", false),
        ("http://h", "http://h.example", false),
        ("http://user:pw@h/", "http://h/", true),
        ("http://[::1]/", "http://[0::1]/", true),
        ("http://127.1/", "http://127.0.0.1/", true),
    ])
    func origins(first: String, second: String, areSame: Bool) throws {
        #expect(try (HTTPURL(first).origin == HTTPURL(second).origin) == areSame)
    }
}

@Suite struct HTTPURLRefusalTests {
    @Test(arguments: [
        "", "example.com", "/path", "//example.com/", "?q", "ftp://example.com/", "file:///etc/passwd", "mailto:a@b",
        "http:", "http:/", "http://", "http:///path", "http:example.com", "https://?q", "https://#f", "1http://h/",
        // Ports
        "http://h:65536/", "http://h:-1/", "http://h:+80/", "http://h:8a/", "http://h:99999999999999999999/",
        "http://h: 80/", "http://h:80:80/", "http://:80/",
        // Control characters, wherever they stand
        "http://h/a\r\nX: y", "http://h/\u{0}", "http://h\t/", "http://h/\u{7F}", "\nhttp://h/", "http://h/#\n",
        // Two readers, two hosts
        "http://a@b@c/", "http://a\\@b/", "http://good.example\\evil.example/", "http://good.example\\@evil.example/",
        "http://h%2eexample/", "http://h%00/", "http://a b/", "http://<h>/", "http://h|/",
        // Names and addresses that are none
        "http://./", "http://../", "http://a..b/", "http://.a/", "http://256.1.1.1/", "http://1.2.3.4.5/",
        "http://1.2.3.256/", "http://09.1/", "http://4294967296/", "http://0xffffffffffffffffff/", "http://a.1/",
        "http://[/", "http://[]/", "http://[::1/", "http://[::1]x/", "http://[1::2::3]/", "http://[12345::]/",
        "http://[1.2.3.4]/", "http://[v1.a]/", "http://[fe80::1%25]/", "http://[fe80::1%]/", "http://[::1%25a/b]/",
        "http://[::%31]/", "http://[fe80::1%feth0]/",
        // Names of which IDNA makes others: 0x7f.1, 192.168.0.1, go.example, a slash, stops, nothing.
        "http://０Ｘ７ｆ．１/", "http://192.168。0.1/", "http://Ｇｏ.example/", "http://a／.example/", "http://a．example/",
        "http://ﬁ.example/", "http://a\u{AD}b/", "http://a\u{200B}b/", "http://a\u{A0}b/", "http://\u{FFFD}/",
        "http://①.example/", "http://a\u{2028}b/", "http://\u{E000}.example/",
    ])
    func invalid(text: String) { #expect(read(text) == "invalid-url") }

    @Test func percentEncodedCredentials() throws {
        let url = try HTTPURL("http://us%65r:p%40ss%3A%zz%+1@h/")
        #expect(url.userinfo?.user == "user")
        #expect(url.userinfo?.password == "p@ss:%zz%+1")
        #expect(try HTTPURL("http://@h/").userinfo == nil)
        #expect(try HTTPURL("http://:@h/").userinfo == nil)
        #expect(try HTTPURL("http://:pw@h/").userinfo?.password == "pw")
        #expect(try HTTPURL("http://u:p:q@h/").userinfo?.password == "p:q")
    }

    @Test func credentialsAreInNoText() throws {
        let url = try HTTPURL("https://user:sesame@example.com/a?b#c")
        let request = HTTPRequest(url: url)
        for text in [
            url.description, url.string, url.origin, "\(url)", String(reflecting: url), "\(request)",
            String(reflecting: request), "\(url.userinfo as Any)",
        ] {
            #expect(!text.contains("sesame"))
            #expect(!text.contains("user:"))
        }
    }

    @Test(arguments: [
        "http://user:sesame@h:x/", "http://user:sesame@a@b/", "http://user:sesame@/", "x://user:sesame@h",
    ])
    func credentialsAreInNoError(text: String) {
        #expect {
            try HTTPURL(text)
        } throws: {
            !"\($0)".contains("sesame")
        }
    }
}
