import FoundationEssentials
import LupineCore
import Testing

@testable import Lupine

/// The cookie tables against ``CookieStorage``.
@Suite(.enabled(if: ConformanceCases.areThere, ConformanceCases.hint))
struct CookieConformanceTests {
    /// A storage with that clock, after the fields have come from the URL.
    private static func storage(
        _ fields: [String], from url: HTTPURL, at time: String, policy: CookieAcceptPolicy = .always
    ) throws -> CookieStorage {
        let now = try #require(CookieDate.parse(time))
        let storage = CookieStorage { now }
        storage.acceptPolicy = policy
        storage.store(setCookie: fields, for: url)
        return storage
    }

    private static func difference(_ sent: String?, from expected: String) -> String? {
        sent ?? "" == expected ? nil : "sends \(sent.debugDescription) where the table has \(expected.debugDescription)"
    }

    // MARK: http-state

    private struct StateCase: Decodable {
        let test: String
        let received: [String]
        let sent: [Pair]
        let sentTo: String?

        struct Pair: Decodable { let name: String, value: String }

        enum CodingKeys: String, CodingKey {
            case test, received, sent
            case sentTo = "sent-to"
        }
    }

    /// The table of RFC 6265's working group, `DISABLED` cases left out as it says. Its clock stands before 2019-08-07.
    private func state(_ title: String, policy: CookieAcceptPolicy, known: [KnownDifference]) throws {
        var comparison = Comparison(title)
        for testCase in try ConformanceCases.read("cookies/http-state-parser.json", as: [StateCase].self) {
            guard !testCase.test.hasPrefix("DISABLED") else {
                comparison.skipped += 1
                continue
            }
            let url = try HTTPURL("http://home.example.org:8888/cookie-parser?\(testCase.test)")
            let storage = try Self.storage(
                testCase.received, from: url, at: "1 Jan 2019 00:00:00", policy: policy)
            let sent = storage.cookieHeader(for: try url.resolve(testCase.sentTo ?? "/cookie-parser-result?test"))
            let expected = testCase.sent.map { "\($0.name)=\($0.value)" }.joined(separator: "; ")
            comparison.add(testCase.test, Self.difference(sent, from: expected))
        }
        comparison.conclude(known: known)
    }

    private static let emptyDomain = KnownDifference(
        "an empty Domain, when it is the last one, makes the cookie host-only (RFC 6265bis sections 5.6.3 and 5.7 step 7)",
        ["OPTIONAL_DOMAIN0042"])

    /// What the storage does unless told otherwise.
    @Test func httpState() throws {
        try state(
            "http-state", policy: .always,
            known: [
                Self.emptyDomain,
                KnownDifference(
                    "a field without a name is a cookie that is only a value (RFC 6265bis section 5.6 step 3; RFC 6265 section 5.2 step 5 ignores it)",
                    [
                        "0004", "0021", "0023", "0024", "0025", "0026", "0027", "0028", "CHROMIUM0009", "CHROMIUM0010",
                        "CHROMIUM0012", "MOZILLA0012", "MOZILLA0014", "MOZILLA0015", "MOZILLA0016", "MOZILLA0017",
                        "NAME0017", "NAME0023", "NAME0025", "NAME0028", "NAME0031", "NAME0032", "NAME0033",
                    ]),
            ])
    }

    /// The same under RFC 6265's own rule for fields without a name, which is the one the table was written for.
    @Test func httpStateOnlyNamed() throws {
        try state("http-state, only named", policy: .onlyNamed, known: [Self.emptyDomain])
    }

    // MARK: Dates

    private struct DateTable: Decodable {
        let cases: [Case]

        struct Case: Decodable {
            let test: String
            /// `nil`: no date.
            let expected: String?
        }
    }

    @Test func dates() throws {
        var comparison = Comparison("cookie dates")
        for testCase in try ConformanceCases.read("cookies/http-state-dates.json", as: DateTable.self).cases {
            let found = CookieDate.parse(testCase.test)
            let expected = testCase.expected.flatMap { CookieDate.parse($0) }
            #expect((expected == nil) == (testCase.expected == nil))
            comparison.add(
                testCase.test,
                found == expected ? nil : "reads \(found.debugDescription), the table \(expected.debugDescription)")
        }
        comparison.conclude()
    }

    // MARK: Web platform tests

    private struct WebTable: Decodable {
        let cases: [Case]

        struct Case: Decodable {
            let file: String
            let name: String
            let cookie: OneOrMore
            let expected: String
            /// The path that is asked for then, when it is another.
            let location: String?
        }

        struct OneOrMore: Decodable {
            let texts: [String]

            init(from decoder: any Decoder) throws {
                let container = try decoder.singleValueContainer()
                if let text = try? container.decode(String.self) {
                    texts = [text]
                } else {
                    texts = try container.decode([String].self)
                }
            }
        }
    }

    @Test func webPlatform() throws {
        var comparison = Comparison("WPT cookies")
        for testCase in try ConformanceCases.read("cookies/wpt-cookies.json", as: WebTable.self).cases {
            let isSecure = testCase.file.contains(".https.")
            let origin = "\(isSecure ? "https" : "http")://example.test"
            // Where no other place is named the page asks for itself again, and its folder is the path that is derived.
            let page = try HTTPURL("\(origin)/\(testCase.file)")
            let setter = testCase.location == nil ? page : try HTTPURL("\(origin)/cookies/resources/set.py")
            let storage = try Self.storage(testCase.cookie.texts, from: setter, at: "1 Jan 2021 00:00:00")
            let sent = storage.cookieHeader(for: try page.resolve(testCase.location ?? ""))
            comparison.add("\(testCase.file): \(testCase.name)", Self.difference(sent, from: testCase.expected))
        }
        comparison.conclude(known: [
            KnownDifference(
                "a control character makes the whole field ignored, where it was once cut (RFC 6265bis section 5.6 step 1)",
                ["cookies/value/value.html: Set cookie but ignore value after LF"])
        ])
    }
}
