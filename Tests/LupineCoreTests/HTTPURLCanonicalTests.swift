import Testing

@testable import LupineCore

/// The short way for texts that are canonical already must agree with the parser on every text that it takes.
@Suite struct HTTPURLCanonicalTests {
    private static let taken = [
        "http://example.com/", "https://example.com/a/b?c=d&e", "http://a-b.example.co/x.y/z..w?q",
        "http://127.0.0.1:8080/1k", "http://0.0.0.0/", "http://255.255.255.255:1/", "https://h:65535/;p=1?a=b?c/d",
        "http://1a.b2/", "http://h/?", "https://h:80/", "http://h:443/",
    ]

    private static let left = [
        "", "http://", "http:///", "http://h", "HTTP://h/", "http://H/", "http://h:/", "http://h:80/", "https://h:443/",
        "http://h:0/", "http://h:080/", "http://h:65536/", "http://h:1x/", "http://u@h/", "http://h/#f", "http://h/ b",
        "http://h/%41",
        "http://h/./a", "http://h/../a", "http://h/a/.", "http://h/.a", "http://h./", "http://.h/", "http://a..b/",
        "http://127.1/",
        "http://1.2.3.256/", "http://1.2.3.04/", "http://1.2.3.4.5/", "http://1.2.3/", "http://1.2.3.0x4/",
        "http://[::1]/",
        "http://h_x/", "http://é/", "http://h/é", "http://h/\\", "http://h?q", "http://h/\n", "ftp://h/",
        "http://h/a?b#c", "http://h/\"",
    ]

    @Test(arguments: taken)
    func agreesWithTheParser(text: String) throws {
        let offsets = try #require(HTTPURLOffsets(canonical: text))
        var parser = HTTPURLParser()
        try parser.read(text)
        #expect(String(decoding: parser.output, as: UTF8.self) == text)
        #expect(parser.offsets == offsets)
        #expect(parser.userinfo == nil)
        #expect(parser.fragment == nil)
    }

    @Test(arguments: left)
    func leavesTheRestToTheParser(text: String) { #expect(HTTPURLOffsets(canonical: text) == nil) }

    /// Random texts over the bytes that matter, from a fixed seed: whatever is taken, the parser reads the same.
    @Test func agreesOnRandomTexts() {
        var state: UInt64 = 7
        func random(_ bound: Int) -> Int {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int((state >> 33) % UInt64(bound))
        }
        let pieces = [
            "a", "0", "1", "25", "x", ".", "..", "/", ":", "?", "#", "@", "%", "%2e", "-", "_", "80", "h", " ", "A",
        ]
        var takenCount = 0
        for _ in 0..<30_000 {
            let text =
                (random(2) == 0 ? "http://" : "https://")
                + (0..<random(9)).map { _ in pieces[random(pieces.count)] }.joined()
            guard let offsets = HTTPURLOffsets(canonical: text) else { continue }
            takenCount += 1
            var parser = HTTPURLParser()
            do {
                try parser.read(text)
                if String(decoding: parser.output, as: UTF8.self) != text || parser.offsets != offsets {
                    Issue.record("\(text) reads otherwise")
                }
            } catch {
                Issue.record("\(text) is taken, and cannot be read")
            }
        }
        #expect(takenCount > 50, "the texts must reach the short way")
    }
}
