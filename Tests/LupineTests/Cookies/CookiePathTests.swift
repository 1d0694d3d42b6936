import FoundationEssentials
import LupineCore
import Testing

@testable import Lupine

/// Paths, and the order of what is sent (RFC 6265bis sections 5.1.4 and 5.8.3).
@Suite struct CookiePathTests {
    @Test(arguments: [
        ("/", "/"), ("/a", "/"), ("/a/", "/a"), ("/a/b", "/a"), ("/a/b/", "/a/b"), ("/a/b?c/d", "/a"), ("//", "/"),
        ("//a", "/"), ("/a//", "/a/"), ("", "/"), ("/%2F/x", "/%2F"),
    ])
    func derivedPath(path: String, expected: String) throws {
        #expect(Cookie.defaultPath(of: try HTTPURL("http://example.test\(path)")) == expected)
    }

    @Test(arguments: [
        ("/", "/", true), ("/a", "/", true), ("/a", "/a", true), ("/a/", "/a", true), ("/a/b", "/a", true),
        ("/a/b", "/a/", true), ("/a", "/a/", false), ("/ab", "/a", false), ("/", "/a", false), ("/A", "/a", false),
        ("/a%2Fb", "/a", false), ("/a?", "/a", false),
    ])
    func matching(path: String, cookiePath: String, expected: Bool) {
        #expect(Cookie.pathMatches(path, cookiePath) == expected)
    }

    @Test func longerPathsComeFirstThenOlderCookies() throws {
        let clock = TestDate()
        let storage = CookieStorage(clock)
        for field in ["1=; Path=/", "2=; Path=/a", "3=; Path=/a/b", "4=; Path=/a", "5=; Path=/", "6=; Path=/x"] {
            try storage.receive(field, from: "http://example.test/")
        }
        #expect(try storage.header("http://example.test/a/b/c") == "3=; 2=; 4=; 1=; 5=")
        // A cookie that replaces another keeps its age, and so its place.
        clock.advance(by: 5)
        try storage.receive("1=new; Path=/", "0=; Path=/", from: "http://example.test/")
        #expect(try storage.header("http://example.test/a/b/c") == "3=; 2=; 4=; 1=new; 5=; 0=")
        let first = try #require(storage.cookies.first { $0.name == "1" })
        #expect(first.creationTime == clock.now - 5)
        #expect(first.lastAccessTime == clock.now)
    }

    /// Cookies of the host and of its domain stand in one order.
    @Test func hostAndDomain() throws {
        let storage = CookieStorage()
        try storage.receive(
            "a=1; Domain=example.test; Path=/", "b=2; Path=/", "a=3; Path=/", "c=4; Domain=example.test; Path=/",
            from: "http://www.example.test/")
        #expect(try storage.header("http://www.example.test/") == "a=1; b=2; a=3; c=4")
        #expect(try storage.header("http://example.test/") == "a=1; c=4")
    }

    @Test func whatIsTheSameCookie() throws {
        let storage = CookieStorage()
        try storage.receive(
            "a=1; Path=/", "a=2; Path=/x", "A=3; Path=/", "a=4; Path=/; Domain=example.test", "a=5; Path=/",
            "\u{E9}=6; Path=/", "e\u{301}=7; Path=/", from: "http://example.test/")
        #expect(
            try storage.header("http://example.test/x")
                == "a=2; a=5; A=3; a=4; \u{E9}=6; e\u{301}=7")
    }

    /// Cookies of one name for a path that is written in two ways stay two.
    @Test func pathsCompareByBytes() throws {
        let storage = CookieStorage()
        try storage.receive("a=1; Path=/\u{E9}", "a=2; Path=/e\u{301}", from: "http://example.test/")
        #expect(storage.cookies.map(\.value) == ["1", "2"])
    }

    @Test func whatIsSentOfACookieWithoutAName() throws {
        let storage = CookieStorage()
        try storage.receive("a", "=b=c", "x=", from: "http://example.test/")
        #expect(try storage.header("http://example.test/") == "b=c; x=")
    }
}
