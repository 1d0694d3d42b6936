import FoundationEssentials
import LupineCore
import Testing

@testable import Lupine

/// What is kept when there is too much (RFC 6265bis sections 5.7 and 6.1), and what hostile answers cost.
@Suite struct CookieLimitTests {
    private static func jar(perSite: Int = 3, total: Int = 5) -> CookieJar {
        CookieJar(limits: CookieJar.Limits(cookiesPerSite: perSite, cookies: total))
    }

    private static let start = Date(timeIntervalSince1970: 1_767_225_600)

    /// - Parameter time: of the jar's clock, in seconds.
    private static func add(
        _ name: String, to jar: inout CookieJar, domain: String = "example.test", at time: TimeInterval,
        isSecure: Bool = false, life: TimeInterval? = nil
    ) {
        let now = start + time
        jar.insert(
            Cookie(
                name: name, value: "", domain: domain, expires: life.map { now + $0 }, isSecure: isSecure,
                creationTime: now),
            now: now)
    }

    private static func names(_ jar: CookieJar) -> [String] { jar.cookies(now: .distantPast).map(\.name) }

    @Test func aSiteWithTooManyLosesWhatWasUsedLongestAgo() throws {
        var jar = Self.jar()
        for (time, name) in ["a", "b", "c"].enumerated() { Self.add(name, to: &jar, at: TimeInterval(time)) }
        #expect(jar.header(for: try HTTPURL("http://example.test/"), now: Self.start + 3)?.text == "a=; b=; c=")
        Self.add("b", to: &jar, at: 4)
        Self.add("d", to: &jar, at: 5)
        // Used at the same time, a is older than c.
        #expect(Self.names(jar) == ["b", "c", "d"])
        Self.add("e", to: &jar, at: 6)
        #expect(Self.names(jar) == ["b", "d", "e"])
    }

    @Test func expiredOnesGoFirstThenInsecureOnes() {
        var jar = Self.jar()
        Self.add("secure", to: &jar, at: 0, isSecure: true)
        Self.add("plain", to: &jar, at: 1)
        Self.add("short", to: &jar, at: 2, isSecure: true, life: 1)
        Self.add("new", to: &jar, at: 5)
        #expect(Self.names(jar) == ["secure", "plain", "new"])
        Self.add("newer", to: &jar, at: 6, isSecure: true)
        #expect(Self.names(jar) == ["secure", "new", "newer"])
        Self.add("newest", to: &jar, at: 7, isSecure: true)
        #expect(Self.names(jar) == ["secure", "newer", "newest"])
        // A site full of secure cookies has no place for others.
        Self.add("plain", to: &jar, at: 8)
        #expect(Self.names(jar) == ["secure", "newer", "newest"])
        Self.add("last", to: &jar, at: 9, isSecure: true)
        #expect(Self.names(jar) == ["newer", "newest", "last"])
    }

    /// A site's subdomains share its limit: by inventing them nobody drives out others.
    @Test func subdomainsShareALimit() {
        var jar = Self.jar()
        Self.add("other", to: &jar, domain: "other.test", at: 0)
        for number in 1...9 {
            Self.add("\(number)", to: &jar, domain: "h\(number).example.test", at: TimeInterval(number))
        }
        #expect(Self.names(jar) == ["other", "7", "8", "9"])
        // Those below a public suffix are sites of their own.
        for number in 10...12 {
            Self.add("\(number)", to: &jar, domain: "h\(number).github.io", at: TimeInterval(number))
        }
        #expect(Self.names(jar) == ["8", "9", "10", "11", "12"])
    }

    @Test func allInAllTheOneUsedLongestAgoGoes() {
        var jar = Self.jar()
        for number in 0..<5 {
            Self.add(
                "\(number)", to: &jar, domain: "h\(number).test", at: TimeInterval(number), life: number == 3 ? 1 : nil)
        }
        Self.add("5", to: &jar, domain: "h5.test", at: 5)
        #expect(Self.names(jar) == ["0", "1", "2", "4", "5"])
        Self.add("6", to: &jar, domain: "h6.test", at: 6)
        #expect(Self.names(jar) == ["1", "2", "4", "5", "6"])
        #expect(jar.count == 5)
        #expect(jar.sites.count == 5)
    }

    @Test func theLimitsThereAre() throws {
        let storage = CookieStorage()
        for site in 0..<20 {
            storage.store(
                setCookie: (0..<200).map { "n\($0)=v" }, for: try HTTPURL("https://www.site\(site).test/"))
        }
        #expect(storage.cookies.count == 3000)
        #expect(storage.cookies(for: try HTTPURL("https://www.site19.test/")).count == 180)
        #expect(storage.cookies(for: try HTTPURL("https://www.site19.test/")).first?.name == "n20")
    }

    /// 5,000 fields in one answer, in the shapes that cost most, into a storage that is full.
    @Test(.timeLimit(.minutes(5)), arguments: ["http", "https"])
    func fiveThousandFields(scheme: String) throws {
        let storage = CookieStorage()
        for site in 0..<17 {
            storage.store(
                setCookie: (0..<180).map { "n\($0)=v; Secure" }, for: try HTTPURL("https://site\(site).test/"))
        }
        let url = try HTTPURL("\(scheme)://a.b.c.d.e.site0.test/")
        let value = String(repeating: "v", count: 4000)
        let domains = ["site0.test", "e.site0.test", "d.e.site0.test", "c.d.e.site0.test", "test", "other.test"]
        var headers = HTTPHeaders()
        for number in 0..<5000 {
            headers.add(
                name: "Set-Cookie",
                value: "n\(number)=\(value); Domain=\(domains[number % domains.count]); Path=/\(number % 7)")
        }
        storage.store(headers, for: url)
        #expect(storage.cookies.count <= 3000)
        #expect(storage.cookies.filter { $0.domain.hasSuffix("site0.test") }.count <= 180)
        #expect(!storage.cookies.contains { $0.domain == "test" || $0.domain == "other.test" })
        // Other sites keep what they had.
        #expect(storage.cookies(for: try HTTPURL("https://site16.test/")).count == 180)
    }

    @Test func hugeValues() throws {
        let storage = CookieStorage()
        let huge = String(repeating: "x", count: 1 << 20)
        for field in ["a=\(huge)", "\(huge)=a", huge, "=\(huge)", "a=b; Domain=\(huge)", "a=b; Path=/\(huge)"] {
            storage.store(setCookie: [field], for: try HTTPURL("http://example.test/x/y"))
        }
        // The attributes were passed over, the cookies with a short pair kept.
        #expect(storage.cookies.map(\.name) == ["a"])
        #expect(storage.cookies.map(\.path) == ["/x"])
    }
}
