import FoundationEssentials
import LupineCore
import Testing

@testable import Lupine

@Suite struct CookieStorageTests {
    private static let url = "https://example.test/a/b"

    /// Every field is a cookie of its own, commas and all; a two-digit year is one of this century.
    @Test func severalFields() throws {
        let clock = TestDate()
        let storage = CookieStorage(clock)
        var headers: HTTPHeaders = [
            "Set-Cookie": "id=a=b==; Expires=Wed, 09-Jun-27 10:18:14 GMT; Path=/",
            "set-cookie": "lang=en, de; Expires=Wed, 09-Jun-27 10:18:14 GMT; Path=/; HttpOnly",
        ]
        headers.add(name: "X-Other", value: "no=cookie")
        storage.store(headers, for: try HTTPURL(Self.url))
        #expect(try storage.header(Self.url) == "id=a=b==; lang=en, de")
        let cookies = storage.cookies
        #expect(cookies.map(\.name) == ["id", "lang"])
        #expect(cookies.map(\.isHTTPOnly) == [false, true])
        // More than 400 days ahead.
        #expect(cookies.allSatisfy { $0.expires == clock.now + 400 * 24 * 3600 })
        clock.advance(by: 200 * 24 * 3600)
        storage.store(headers, for: try HTTPURL(Self.url))
        #expect(storage.cookies.allSatisfy { $0.expires == CookieDate.parse("9 Jun 2027 10:18:14") })
    }

    /// Fields that a proxy has folded into one are one cookie: nothing tells a comma between two from one within.
    @Test func foldedFields() throws {
        let storage = CookieStorage(TestDate())
        try storage.receive(
            "a=1; Expires=Wed, 09-Jun-26 10:18:14 GMT, b=2; Path=/", "c=3, d=4", from: Self.url)
        #expect(storage.cookies.map(\.name) == ["a", "c"])
        #expect(storage.cookies.map(\.value) == ["1", "3, d=4"])
        // What is behind the date is not read.
        #expect(storage.cookies.first?.expires == CookieDate.parse("9 Jun 2026 10:18:14"))
    }

    @Test func policies() throws {
        let storage = CookieStorage()
        #expect(storage.acceptPolicy == .always)
        try storage.receive("a=b", "c", from: Self.url)
        #expect(try storage.header(Self.url) == "a=b; c")
        storage.acceptPolicy = .onlyNamed
        try storage.receive("d=e", "f", "=g", from: Self.url)
        #expect(try storage.header(Self.url) == "a=b; c; d=e")
        storage.acceptPolicy = .never
        try storage.receive("h=i", from: Self.url)
        #expect(try storage.header(Self.url) == nil)
        #expect(storage.cookies.map(\.value) == ["b", "c", "e"])
        storage.acceptPolicy = .always
        #expect(try storage.header(Self.url) == "a=b; c; d=e")
    }

    @Test func onlySendingCountsAsUse() throws {
        let clock = TestDate()
        let storage = CookieStorage(clock)
        try storage.receive("a=b", from: Self.url)
        clock.advance(by: 10)
        #expect(storage.cookies(for: try HTTPURL(Self.url)).map(\.lastAccessTime) == [clock.now - 10])
        #expect(storage.cookies.map(\.lastAccessTime) == [clock.now - 10])
        _ = try storage.header(Self.url)
        #expect(storage.cookies.map(\.lastAccessTime) == [clock.now])
        #expect(storage.cookies.map(\.creationTime) == [clock.now - 10])
    }

    @Test func settingAndRemoving() throws {
        let storage = CookieStorage()
        let cookie = Cookie(name: "a", value: "1", domain: "Example.TEST", isHostOnly: false, expires: Date() + 60)
        #expect(storage.set(cookie))
        #expect(try storage.header("http://www.example.test/") == "a=1")
        #expect(storage.cookies.map(\.domain) == ["example.test"])
        storage.set(Cookie(name: "a", value: "2", domain: "example.test"))
        storage.set(Cookie(name: "a", value: "3", domain: "example.test", path: "/x"))
        #expect(storage.cookies.map(\.value) == ["1", "2", "3"])
        storage.remove(cookie)
        #expect(storage.cookies.map(\.value) == ["2", "3"])
        storage.set(Cookie(name: "a", value: "", domain: "example.test", expires: .distantPast))
        #expect(storage.cookies.map(\.value) == ["3"])
        #expect(storage.set(Cookie(name: "b", value: "", domain: "::1")))
        #expect(try storage.header("http://[::1]/") == "b=")
        #expect(storage.set(Cookie(name: "c", value: "", domain: "b\u{FC}cher.example")))
        #expect(try storage.header("http://xn--bcher-kva.example/") == "c=")
    }

    @Test(arguments: [
        Cookie(name: "", value: "", domain: "example.test"),
        Cookie(name: "a;b", value: "", domain: "example.test"),
        Cookie(name: "a=b", value: "", domain: "example.test"),
        Cookie(name: "a", value: "b; c=d", domain: "example.test"),
        Cookie(name: "a", value: "b\r\nX: y", domain: "example.test"),
        Cookie(name: "a\n", value: "b", domain: "example.test"),
        Cookie(name: "a", value: String(repeating: "b", count: 4096), domain: "example.test"),
        Cookie(name: "a", value: "b", domain: ""),
        Cookie(name: "a", value: "b", domain: ".example.test"),
        Cookie(name: "a", value: "b", domain: "example.test/x"),
        Cookie(name: "a", value: "b", domain: "example.test:80"),
        Cookie(name: "a", value: "b", domain: "user@example.test"),
        Cookie(name: "a", value: "b", domain: "co.uk", isHostOnly: false),
        Cookie(name: "a", value: "b", domain: "test", isHostOnly: false),
        Cookie(name: "a", value: "b", domain: "example.test", path: ""),
        Cookie(name: "a", value: "b", domain: "example.test", path: "x"),
        Cookie(name: "a", value: "b", domain: "example.test", path: "/\n"),
        Cookie(name: "__Secure-a", value: "b", domain: "example.test"),
        Cookie(name: "__Host-a", value: "b", domain: "example.test", isHostOnly: false, isSecure: true),
        Cookie(name: "a", value: "b", domain: "example.test", sameSite: .none),
    ])
    func whatCannotBeSet(cookie: Cookie) {
        let storage = CookieStorage()
        #expect(!storage.set(cookie))
        #expect(storage.cookies.isEmpty)
    }

    /// A domain that is an address belongs to that address alone.
    @Test func settingForAnAddress() throws {
        let storage = CookieStorage()
        storage.set(Cookie(name: "a", value: "b", domain: "127.0.0.1", isHostOnly: false))
        #expect(storage.cookies.map(\.isHostOnly) == [true])
        #expect(try storage.header("http://127.0.0.1/") == "a=b")
    }

    @Test func valuesAreNotDescribed() {
        let cookie = Cookie(
            name: "id", value: "hunter2", domain: "example.test", isHostOnly: false,
            expires: Date(timeIntervalSince1970: 0), isSecure: true, isHTTPOnly: true, sameSite: .lax)
        let expected =
            "id=<redacted>; Domain=example.test; Path=/; Expires=1970-01-01T00:00:00Z; Secure; HttpOnly; SameSite=lax"
        #expect(cookie.description == expected)
        #expect(String(reflecting: cookie) == expected)
        #expect("\([cookie])" == "[\(expected)]")
        #expect(Cookie(name: "", value: "hunter2", domain: "h").description == "<redacted>; Host=h; Path=/")
    }

    /// Threads at once; the storage stays in order.
    @Test func fromManyThreads() async throws {
        let storage = CookieStorage()
        let urls = try (0..<8).map { try HTTPURL("https://h\($0).example.test/") }
        await withTaskGroup(of: Void.self) { group in
            for (number, url) in urls.enumerated() {
                group.addTask {
                    for round in 0..<50 {
                        storage.store(setCookie: ["a\(round % 10)=\(number); Domain=example.test"], for: url)
                        _ = storage.cookieHeader(for: url)
                        if round.isMultiple(of: 10) { storage.removeExpired() }
                    }
                }
            }
        }
        #expect(storage.cookies.count == 10)
        #expect(storage.cookies(for: urls[0]).count == 10)
    }
}
