import FoundationEssentials
import Testing

@testable import Lupine

/// The public suffix list's own table: the registrable domain of a host, or none.
@Suite(.enabled(if: ConformanceCases.areThere, ConformanceCases.hint))
struct PublicSuffixConformanceTests {
    @Test func registrableDomains() throws {
        let directory = try #require(ConformanceCases.directory)
        let text = try String(contentsOf: URL(filePath: directory).appending(path: "psl/tests.txt"), encoding: .utf8)
        var comparison = Comparison("public suffixes")
        for line in text.split(separator: "\n") where !line.hasPrefix("//") {
            let words = line.split(separator: " ").map(String.init)
            guard words.count == 2, words[0] != "null" else { continue }
            let found = HostName.canonical(words[0]).flatMap { PublicSuffixList.registrableDomain(of: $0) }
            let expected = words[1] == "null" ? nil : HostName.canonical(words[1])
            comparison.add(
                words[0],
                found == expected ? nil : "is \(found ?? "none"), in the table \(expected ?? "none")")
        }
        comparison.conclude()
    }
}
