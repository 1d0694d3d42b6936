import LupineCore
import Testing

@Suite struct HTTPURLResolutionTests {
    /// RFC 3986 section 5.4, its base `http://a/b/c/d;p?q`; a fragment of the base's own is never inherited.
    @Test(arguments: [
        // 5.4.1, normal; "g:h" is below, it has another scheme.
        ("g", "http://a/b/c/g"),
        ("./g", "http://a/b/c/g"),
        ("g/", "http://a/b/c/g/"),
        ("/g", "http://a/g"),
        ("//g", "http://g/"),
        ("?y", "http://a/b/c/d;p?y"),
        ("g?y", "http://a/b/c/g?y"),
        ("#s", "http://a/b/c/d;p?q#s"),
        ("g#s", "http://a/b/c/g#s"),
        ("g?y#s", "http://a/b/c/g?y#s"),
        (";x", "http://a/b/c/;x"),
        ("g;x", "http://a/b/c/g;x"),
        ("g;x?y#s", "http://a/b/c/g;x?y#s"),
        ("", "http://a/b/c/d;p?q"),
        (".", "http://a/b/c/"),
        ("./", "http://a/b/c/"),
        ("..", "http://a/b/"),
        ("../", "http://a/b/"),
        ("../g", "http://a/b/g"),
        ("../..", "http://a/"),
        ("../../", "http://a/"),
        ("../../g", "http://a/g"),
        // 5.4.2, abnormal
        ("../../../g", "http://a/g"),
        ("../../../../g", "http://a/g"),
        ("/./g", "http://a/g"),
        ("/../g", "http://a/g"),
        ("g.", "http://a/b/c/g."),
        (".g", "http://a/b/c/.g"),
        ("g..", "http://a/b/c/g.."),
        ("..g", "http://a/b/c/..g"),
        ("./../g", "http://a/b/g"),
        ("./g/.", "http://a/b/c/g/"),
        ("g/./h", "http://a/b/c/g/h"),
        ("g/../h", "http://a/b/c/h"),
        ("g;x=1/./y", "http://a/b/c/g;x=1/y"),
        ("g;x=1/../y", "http://a/b/c/y"),
        ("g?y/./x", "http://a/b/c/g?y/./x"),
        ("g?y/../x", "http://a/b/c/g?y/../x"),
        ("g#s/./x", "http://a/b/c/g#s/./x"),
        ("g#s/../x", "http://a/b/c/g#s/../x"),
        // Other origins
        ("https://b.example/x", "https://b.example/x"),
        ("HTTP://b.example", "http://b.example/"),
        ("//b.example:8080/x", "http://b.example:8080/x"),
    ])
    func rfcExamples(reference: String, expected: String) throws {
        let base = try HTTPURL("http://a/b/c/d;p?q#base")
        #expect(try base.resolve(reference).description == expected)
    }

    /// The strict reading of 5.4.2's last example, another scheme, and references that name no host.
    @Test(arguments: ["http:g", "g:h", "javascript:alert(1)", "///g", "//", "//:80", "a\nb"])
    func refused(reference: String) throws {
        let base = try HTTPURL("http://a/b/c/d;p?q")
        #expect(throws: LupineError.self) { try base.resolve(reference) }
    }

    /// AFNetworking's base URL rules (`http://example.com/v1/`).
    @Test(arguments: [
        ("foo", "http://example.com/v1/foo"),
        ("foo?bar=baz", "http://example.com/v1/foo?bar=baz"),
        ("/foo", "http://example.com/foo"),
        ("foo/", "http://example.com/v1/foo/"),
        ("/foo/", "http://example.com/foo/"),
        ("http://example2.com/", "http://example2.com/"),
        ("iOS核心动画/", "http://example.com/v1/iOS%E6%A0%B8%E5%BF%83%E5%8A%A8%E7%94%BB/"),
    ])
    func baseURL(reference: String, expected: String) throws {
        #expect(try HTTPURL("http://example.com/v1/").resolve(reference).description == expected)
    }

    /// Userinfo is part of the authority (RFC 3986 section 3.2), which a reference without one inherits (5.2.2).
    @Test(
        arguments: [
            ("x", "user"), ("/x", "user"), ("?x", "user"), ("#x", "user"), ("", "user"),
            ("//example.com/x", nil), ("http://example.com/x", nil), ("//other@example.com/x", "other"),
        ] as [(String, String?)])
    func credentials(reference: String, user: String?) throws {
        let base = try HTTPURL("http://user:pw@example.com/v1/")
        #expect(try base.resolve(reference).userinfo?.user == user)
    }

    @Test(arguments: [
        ("http://h/a", "b=1", "http://h/a?b=1"),
        ("http://h/a?b=1", "c=2", "http://h/a?b=1&c=2"),
        ("http://h/a?", "c=2", "http://h/a?c=2"),
        ("http://h/a#f", "c=2", "http://h/a?c=2#f"),
        ("http://h/a?b#f", "", "http://h/a?b#f"),
        ("http://h", "/?", "http://h/?/?"),
    ])
    func addingQuery(url: String, query: String, expected: String) throws {
        #expect(try HTTPURL(url).addingQuery(query).description == expected)
    }

    @Test func addingQueryKeepsCredentials() throws {
        let url = try HTTPURL("http://user:pw@h/a").addingQuery("b=1")
        #expect(url.userinfo?.password == "pw")
    }
}
