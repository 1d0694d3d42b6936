import FoundationEssentials
import LupineCore
import Testing

@testable import Lupine

/// Which hosts are remembered, and which URLs change (RFC 6797 section 8).
@Suite struct HSTSStorageTests {
    private static func storage(_ clock: TestDate = TestDate(), limit: Int = 4096) -> HSTSStorage {
        HSTSStorage(limit: limit) { clock.now }
    }

    private static func say(_ value: String, at url: String, to storage: HSTSStorage) throws {
        storage.store(["Strict-Transport-Security": value], for: try HTTPURL(url))
    }

    private static func upgraded(_ url: String, by storage: HSTSStorage) throws -> String? {
        storage.upgraded(try HTTPURL(url))?.description
    }

    @Test(
        arguments: [
            ("http://example.test/", "https://example.test/"),
            ("http://example.test:80/a?b#c", "https://example.test/a?b#c"),
            ("http://example.test:8080/", "https://example.test:8080/"),
            ("http://example.test:443/", "https://example.test/"),
            ("http://EXAMPLE.test/%2F", "https://example.test/%2F"),
            ("http://example.test./", "https://example.test./"),
            ("https://example.test/", nil), ("http://sub.example.test/", nil), ("http://test/", nil),
            ("http://wwwexample.test/", nil),
        ] as [(String, String?)])
    func oneHost(url: String, expected: String?) throws {
        let storage = Self.storage()
        try Self.say("max-age=60", at: "https://example.test/", to: storage)
        #expect(try Self.upgraded(url, by: storage) == expected)
    }

    @Test(arguments: [
        ("http://example.test/", true), ("http://sub.example.test/", true), ("http://a.sub.example.test:81/", true),
        ("http://sub.example.test./", true), ("http://wwwexample.test/", false), ("http://test/", false),
        ("http://other.test/", false),
    ])
    func allBeneath(url: String, expected: Bool) throws {
        let storage = Self.storage()
        try Self.say("max-age=60; includeSubDomains", at: "https://example.test./", to: storage)
        #expect(try (Self.upgraded(url, by: storage) != nil) == expected)
    }

    @Test func credentialsAndFragmentStay() throws {
        let storage = Self.storage()
        try Self.say("max-age=60", at: "https://example.test/", to: storage)
        let url = try #require(storage.upgraded(try HTTPURL("http://u:p@example.test:81/#f")))
        #expect(url.string == "https://example.test:81/")
        #expect(url.userinfo?.password == "p")
        #expect(url.fragment == "f")
    }

    /// What is said in the clear anybody may have said; addresses have no policies.
    @Test(arguments: ["http://example.test/", "https://127.0.0.1/", "https://[::1]/", "https://2130706433/"])
    func whoIsNotBelieved(url: String) throws {
        let storage = Self.storage()
        try Self.say("max-age=60; includeSubDomains", at: url, to: storage)
        #expect(storage.policies.isEmpty)
        #expect(try Self.upgraded(url.replacing("https:", with: "http:"), by: storage) == nil)
    }

    @Test func onlyTheFirstFieldCounts() throws {
        let storage = Self.storage()
        let url = try HTTPURL("https://example.test/")
        storage.store(
            ["Strict-Transport-Security": "nonsense=", "strict-transport-security": "max-age=60"], for: url)
        #expect(storage.policies.isEmpty)
        storage.store(
            ["strict-transport-security": "max-age=60", "Strict-Transport-Security": "max-age=0"], for: url)
        #expect(storage.policies.count == 1)
        storage.store(["X-Other": "max-age=0"], for: url)
        #expect(storage.policies.count == 1)
    }

    @Test func policiesEndAndAreRenewed() throws {
        let clock = TestDate()
        let storage = Self.storage(clock)
        let url = "http://example.test/"
        try Self.say("max-age=60", at: "https://example.test/", to: storage)
        clock.advance(by: 59)
        #expect(try Self.upgraded(url, by: storage) != nil)
        try Self.say("max-age=60; includeSubDomains", at: "https://example.test/", to: storage)
        clock.advance(by: 59)
        #expect(try Self.upgraded(url, by: storage) != nil)
        #expect(try Self.upgraded("http://www.example.test/", by: storage) != nil)
        clock.advance(by: 1)
        #expect(try Self.upgraded(url, by: storage) == nil)
        #expect(storage.policies.isEmpty)
        // Renewed without subdomains.
        try Self.say("max-age=99999999999999999999", at: "https://example.test/", to: storage)
        #expect(try Self.upgraded(url, by: storage) != nil)
        #expect(try Self.upgraded("http://www.example.test/", by: storage) == nil)
    }

    /// `max-age=0` makes that host forgotten, not what is above or beneath it.
    @Test func takingBack() throws {
        let storage = Self.storage()
        try Self.say("max-age=60; includeSubDomains", at: "https://example.test/", to: storage)
        try Self.say("max-age=60", at: "https://www.example.test/", to: storage)
        try Self.say("max-age=0", at: "https://www.example.test/", to: storage)
        #expect(storage.policies.map(\.host) == ["example.test"])
        #expect(try Self.upgraded("http://www.example.test/", by: storage) != nil)
        try Self.say("max-age=0; includeSubDomains", at: "https://example.test./", to: storage)
        #expect(storage.policies.isEmpty)
        #expect(try Self.upgraded("http://www.example.test/", by: storage) == nil)
    }

    /// The longest-lived of the policies that hold counts.
    @Test func aPolicyThatEndedHidesNoOther() throws {
        let clock = TestDate()
        let storage = Self.storage(clock)
        try Self.say("max-age=600; includeSubDomains", at: "https://example.test/", to: storage)
        try Self.say("max-age=60", at: "https://www.example.test/", to: storage)
        clock.advance(by: 61)
        #expect(try Self.upgraded("http://www.example.test/", by: storage) != nil)
    }

    @Test func namesOutsideASCII() throws {
        let storage = Self.storage()
        try Self.say("max-age=60; includeSubDomains", at: "https://b\u{FC}cher.example/", to: storage)
        #expect(storage.policies.map(\.host) == ["xn--bcher-kva.example"])
        #expect(try Self.upgraded("http://xn--bcher-kva.example/", by: storage) == "https://xn--bcher-kva.example/")
        #expect(
            try Self.upgraded("http://www.B\u{DC}CHER.example/", by: storage) == "https://www.b\u{DC}cher.example/")
    }

    @Test func theSoonestToEndGoesWhenThereAreTooMany() throws {
        let clock = TestDate()
        let storage = Self.storage(clock, limit: 3)
        for (host, age) in [("a", 100), ("b", 50), ("c", 200)] {
            try Self.say("max-age=\(age)", at: "https://\(host).test/", to: storage)
        }
        try Self.say("max-age=75", at: "https://d.test/", to: storage)
        #expect(storage.policies.map(\.host) == ["a.test", "c.test", "d.test"])
        clock.advance(by: 80)
        try Self.say("max-age=1", at: "https://e.test/", to: storage)
        #expect(storage.policies.map(\.host) == ["a.test", "c.test", "e.test"])
    }

    @Test func settingAndRemoving() throws {
        let clock = TestDate()
        let storage = Self.storage(clock)
        #expect(storage.set(HSTSPolicy(host: "Example.TEST.", includesSubdomains: true, expires: clock.now + 60)))
        #expect(
            storage.policies == [HSTSPolicy(host: "example.test", includesSubdomains: true, expires: clock.now + 60)])
        #expect(!storage.set(HSTSPolicy(host: "127.0.0.1", expires: clock.now + 60)))
        #expect(!storage.set(HSTSPolicy(host: "a/b", expires: clock.now + 60)))
        #expect(!storage.set(HSTSPolicy(host: "late.test", expires: clock.now)))
        storage.remove(host: "other.test")
        storage.remove(host: "EXAMPLE.test")
        #expect(storage.policies.isEmpty)
        storage.set(HSTSPolicy(host: "a.test", expires: clock.now + 60))
        storage.removeAll()
        #expect(try Self.upgraded("http://a.test/", by: storage) == nil)
    }
}
