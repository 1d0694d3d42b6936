import Testing

@testable import Lupine

/// How the field is read (RFC 6797 section 6.1).
@Suite struct StrictTransportSecurityTests {
    @Test(
        arguments: [
            ("max-age=31536000", 31_536_000, false), ("max-age=0", 0, false), ("MAX-AGE=1", 1, false),
            ("max-age=1; includeSubDomains", 1, true), ("INCLUDESUBDOMAINS;max-age=1", 1, true),
            (" \tmax-age \t=\t 1 ; includeSubDomains ; ", 1, true), ("; ;max-age=1;;", 1, false),
            ("max-age=\"1\"", 1, false), ("max-age=\"\\1\"", 1, false), ("max-age=1; preload", 1, false),
            ("max-age=1; x=\"a;b\\\";includeSubDomains\"", 1, false), ("x=y; max-age=1; z", 1, false),
            ("max-age=99999999999999999999", .max, false), ("max-age=000000000000000000000001", 1, false),
        ] as [(String, Int64, Bool)])
    func valid(text: String, maximumAge: Int64, includesSubdomains: Bool) throws {
        let field = try #require(StrictTransportSecurity(text))
        #expect(field.maximumAge == maximumAge)
        #expect(field.includesSubdomains == includesSubdomains)
    }

    /// Ignored as a whole.
    @Test(arguments: [
        "", ";", "includeSubDomains", "max-age", "max-age=", "max-age=\"\"", "max-age=-1", "max-age=+1", "max-age=1.5",
        "max-age=1s", "max-age=1 2", "max-age=\"1", "max-age=1\"", "max-age=\"1\\", "max-age=\"1\"2", "=1",
        "max-age==1",
        "max-age=1, includeSubDomains", "max-age=1 includeSubDomains", "max-age=1; max-age=1", "max-age=1; Max-Age=2",
        "max-age=1; includeSubDomains; includesubdomains", "max-age=1; x; X=1", "max-age=1; includeSubDomains=1",
        "max-age=1; includeSubDomains=\"\"", "max-age=1; a/b", "max-age=1; x=", "max-age=1; x=a b", "max-age=\u{661}",
        "max-age=1; \u{E4}", "max-age=1\0",
    ])
    func invalid(text: String) { #expect(StrictTransportSecurity(text) == nil) }

    @Test func manyDirectives() {
        let many = (0..<20_000).map { "x\($0)" }.joined(separator: ";")
        #expect(StrictTransportSecurity("max-age=1;\(many)") != nil)
        #expect(StrictTransportSecurity("max-age=1;\(many);x7") == nil)
    }
}
