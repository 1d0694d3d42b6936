import FoundationEssentials
import Lupine
import Testing

/// curl's own tests of redirects, against the policy alone: the first request as curl sends it, the replies one after
/// another, and what curl sends then. Framing, connections and output are the engine's, and not looked at.
@Suite(.enabled(if: ConformanceCases.areThere, ConformanceCases.hint))
struct CurlRedirectConformanceTests {
    @Test func chains() throws {
        let all = try ["curl/curl-http-1.json", "curl/curl-http-2.json"].flatMap {
            try ConformanceCases.read($0, as: CurlRedirectCase.Table.self).cases
        }
        var comparison = Comparison("curl redirects")
        for testCase in all where testCase.area == "redirect" {
            guard let chain = testCase.chain else {
                comparison.skipped += 1
                continue
            }
            comparison.add(testCase.id, try Self.difference(of: chain, maximum: testCase.maximumRedirects))
        }
        comparison.conclude(
            known: Self.known + [
                KnownDifference(
                    "a name outside ASCII is made Punycode below the seam (RFC 5891 section 4.4): over connections it is",
                    ["curl-1448"])
            ])
    }

    private static func difference(of chain: CurlRedirectCase.Chain, maximum: Int) throws -> String? {
        var policy = RedirectPolicy()
        policy.maximumRedirects = maximum
        guard var request = try chain.requests.first?.request(isReadOnce: chain.isReadOnce) else {
            return "nothing is sent"
        }
        for number in chain.requests.indices {
            let answer = chain.replies[min(number, chain.replies.count - 1)]
            let expected = chain.requests.dropFirst(number + 1).first
            switch policy.step(after: answer, to: request, followed: number) {
            case .answer:
                if let expected { return "\(answer.status) is the answer, must be followed to \(expected.target)" }
                return chain.isGood ? nil : "\(answer.status) is the answer, must be refused"
            case .refuse(let error):
                if let expected { return "refused (\(error)), must be followed to \(expected.target)" }
                return chain.isGood ? "refused (\(error)), must be the answer" : nil
            case .follow(let next):
                let seen = CurlRedirectCase.Sent(next)
                guard seen == expected else {
                    return "followed to \(seen), must be \(expected.map { "\($0)" } ?? "the end")"
                }
                request = next
            }
        }
        return nil
    }

    /// Those over connections are the same.
    static let known = [
        KnownDifference(
            "a space in a query is %20: only forms write it as + (RFC 3986 section 2.1)", ["curl-40", "curl-663"]),
        KnownDifference("an empty reference is the same place (RFC 3986 section 4.4)", ["curl-54"]),
        KnownDifference(
            "none to follow makes the redirect the answer, for a program that looks at it (RFC 9110 section 15.4)",
            ["curl-274"]),
        KnownDifference(
            "after 302 only a POST becomes another method (RFC 9110 section 15.4.3)", ["curl-794", "curl-796"]),
        KnownDifference(
            "a server does not choose the credentials that it is sent (RFC 9110 section 4.2.4)", ["curl-899"]),
        KnownDifference("ftp is not spoken (RFC 9110 section 4.2)", ["curl-973"]),
        KnownDifference(
            "an empty host is none, and no slash is skipped to find one (RFC 9110 section 4.2.1)", ["curl-1141"]),
    ]
}
