import Lupine
import Testing

/// Where a `Location` leads (RFC 9110 section 10.2.2, RFC 3986 section 5.2).
@Suite struct RedirectLocationTests {
    /// B60 and its neighbours. The fragment is part of what the program sees, and never of what is sent.
    @Test(arguments: [
        ("/a b/ü?q=1 2#f", "https://a.example/a%20b/%C3%BC?q=1%202", "f"),
        ("//b.example/x", "https://b.example/x", "frag"),
        ("?y", "https://a.example/dir/file?y", "frag"),
        ("", "https://a.example/dir/file?q", "frag"),
        ("#", "https://a.example/dir/file?q", ""),
        ("#own", "https://a.example/dir/file?q", "own"),
        ("x", "https://a.example/dir/x", "frag"),
        ("../x/./y", "https://a.example/x/y", "frag"),
        ("../../../x", "https://a.example/x", "frag"),
        ("/", "https://a.example/", "frag"),
        ("https://b.example", "https://b.example/", "frag"),
        ("HTTPS://B.EXAMPLE:443/x#", "https://b.example/x", ""),
        ("/%E2%98%83%e2%98%83", "https://a.example/%E2%98%83%e2%98%83", "frag"),
        ("/\u{2603}", "https://a.example/%E2%98%83", "frag"),
        ("/50%", "https://a.example/50%25", "frag"),
        ("/a\"<>\\^`{|}", "https://a.example/a%22%3C%3E%5C%5E%60%7B%7C%7D", "frag"),
        ("/x?u=http://b.example/?y", "https://a.example/x?u=http://b.example/?y", "frag"),
        ("/x, /y", "https://a.example/x,%20/y", "frag"),
        // What has no scheme is relative, be it meant or not.
        ("h ttps://b.example", "https://a.example/dir/h%20ttps://b.example", "frag"),
    ])
    func targets(location: String, string: String, fragment: String) throws {
        let next = try RedirectRun(to: location).next()
        #expect(next.url.string == string)
        #expect(next.url.fragment == fragment)
    }

    /// Section 10.2.2: "the redirection inherits the original's fragment, if any".
    @Test(
        arguments: [
            ("http://a.example/~tim", "/pub/WWW/People.html#tim", "tim"),
            ("http://a.example/index.html#larry", "https://b.example/index.html", "larry"),
            ("http://a.example/index.html", "https://b.example/index.html", nil),
            ("http://a.example/x#a b", "/y", "a%20b"),
        ] as [(String, String, String?)])
    func fragments(url: String, location: String, fragment: String?) throws {
        #expect(try RedirectRun(to: location) { $0.url = url }.next().url.fragment == fragment)
    }

    @Test(arguments: [
        "https://", "https:///x", "https:x", "https:/x", "//", "///x", "https://a.example:65536/",
        "https://a.example:8o/", "https://[::1/", "https://a@b@c.example/", "https://1.2 .4.5/test",
        "/a\tb", "/a\nb", "/\u{7F}",
    ])
    func noURL(location: String) throws {
        let error = try RedirectRun(to: location).refusal()
        #expect(error.code == .badResponse)
        #expect(error.host == "a.example")
        #expect(error.response?.headers["Location"] == location)
    }

    @Test(arguments: [
        "ftp://b.example/", "file:///etc/passwd", "data:,text", "invalidurl:", "mailto:a@b.example",
        "javascript:alert(1)", "my-app://callback?code=x", "b.example:8080/x", "WS://b.example/",
    ])
    func otherSchemes(location: String) throws {
        let error = try RedirectRun(to: location).refusal()
        #expect(error.code == .badResponse)
        #expect(error.message.contains("http and https"))
        #expect(error.response?.headers["Location"] == location)
    }

    /// Twice the same is one place. Which of two is meant nobody knows.
    @Test func severalFields() throws {
        let same = RedirectRun(to: "") { $0.answer = ["Location": "/x", "location": "/x"] }
        #expect(try same.next().url.path == "/x")
        for other in ["/y", "/X", "", "https://a.example/x"] {
            let error = try RedirectRun(to: "") { $0.answer = ["Location": "/x", "location": other] }.refusal()
            #expect(error.code == .badResponse)
        }
        let spelledApart = RedirectRun(to: "") { $0.answer = ["Location": "/\u{E9}", "location": "/e\u{301}"] }
        #expect(try spelledApart.refusal().code == .badResponse)
    }

    /// Messages are logged: a place is told, what may be a secret in it is not.
    @Test(arguments: [
        "my-app://user:hush@callback/?code=hush#hush", "http://user:hush@b.example/hush?hush#hush",
        "https://user:hush@b.example:x/", "https://b.example:x/?token=hush#hush", "/a\tb?token=hush",
        "https://b.example:x/#access_token=hush", "https://b.example:x/?\u{301}hush", "my-app:\u{301}hush",
    ])
    func secretsStayOutOfMessages(location: String) throws {
        let error = try RedirectRun(to: location).refusal()
        #expect(!error.message.contains("hush"))
        #expect(!error.message.utf8.contains(0x09))
    }
}
