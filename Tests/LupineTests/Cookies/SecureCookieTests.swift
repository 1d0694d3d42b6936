import FoundationEssentials
import LupineCore
import Testing

@testable import Lupine

/// `Secure`, the prefixes of names and `SameSite=None` (RFC 6265bis section 5.7 steps 12 to 22).
@Suite struct SecureCookieTests {
    private static let plain = "http://example.test/", secure = "https://example.test/"

    @Test func secureCookiesGoOverHTTPSOnly() throws {
        let storage = CookieStorage()
        try storage.receive("a=b; Secure", from: Self.plain)
        #expect(storage.cookies.isEmpty)
        try storage.receive("a=b; Secure", "c=d", from: Self.secure)
        #expect(try storage.header(Self.plain) == "c=d")
        #expect(try storage.header(Self.secure) == "a=b; c=d")
    }

    /// The scheme alone counts.
    @Test(arguments: ["http://localhost/", "http://127.0.0.1/", "http://[::1]/"])
    func theLocalHostIsNoException(url: String) throws {
        let storage = CookieStorage()
        try storage.receive("a=b; Secure", "__Secure-c=d; Secure", from: url)
        #expect(storage.cookies.isEmpty)
    }

    /// What comes in the clear does not get in the way of a secure cookie (step 16).
    @Test(arguments: [
        // Over it, or below it, for this host or those that share it.
        ("a=new; Path=/login", "https://example.test/", false),
        ("a=new; Path=/login/x", "https://example.test/", false),
        ("a=; Path=/login; Max-Age=0", "https://example.test/", false),
        ("a=new; Path=/login; Domain=example.test", "https://example.test/", false),
        // Elsewhere, or by another name.
        ("a=new; Path=/", "https://example.test/", true),
        ("a=new; Path=/log", "https://example.test/", true),
        ("A=new; Path=/login", "https://example.test/", true),
    ])
    func overlaying(field: String, other: String, isTaken: Bool) throws {
        let storage = CookieStorage()
        try storage.receive("a=old; Secure; Path=/login", from: other)
        try storage.receive(field, from: Self.plain)
        #expect((storage.cookies.map(\.value) == ["old", "new"]) == isTaken)
        #expect(storage.cookies.first?.value == "old")
    }

    /// Domains above and beneath count, host-only or not; those beside do not.
    @Test(arguments: [
        ("a=old; Secure; Domain=example.test", "https://www.example.test/", false),
        ("a=old; Secure", "https://www.example.test/", true),
        ("a=old; Secure", "https://sub.example.test/", false),
        ("a=old; Secure", "https://deep.sub.example.test/", false),
        ("a=old; Secure", "https://example.test/", false),
        ("a=old; Secure; Domain=example.test; Max-Age=5", "https://www.example.test/", true),
    ])
    func overlayingElsewhere(field: String, from url: String, isTaken: Bool) throws {
        let clock = TestDate()
        let storage = CookieStorage(clock)
        try storage.receive(field, from: url)
        clock.advance(by: 10)
        try storage.receive("a=new", from: "http://sub.example.test/")
        #expect(storage.cookies.contains { $0.value == "new" } == isTaken)
    }

    @Test func overlayingFromAbove() throws {
        let storage = CookieStorage()
        try storage.receive("a=old; Secure", from: "https://deep.sub.example.test/")
        try storage.receive("a=new; Domain=example.test", from: "http://sub.example.test/")
        #expect(storage.cookies.map(\.value) == ["old"])
        // A public suffix between makes two sites of them; what is shared is guarded all the same.
        try storage.receive("b=old; Secure", from: "https://s3.amazonaws.com/")
        try storage.receive("b=new; Domain=amazonaws.com", from: "http://amazonaws.com/")
        #expect(storage.cookies.map(\.value) == ["old", "old"])
    }

    /// Over https anything may be replaced.
    @Test func replacingSecurely() throws {
        let storage = CookieStorage()
        try storage.receive("a=old; Secure", "a=new", from: Self.secure)
        #expect(try storage.header(Self.plain) == "a=new")
    }

    @Test(arguments: [
        ("__Secure-a=b; Secure", true), ("__Secure-a=b; Secure; Domain=example.test", true), ("__Secure-a=b", false),
        ("__secure-a=b", false), ("__SECURE-a=b; Secure", true), ("__Secure=b", true),
        ("__Host-a=b; Secure; Path=/", true), ("__Host-a=b; Secure; Path=/; Domain=", true),
        ("__Host-a=b; Secure; Path=/; Domain=example.test", false), ("__Host-a=b; Secure; Path=/x", false),
        ("__Host-a=b; Secure", false), ("__Host-a=b; Path=/", false), ("__hOsT-a=b; Path=/", false),
        // A cookie without a name that reads like one with a prefix.
        ("__Secure-a; Secure", false), ("=__Secure-a=b; Secure; Path=/", false), ("__host-a=b; Secure; Path=/x", false),
        ("=__HOST-a=b; Secure; Path=/", false), ("__Hos; Secure; Path=/", true),
        ("a=b; SameSite=None", false), ("a=b; SameSite=none; Secure", true), ("a=b; SameSite=Lax", true),
        ("a=b; SameSite=Strict", true), ("a=b; SameSite=None; SameSite=Lax", true),
    ])
    func promises(field: String, isTaken: Bool) throws {
        let storage = CookieStorage()
        try storage.receive(field, from: Self.secure)
        #expect(storage.cookies.isEmpty == !isTaken)
    }

    /// Every request of this client is same-site.
    @Test func sameSiteIsKeptAndNotActedUpon() throws {
        let storage = CookieStorage()
        try storage.receive("a=b; SameSite=Strict", from: Self.plain)
        #expect(storage.cookies.map(\.sameSite) == [.strict])
        #expect(try storage.header(Self.plain) == "a=b")
    }
}
