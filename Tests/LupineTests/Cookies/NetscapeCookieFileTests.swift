import FoundationEssentials
import Glibc
import LupineCore
import LupineTesting
import Testing

@testable import Lupine

@Suite struct NetscapeCookieFileTests {
    private static let now = Date(timeIntervalSince1970: 1_767_225_600)

    private static func read(_ text: String) -> [Cookie] {
        NetscapeCookieFile.cookies(in: Array(text.utf8), now: now)
    }

    @Test func everyField() throws {
        let cookies = Self.read(
            """
            # Netscape HTTP Cookie File
            # A comment.

            example.test\tFALSE\t/\tFALSE\t0\tsession\t1
            .example.test\tTRUE\t/a/b\tTRUE\t2147483648\tdomain\ta b=c
            #HttpOnly_www.example.test\tFALSE\t/\tFALSE\t0\tonly\t3
            #HttpOnly_.example.test\tTRUE\t/\tTRUE\t0\t__Secure-x\t4
            """)
        #expect(cookies.map(\.name) == ["session", "domain", "only", "__Secure-x"])
        #expect(cookies.map(\.isHTTPOnly) == [false, false, true, true])
        #expect(cookies.map(\.isHostOnly) == [true, false, true, false])
        let cookie = try #require(cookies.dropFirst().first)
        #expect(cookie.domain == "example.test")
        #expect(cookie.path == "/a/b")
        #expect(cookie.isSecure)
        #expect(cookie.expires == Date(timeIntervalSince1970: 2_147_483_648))
        #expect(cookie.value == "a b=c")
        #expect(cookie.sameSite == .unspecified)
        #expect(cookie.creationTime == Self.now)
        #expect(cookies.filter { $0.expires == nil }.count == 3)
    }

    /// Lines as other programs write them.
    @Test(arguments: [
        ("a.test\tFALSE\t/\tFALSE\t0\tn\tv\r\n", "n=v"),
        ("a.test\tfalse\t/\tFalse\t0\tn\tv", "n=v"),
        ("A.TEST\tFALSE\t/\tFALSE\t0\tn\tv", "n=v"),
        // The flag decides, not the dot.
        (".a.test\tFALSE\t/\tFALSE\t0\tn\tv", "n=v"),
        // A value that is empty, with its tab or without.
        ("a.test\tFALSE\t/\tFALSE\t0\tn\t", "n="),
        ("a.test\tFALSE\t/\tFALSE\t0\tn", "n="),
        // No path.
        ("a.test\tFALSE\tFALSE\t0\tn\tv", "n=v"),
        ("a.test\tFALSE\t\"/\"\tFALSE\t0\tn\tv", "n=v"),
        ("a.test\tFALSE\t\tFALSE\t0\tn\tv", "n=v"),
        // No end, as Python writes the session's.
        ("a.test\tFALSE\t/\tFALSE\t\tn\tv", "n=v"),
        // Only a value.
        ("a.test\tFALSE\t/\tFALSE\t0\t\tv", "v"),
        ("a.test\tFALSE\t/\tFALSE\t22147483647\tn\tv", "n=v"),
        ("a.test\tFALSE\t/\tFALSE\t99999999999999999999999\tn\tv", "n=v"),
        ("a.test\tFALSE\t/\tFALSE\t0\tn\t\u{E4}", "n=\u{E4}"),
    ])
    func oddLines(text: String, expected: String) {
        let shown = Self.read(text).map { $0.name.isEmpty ? $0.value : "\($0.name)=\($0.value)" }
        #expect(shown == [expected])
    }

    @Test(arguments: [
        "", "# a.test\tFALSE\t/\tFALSE\t0\tn\tv", "#HttpOnly_", "#HttpOnly_# a.test\tFALSE\t/\tFALSE\t0\tn\tv",
        "a.test FALSE / FALSE 0 n v", "a.test\tFALSE\t/\tFALSE\t0", "a.test\tFALSE\t/\tFALSE\t0\tn\tv\tmore",
        "a.test\tFALSE\t/\tFALSE\t0\t\tn\tv", "a.test\tMAYBE\t/\tFALSE\t0\tn\tv", "a.test\tFALSE\t/\t1\t0\tn\tv",
        "a.test\tFALSE\t/\tFALSE\tsoon\tn\tv", "a.test\tFALSE\t/\tFALSE\t-1\tn\tv",
        "a.test\tFALSE\t/\tFALSE\t1.5\tn\tv",
        "a.test\tFALSE\t/\tFALSE\t1\tn\tv", "a.test\tFALSE\t/\tFALSE\t1767225600\tn\tv",
        "\tFALSE\t/\tFALSE\t0\tn\tv", ".\tTRUE\t/\tFALSE\t0\tn\tv", "domain..tld\tFALSE\t/\tFALSE\t0\tn\tv",
        ".co.uk\tTRUE\t/\tFALSE\t0\tn\tv", "a.test\tFALSE\t/\tFALSE\t0\tn\tv\u{7}",
        "a.test\tFALSE\t/\tFALSE\t0\tn\0\tv",
        "a.test\tFALSE\t/\tFALSE\t0\t__Secure-n\tv", "a.test\tFALSE\t/\tFALSE\t0\t__host-n\tv",
        "a.test\tFALSE\t/\tFALSE\t0\t\t", "a.test\tFALSE\t/\tFALSE\t0\tn\tv; w=x", "Set-Cookie: a=b; Domain=a.test",
        "\u{FEFF}a.test", "a.test" + String(repeating: "\t", count: 100_000),
        "a.test\tFALSE\t/\tFALSE\t0\tn\t" + String(repeating: "v", count: 100_000),
    ])
    func linesThatArePassedOver(text: String) {
        // One that can be read still is.
        let cookies = Self.read("\(text)\nb.test\tFALSE\t/\tFALSE\t0\tx\ty\n")
        #expect(cookies.map(\.name) == ["x"])
    }

    @Test func writing() throws {
        let bytes = NetscapeCookieFile.bytes(of: [
            Cookie(name: "a", value: "1", domain: "example.test"),
            Cookie(
                name: "b", value: "2=", domain: "example.test", isHostOnly: false, path: "/x",
                expires: Date(timeIntervalSince1970: 1_999_999_999.9), isSecure: true, isHTTPOnly: true, sameSite: .lax),
            Cookie(name: "", value: "v", domain: "[::1]"),
            Cookie(name: "tab", value: "a\tb", domain: "example.test"),
        ])
        let text = String(decoding: bytes, as: UTF8.self)
        #expect(text.hasPrefix("# Netscape HTTP Cookie File\n"))
        let lines = text.split(separator: "\n").filter { !$0.hasPrefix("# ") }
        #expect(
            lines == [
                "example.test\tFALSE\t/\tFALSE\t0\ta\t1",
                "#HttpOnly_.example.test\tTRUE\t/x\tTRUE\t1999999999\tb\t2=",
                "::1\tFALSE\t/\tFALSE\t0\t\tv",
            ])
    }

    /// What is written is what is read, order included, but for what the format has no place for.
    @Test func thereAndBack() throws {
        let directory = try TemporaryDirectory()
        let path = directory.file("cookies.txt")
        let clock = TestDate()
        let storage = CookieStorage(clock)
        try storage.receive(
            "a=1; Max-Age=100", "b=2; Path=/x; HttpOnly", "__Host-c=3; Secure; Path=/", "d=4; Domain=example.test",
            "e", "f=6; SameSite=Lax; Max-Age=5", "g=\u{E4}", from: "https://www.example.test/")
        try storage.receive("h=8", from: "http://[::1]/")
        try storage.receive("i=9; Path=/", from: "http://b\u{FC}cher.example/")
        clock.advance(by: 10)
        try storage.save(netscapeFile: path)
        let loaded = CookieStorage(clock)
        try loaded.load(netscapeFile: path)
        let fields = { (cookie: Cookie) in
            "\(cookie.name) \(cookie.value) \(cookie.domain) \(cookie.isHostOnly) \(cookie.path) \(cookie.isSecure) "
                + "\(cookie.isHTTPOnly) \(cookie.expires?.timeIntervalSince1970 ?? 0)"
        }
        #expect(loaded.cookies.map(fields) == storage.cookies.map(fields))
        #expect(loaded.cookies.map(\.name) == ["a", "b", "__Host-c", "d", "", "g", "h", "i"])
    }

    @Test func loadingAdds() throws {
        let directory = try TemporaryDirectory()
        let path = try directory.write(
            "a.test\tFALSE\t/\tFALSE\t0\tn\tnew\na.test\tFALSE\t/\tFALSE\t0\tm\tv\n".utf8, to: "cookies.txt")
        let storage = CookieStorage()
        try storage.receive("n=old", "k=v", from: "http://a.test/")
        try storage.load(netscapeFile: path)
        #expect(try storage.header("http://a.test/") == "n=new; k=v; m=v")
    }

    private static func mode(_ path: String) throws -> mode_t {
        var status = stat()
        try #require(lstat(path, &status) == 0)
        return status.st_mode
    }

    @Test func theFileIsItsOwnersAndReplacedWhole() throws {
        let directory = try TemporaryDirectory()
        let path = try directory.write("old".utf8, to: "cookies.txt")
        chmod(path, 0o644)
        let storage = CookieStorage()
        try storage.receive("a=b", from: "http://a.test/")
        try storage.save(netscapeFile: path)
        #expect(try Self.mode(path) & 0o777 == 0o600)
        // A link stays one, and nothing is left beside the file.
        let link = directory.file("link")
        try #require(symlink("cookies.txt", link) == 0)
        try storage.receive("c=d", from: "http://a.test/")
        try storage.save(netscapeFile: link)
        #expect(try Self.mode(link) & S_IFMT == S_IFLNK)
        #expect(try String(contentsOfFile: path, encoding: .utf8).contains("c\td\n"))
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: directory.path).sorted() == ["cookies.txt", "link"])
    }

    @Test func whatGoesWrongSaysWhereAndWhy() throws {
        let directory = try TemporaryDirectory()
        let storage = CookieStorage()
        let missing = directory.file("none/cookies.txt")
        let reading = #expect(throws: LupineError.self) { try storage.load(netscapeFile: missing) }
        #expect(reading?.code == .fileFailed)
        #expect(reading?.message == "cannot read \"\(missing)\": No such file or directory")
        let writing = #expect(throws: LupineError.self) { try storage.save(netscapeFile: missing) }
        #expect(writing?.code == .fileFailed)
        #expect(writing?.message == "cannot write \"\(missing)\": No such file or directory")
        let folder = #expect(throws: LupineError.self) { try storage.save(netscapeFile: directory.path) }
        #expect(folder?.message == "cannot write \"\(directory.path)\": it is no regular file")
        #expect(throws: LupineError.self) { try storage.load(netscapeFile: directory.path) }
        // C would end the path at the NUL, and read another file.
        let cut = try directory.write("".utf8, to: "cookies.txt") + "\0.bak"
        #expect(throws: LupineError.self) { try storage.load(netscapeFile: cut) }
        #expect(throws: LupineError.self) { try storage.save(netscapeFile: cut) }
        try FileManager.default.removeItem(atPath: directory.file("cookies.txt"))
        // A device is not replaced by a file.
        #expect(throws: LupineError.self) { try storage.save(netscapeFile: "/dev/null") }
        #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path).isEmpty)
    }
}
