import FoundationEssentials
import Glibc
import LupineCore
import LupineSerialization
import LupineTesting
import Testing

@testable import LupineCLI

/// Redirects, cookies and the curl command, as scripts see them.
@Suite(.timeLimit(.minutes(1)))
struct RedirectAndCookieTests {
    private func server() throws -> LoopbackServer {
        try LoopbackServer(
            handler: LoopbackServer.serving { request in
                switch request.path {
                case "/a":
                    LoopbackResponse(
                        status: 302, headers: ["Location": "/b?token=hunter2", "Set-Cookie": "c=1; Path=/"])
                case "/b": LoopbackResponse(status: 307, headers: ["Location": "/end"])
                case "/loop": LoopbackResponse(status: 302, headers: ["Location": "/loop"])
                case "/set":
                    .text("set", headers: ["Set-Cookie": "kept=yes; Path=/; Expires=Fri, 01 Jan 2100 00:00:00 GMT"])
                default: .text("\(request.method) \(request.headers["Cookie"] ?? "none")\n")
                }
            })
    }

    @Test func redirectsAreFollowedAndReported() async throws {
        let server = try server()
        let plain = try await lupine("post", server.url("/a"), "-d", "x")
        #expect(plain.status == 0)
        #expect(plain.text == "GET c=1\n")
        let report = try await lupine("get", server.url("/a"), "--report").report()
        #expect(report["url"] == JSONValue(server.url("/end")))
        #expect(report["redirects"] == [JSONValue(server.url("/a")), JSONValue(server.url("/b?token=<redacted>"))])
        #expect(report["request"]?["url"] == JSONValue(server.url("/a")))
        #expect(report["attempts"] == 1)
        #expect(report["status"] == 200)
    }

    @Test(arguments: [("0", 1, 302, "unacceptable-status"), ("1", 1, 307, "too-many-redirects")])
    func asManyAsAllowed(limit: String, status: Int32, code: Int, error: String) async throws {
        let server = try server()
        let run = try await lupine("get", server.url("/a"), "--max-redirects", limit, "--report")
        #expect(run.status == status)
        let report = try run.report()
        #expect(report["error"]?["code"] == JSONValue(error))
        #expect(report["status"] == JSONValue(code))
        #expect(report["redirects"] == (limit == "0" ? [] : [JSONValue(server.url("/a"))]))
        let accepted = try await lupine("get", server.url("/a"), "--max-redirects", "0", "--accept-status", "302")
        #expect(accepted.status == 0)
    }

    @Test func aLoopEnds() async throws {
        let server = try server()
        let run = try await lupine("get", server.url("/loop"), "--report")
        #expect(run.status == 1)
        #expect(try run.report()["error"]?["code"] == "too-many-redirects")
        #expect(server.requestCount == 21)
    }

    @Test(arguments: ["-1", "x", "", "1001"])
    func aLimitThatIsNone(_ text: String) async throws {
        let run = try await lupine("get", "http://h.test/", "--max-redirects", text)
        #expect(run.status == 2)
    }

    @Test func cookiesAreReadAndWritten() async throws {
        let server = try server()
        let folder = try TemporaryDirectory()
        let file = folder.file("cookies.txt")
        #expect(try await lupine("get", server.url("/show"), "--cookies", file).text == "GET none\n")
        #expect(try await lupine("get", server.url("/set"), "--cookies", file).status == 0)
        let text = String(decoding: try contents(of: file), as: UTF8.self)
        #expect(text.contains("127.0.0.1\tFALSE\t/\tFALSE\t"))
        #expect(text.contains("\tkept\tyes\n"))
        #expect(try await lupine("get", server.url("/show"), "--cookies", file).text == "GET kept=yes\n")
        #expect(try await lupine("get", server.url("/show")).text == "GET none\n")
        // What a server set before a failure is kept.
        #expect(try await lupine("get", server.url("/a"), "--cookies", file, "--max-redirects", "1").status == 1)
        #expect(try await lupine("get", server.url("/show"), "--cookies", file).text == "GET kept=yes; c=1\n")
        // Nobody else reads it.
        var status = stat()
        #expect(stat(file, &status) == 0 && status.st_mode & 0o777 == 0o600)
    }

    @Test func aCookieFileThatCannotBeRead() async throws {
        let server = try server()
        let folder = try TemporaryDirectory()
        let run = try await lupine("get", server.url("/show"), "--cookies", folder.path)
        #expect(run.status == 1)
        #expect(run.errors.hasPrefix("lupine: file-failed: "))
        #expect(server.requestCount == 0)
    }

    /// Told before anything is sent, once, and nothing is left behind.
    @Test(arguments: [
        "none/cookies.txt", "file/cookies.txt", "socket", "/dev/null", "/proc/lupine-cookies.txt", "none/",
        String(repeating: "n", count: 256),
    ])
    func aCookieFileThatCannotBeWritten(_ name: String) async throws {
        let server = try server()
        let folder = try TemporaryDirectory()
        _ = try folder.write("".utf8, to: "file")
        try #require(mkfifo(folder.file("socket"), 0o600) == 0)
        let path = name.hasPrefix("/") ? name : folder.file(name)
        let run = try await lupine(
            "get", server.url("/set"), "--cookies", path, "-o", folder.file("out"))
        #expect(run.status == 1)
        #expect(run.errors.hasPrefix("lupine: file-failed: cannot "), "\(run.errors)")
        #expect(run.errors.split(separator: "\n").count == 1)
        #expect(run.errors.contains(name.prefix(100)))
        #expect(server.requestCount == 0)
        #expect(try names(in: folder) == ["file", "socket"])
    }

    /// One that can be is not touched before there is something to write.
    @Test func aCookieFileIsOnlyReadAtFirst() async throws {
        let folder = try TemporaryDirectory()
        let text = "a.test\tFALSE\t/\tFALSE\t0\tn\tv\n# mine\n"
        let path = try folder.write(text.utf8, to: "cookies.txt")
        for file in [path, folder.file("new.txt")] {
            _ = try CookieFile(file)
            #expect(
                try await lupine("get", "http://h.test/", "--cookies", file, "--ca", folder.file("no.pem")).status == 1)
        }
        #expect(try names(in: folder) == ["cookies.txt"])
        #expect(String(decoding: try contents(of: path), as: UTF8.self) == text)
    }

    /// What stands before the fields. curl keeps a method that it is given over redirects, and a body not.
    @Test(arguments: [
        ("get http://h.test/", ""), ("head http://h.test/", "--head"), ("post http://h.test/", "--data-raw ''"),
        ("post http://h.test/ -d x", "--data-raw x"), ("post http://h.test/ -f a=b", "--data-raw a=b"),
        ("post http://h.test/ -d @-", "--data-binary @-"), ("delete http://h.test/", "--request DELETE"),
        ("put http://h.test/ -d x", "--request PUT --post301 --post302 --data-raw x"),
        ("put http://h.test/ -d x --max-redirects 0", "--request PUT --data-raw x"),
        ("get http://h.test/ -d x", "--request GET --post301 --post302 --post303 --data-raw x"),
        ("put http://h.test/a -d @-", "--upload-file -"),
        ("put http://h.test/a/ -d @-", "--request PUT --post301 --post302 --data-binary @-"),
    ])
    func curlsMethod(_ line: String, _ expected: String) async throws {
        let words = line.split(separator: " ").map(String.init)
        let run = try await lupine(words + ["--curl", "-H", "Accept: x"])
        let fields = try #require(run.text.firstRange(of: " --header "))
        #expect(run.text[..<fields.lowerBound] == (expected.isEmpty ? "curl" : "curl \(expected)"))
        // What curl says of a form's data by itself goes with the data.
        #expect(!run.text.contains("x-www-form-urlencoded"))
    }

    @Test(arguments: [
        ("c.txt", "--cookie c.txt --cookie-jar c.txt"), ("a=b.txt", "--cookie @a=b.txt --cookie-jar a=b.txt"),
        ("./a=b", "--cookie @./a=b --cookie-jar ./a=b"), ("@c", "--cookie @@c --cookie-jar @c"),
        ("-", "--cookie ./- --cookie-jar ./-"),
    ])
    func curlsCookieFile(_ file: String, _ expected: String) async throws {
        let run = try await lupine("get", "http://h.test/", "--curl", "--cookies", file)
        #expect(run.text.contains(" \(expected) "), "\(run.text)")
    }

    @Test func curlIsPrintedAndNothingSent() async throws {
        let server = try server()
        let run = try await lupine(
            "put", server.url("/a b"), "--curl", "-j", "it's=1", "--bearer", "hunter2", "-H", "Accept:", "-4")
        #expect(run.status == 0)
        #expect(server.connectionCount == 0)
        #expect(run.text.hasPrefix("curl --request PUT --post301 --post302 --data-raw '{\"it'\\''s\":\"1\"}' "))
        #expect(run.text.contains(" --header 'Authorization: Bearer hunter2' "))
        #expect(run.text.contains(" --header Accept: ") || run.text.contains(" --header 'Accept:' "))
        #expect(run.text.contains(" --ipv4 "))
        #expect(run.text.hasSuffix(" --url '\(server.url("/a%20b"))'\n"))
        #expect(run.errors.contains("secrets"))
    }
}

/// What `--curl` prints, run: curl has to send what the command would.
@Suite(.timeLimit(.minutes(1)))
struct LivePeerCurlTests {
    private static let lines: [[String]] = [
        ["get", "/a?b=c"], ["get", "/a", "-q", "x y=ü&z"], ["head", "/a"], ["delete", "/a"], ["options", "/a"],
        ["post", "/a"], ["post", "/a", "-f", "name=Ada Lovelace", "-f", "x='$HOME`"], ["put", "/a", "-j", "a:=[1,2]"],
        ["patch", "/a", "-d", "@not a file's \"name\"\n", "--content-type", "text/plain"], ["post", "/a", "-d", "x"],
        ["get", "/a", "-H", "X-Empty;", "-H", "Accept:", "-H", "User-Agent:", "-H", "X: a;b 'c' $d"],
        ["get", "/a", "-H", "Accept-Encoding: gzip"], ["get", "/a", "-H", "Accept-Encoding:"],
        ["request", "BREW", "/pot"], ["get", "/a", "--bearer", "t0k'en"], ["get", "/..%2f/{x}[1-3]/~!$&"],
        ["get", "/hop302"], ["post", "/hop302", "-d", "x"], ["post", "/hop307", "-j", "a=1"], ["post", "/hop301"],
        ["post", "/hop303"], ["post", "/hop302", "-f", "a=b"], ["post", "/hop307", "-f", "a=b"],
        ["put", "/hop301", "-j", "a=1"],
        ["put", "/hop302", "-d", "x"], ["patch", "/hop308", "-d", "x"], ["delete", "/hop302"], ["head", "/hop303"],
        ["get", "/hop301", "-d", "x"], ["get", "/hop303", "-d", "x"], ["get", "/a", "-d", ""],
        ["delete", "/hop301", "-d", "x"],
        ["put", "/a", "-d", "@FILE"], ["put", "/hop302", "-d", "@FILE"], ["put", "/hop303", "-d", "@FILE"],
        ["put", "/a/", "-d", "@FILE"], ["post", "/hop302", "-d", "@FILE"], ["get", "/a", "--cookies", "COOKIES"],
        ["post", "/a", "-F", "a=b;type=c/d", "-F", "q\"=@FORMFILE", "-F", "x='$HOME`"],
        ["put", "/a", "-F", "n=@FORMFILE;type=a/b;filename=my \"x\\y\".txt"], ["post", "/hop307", "-F", "f=@FORMFILE"],
        ["post", "/hop302", "-F", "a=b"], ["put", "/hop301", "-F", "a=b"],
    ]

    @Test(arguments: lines)
    func curlSendsTheSame(_ line: [String]) async throws {
        let server = try LoopbackServer(
            handler: LoopbackServer.serving { request in
                request.path.hasPrefix("/hop")
                    ? .redirect(to: "/end", status: HTTPStatus(rawValue: Int(request.path.suffix(3)) ?? 0)) : .text("")
            })
        var words = line
        let target = words.firstIndex { $0.hasPrefix("/") } ?? 1
        words[target] = server.url(words[target])
        let folder = try TemporaryDirectory()
        let file = try folder.write("of a file".utf8, to: "a file")
        let cookies = try folder.write("127.0.0.1\tFALSE\t/\tFALSE\t0\tn\tv\n".utf8, to: "a=b.txt")
        let formFile = try folder.write("a\r\nfile".utf8, to: "my \"note\".txt")
        words = words.map { word in
            switch word {
            case _ where word.contains("FORMFILE"): word.replacing("FORMFILE", with: formFile)
            case "@FILE": "@\(file)"
            case "COOKIES": cookies
            // `@…` of the case is text, not a file.
            default: word.hasPrefix("@") ? " \(word)" : word
            }
        }
        words.append("--no-proxy")
        #expect(try await lupine(words).status == 0)
        let own = server.requests.map(Self.shape)
        let printed = try await lupine(words + ["--curl"])
        #expect(printed.status == 0)
        let status = "\(printed.text.trimmingSuffix { $0 == "\n" }) --silent --output /dev/null".withCString {
            system($0)
        }
        #expect(status == 0)
        #expect(server.requests.dropFirst(own.count).map(Self.shape) == own, "\(printed.text)")
    }

    private static func shape(_ request: RecordedRequest) -> [String] {
        guard let parts = try? request.formParts() else {
            return [request.method.rawValue, request.target, request.text]
                + request.headers.map { "\($0.name): \($0.value)" }.sorted()
        }
        // Boundaries differ, and with them the lengths.
        return [request.method.rawValue, request.target] + parts.map { "\($0.headers)\n\n\($0.text)" }
            + request.headers.filter { !["Content-Type", "Content-Length"].contains($0.name) }
            .map { "\($0.name): \($0.value)" }.sorted()
    }
}

extension String {
    fileprivate func trimmingSuffix(_ isTrimmed: (Character) -> Bool) -> Substring {
        var end = endIndex
        while end > startIndex, isTrimmed(self[index(before: end)]) { end = index(before: end) }
        return self[..<end]
    }
}
