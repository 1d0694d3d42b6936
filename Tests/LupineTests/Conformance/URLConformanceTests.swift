import Lupine
import Testing

/// The URL standard's table against ``HTTPURL``: absolute http and https texts. What needs a base there is the standard's own
/// (`http:foo` beside a base), and refused here.
@Suite(.enabled(if: ConformanceCases.areThere, ConformanceCases.hint))
struct URLConformanceTests {
    /// Comments stand between the cases.
    private enum Entry: Decodable {
        case comment
        case url(Case)

        init(from decoder: any Decoder) throws {
            if (try? decoder.singleValueContainer().decode(String.self)) != nil {
                self = .comment
            } else {
                self = .url(try Case(from: decoder))
            }
        }
    }

    private struct Case: Decodable {
        let input: String
        /// `nil`: to be refused.
        let href: String?
        let failure: Bool?
    }

    @Test func urls() throws {
        var comparison = Comparison("WHATWG URLs")
        for case .url(let testCase) in try ConformanceCases.read("url/urltestdata.json", as: [Entry].self) {
            let scheme = testCase.input.prefix { $0 != ":" }.lowercased()
            guard scheme == "http" || scheme == "https", testCase.input.contains(":") else { continue }
            comparison.add(testCase.input, table: testCase.failure == true ? nil : testCase.href) {
                () throws(LupineError) in try HTTPURL(testCase.input)
            }
        }
        comparison.conclude(known: Self.known)
    }

    private static let known = [
        KnownDifference(
            "control characters are refused, not taken out or encoded (RFC 3986 section 2)",
            [
                "http://example\t.\norg", "http://f:\n/c", "http://example.com/foo\t\u{91}%91",
                "http://example.com/foo\tbar", "http://ho\tst/", "http://ho\nst/", "http://ho\rst/",
                "http://foo.bar/baz?qux#foo\u{8}bar", "http://example.org/test?a#b\0c",
                "https://www.example.com/path{\u{7F}path.html?query'\u{7F}=query#fragment<\u{7F}fragment",
                "https://user:pass[\u{7F}@foo/bar", "https://x/\0y", "https://x/?\0y", "https://x/?#\0y",
            ]),
        KnownDifference(
            "two slashes come before a host (RFC 3986 sections 3.2 and 5.2.2)",
            [
                "http:foo.com", "http::@c:29", "http:[61:27]/:foo", "http:/example.com/", "http:/",
                "https:/example.com/", "http:example.com/", "https:example.com/", "http:/example.com/ (2)",
                "https:/example.com/ (2)", "http:example.com/ (2)", "https:example.com/ (2)",
                "http:@www.example.com", "http:/@www.example.com", "http:a:b@www.example.com",
                "http:/a:b@www.example.com", "http::b@www.example.com", "http:/:b@www.example.com",
                "http:a:@www.example.com", "http:/a:@www.example.com", "http:",
            ]),
        KnownDifference(
            "a backslash is no slash: in a path it is encoded, in an authority refused (RFC 3986 section 3.2)",
            [
                "http://foo.com/\\@", "http:\\\\foo.com\\", "http:\\\\a\\b:c\\d@foo.com\\", "http://a:b@c\\",
                "http://example.com\\\\foo\\\\bar", "http:\\\\www.google.com\\foo",
            ]),
        KnownDifference(
            "one `@` at most stands in an authority (RFC 3986 section 3.2.1)",
            ["http://::@c@d:2", "https://@test@test@example:800/", "https://@@@example"]),
        KnownDifference(
            "a space at the end belongs to the text (RFC 3986 appendix C: who cuts a URL out of a text takes it away)",
            ["http://f:21/ b ? d # e "]),
        KnownDifference(
            "a name outside ASCII is kept as it is: IDNA is libcurl's (RFC 3986 section 3.2.2)",
            ["http://\u{E9}@\u{E9}", "http://\u{4F60}\u{597D}\u{4F60}\u{597D}", "https://fa\u{DF}.ExAmPlE/"]),
        KnownDifference(
            "a character that IDNA maps to others is refused: the name would have two readings (RFC 5892 section 2.2)",
            [
                "http://GOO\u{200B}\u{2060}\u{FEFF}goo.com", "http://www.foo\u{3002}bar.com",
                "http://\u{FF27}\u{FF4F}.com",
                "http://\u{FF10}\u{FF38}\u{FF43}\u{FF10}\u{FF0E}\u{FF10}\u{FF12}\u{FF15}\u{FF10}\u{FF0E}\u{FF10}\u{FF11}",
            ]),
        KnownDifference(
            "a percent-encoded host is refused: its readers differ (RFC 3986 section 3.2.2 lets it be a name)",
            [
                "http://%30%78%63%30%2e%30%32%35%30.01", "http://%30%78%63%30%2e%30%32%35%30.01%2e",
                "https://%e2%98%83", "https://a%C2%ADb/",
            ]),
        KnownDifference(
            "an IPv6 address that holds an IPv4 one is written with it (RFC 5952 section 5)",
            ["http://[::127.0.0.1]", "http://[0:0:0:0:0:0:13.1.68.3]"]),
        KnownDifference(
            "a label within a host is not empty (RFC 1034 section 3.1)",
            ["http://./", "http://../", "http://foo.09.."]),
        KnownDifference(
            "a host is letters, digits and a few marks (RFC 1123 section 2.1)", ["http://!\"$&'()*+,-.;=_`{}~/"]),
        KnownDifference(
            "an apostrophe may stand in a query as it is (RFC 3986 section 3.4)", ["http://host/?'"]),
    ]
}
