import FoundationEssentials
import LupineCore
import Testing

@testable import Lupine

@Suite struct CookieExpiryTests {
    private static let url = "http://example.test/"
    private static let day: TimeInterval = 24 * 3600

    /// How long a cookie lives, in seconds; `nil`: with the session.
    @Test(
        arguments: [
            ("", nil), ("; Max-Age=60", 60), ("; Max-Age=1", 1), ("; Expires=Thu, 01 Jan 2026 00:01:00 GMT", 60),
            // Max-Age goes before Expires, wherever it stands.
            ("; Max-Age=60; Expires=Thu, 01 Jan 2026 01:00:00 GMT", 60),
            ("; Expires=Thu, 01 Jan 2026 01:00:00 GMT; Max-Age=60", 60),
            ("; Max-Age=x; Expires=Thu, 01 Jan 2026 00:01:00 GMT", 60),
            // What cannot be read does not count.
            ("; Expires=soon", nil), ("; Max-Age=soon", nil), ("; Expires=", nil),
            // 400 days at most (section 5.5).
            ("; Max-Age=34560000", 34_560_000), ("; Max-Age=34560001", 34_560_000),
            ("; Max-Age=99999999999999999999", 34_560_000), ("; Expires=Fri, 01 Jan 2038 00:00:00 GMT", 34_560_000),
            ("; Expires=31 Dec 9999 00:00:00", 34_560_000),
        ] as [(String, TimeInterval?)])
    func life(attributes: String, expected: TimeInterval?) throws {
        let clock = TestDate()
        let storage = CookieStorage(clock)
        try storage.receive("a=b\(attributes)", from: Self.url)
        #expect(storage.cookies.count == 1)
        #expect(storage.cookies.first?.expires == expected.map { clock.now + $0 })
        guard let expected else { return }
        clock.advance(by: expected - 1)
        #expect(try storage.header(Self.url) == "a=b")
        clock.advance(by: 1)
        #expect(try storage.header(Self.url) == nil)
        #expect(storage.cookies(for: try HTTPURL(Self.url)).isEmpty)
        #expect(storage.cookies.isEmpty)
    }

    /// A cookie that has expired removes the one it would replace, and nothing else.
    @Test(arguments: [
        "a=; Max-Age=0", "a=; Max-Age=-1", "a=; Max-Age=-99999999999999999999", "a=; Expires=1 Jan 1970 00:00:00",
        "a=; Expires=1 Jan 2026 00:00:00", "a=; Expires=1 Jan 1601 00:00:00",
    ])
    func removing(field: String) throws {
        let storage = CookieStorage(TestDate())
        try storage.receive("a=b", "a=c; Path=/x", "d=e", from: Self.url)
        try storage.receive(field, from: Self.url)
        #expect(storage.cookies.map(\.value) == ["c", "e"])
        try storage.receive(field, from: Self.url)
        #expect(storage.cookies.map(\.value) == ["c", "e"])
    }

    @Test func removingByHand() throws {
        let clock = TestDate()
        let storage = CookieStorage(clock)
        try storage.receive("a=1; Max-Age=60", "b=2", "c=3; Max-Age=600", from: Self.url)
        clock.advance(by: 60)
        storage.removeExpired()
        #expect(storage.cookies.map(\.name) == ["b", "c"])
        storage.removeSessionCookies()
        #expect(storage.cookies.map(\.name) == ["c"])
        // The other two have not merely become invisible.
        clock.advance(by: -60)
        #expect(storage.cookies.map(\.name) == ["c"])
        storage.removeAll()
        #expect(storage.cookies.isEmpty)
        try storage.receive("d=4", from: Self.url)
        #expect(try storage.header(Self.url) == "d=4")
    }
}
