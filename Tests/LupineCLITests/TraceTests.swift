import LupineCore
import LupineTesting
import Testing

@testable import LupineCLI

@Suite(.timeLimit(.minutes(1)))
struct TraceTests {
    private func server() throws -> LoopbackServer {
        try LoopbackServer { connection in
            _ = try connection.readRequest()
            try connection.send("HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n")
            try connection.send("HTTP/1.1 200 OK\r\nSet-Cookie: sid=hunter2\r\nTransfer-Encoding: chunked\r\n\r\n")
            try connection.sendChunk("body")
            try connection.endChunks(trailers: ["X-Sum": "1"])
        }
    }

    @Test func everyEventIsTold() async throws {
        let server = try server()
        let run = try await lupine("post", server.url("/p?q=1"), "-d", "abc", "-v", "-H", "X: y")
        #expect(run.status == 0)
        #expect(run.text == "body")
        let lines = run.errors.split(separator: "\n").map(String.init)
        for line in [
            "> POST /p?q=1", "> X: y", "< HTTP/1.1 103 Early Hints", "< Link: </a>", "< HTTP/1.1 200 OK", "< X-Sum: 1",
            "* received 4 body bytes, 4 in all",
        ] {
            #expect(lines.contains(line), "\(line)")
        }
        #expect(lines.last?.hasPrefix("* done (127.0.0.1:\(server.port)") == true)
    }

    @Test(arguments: [false, true])
    func secretsAreRedactedUnlessAskedFor(shows: Bool) async throws {
        let server = try server()
        var words = [
            "get", server.url("/"), "-v", "--user", "ada:hunter2", "--auth", "basic", "-H", "Cookie: c=hunter2",
        ]
        if shows { words.append("--show-secrets") }
        let run = try await lupine(words)
        #expect(run.errors.contains("hunter2") == shows)
        #expect(run.errors.contains("YWRhOmh1bnRlcjI=") == shows)
        #expect(run.errors.contains("> Cookie: <redacted>") != shows)
        #expect(run.errors.contains("> Authorization: <redacted>") != shows)
        #expect(run.errors.contains("< Set-Cookie: <redacted>") != shows)
    }

    @Test(arguments: [false, true])
    func secretsOfAQueryAreRedactedUnlessAskedFor(shows: Bool) async throws {
        let server = try LoopbackServer(
            handler: LoopbackServer.serving { _ in LoopbackResponse(headers: ["Content-Location": "/?sig=hunter2"]) })
        let target = "/p?q=1&access_token=hunter2&Api_Key=hunter2&key=hunter2&monkey=5&token&X-Amz-Signature=hunter2"
        for option in ["-v", "--report"] {
            let run = try await lupine(["get", server.url(target), option] + (shows ? ["--show-secrets"] : []))
            let shown = option == "-v" ? run.errors : run.text
            // A response's fields are shown in the report as they came.
            let count = shown.ranges(of: "hunter2").count
            #expect(count == (shows ? (option == "-v" ? 5 : 9) : (option == "-v" ? 0 : 1)), "\(shown)")
            #expect(shown.contains("q=1") && shown.contains("monkey=5"))
        }
        #expect(server.requests.map(\.target) == [target, target])
    }

    /// Of a place that a server names too.
    @Test func secretsOfALocationAreRedacted() async throws {
        let server = try LoopbackServer(
            handler: LoopbackServer.serving { request in
                request.path == "/"
                    ? .redirect(
                        to:
                            "http://ada:hunter2@127.0.0.1:\(request.headers["Host"]?.split(separator: ":").last ?? "")/x?a=1&token=hunter2#b=2&access_token=hunter2"
                    )
                    : .text("")
            })
        let run = try await lupine("get", server.url("/"), "-v")
        #expect(run.status == 0)
        #expect(!run.errors.contains("hunter2"))
        #expect(run.errors.contains("/x?a=1&token=<redacted>#b=2&access_token=<redacted>"))
    }

    /// Of URLs in any field, wherever in them a secret stands.
    @Test(arguments: [
        (
            "Refresh", "0; url=http://ada:hunter2@h.test/?q=1&token=hunter2",
            "0; url=http://<redacted>@h.test/?q=1&token=<redacted>"
        ),
        (
            "Link", "<http://h.test/?sid=hunter2>; rel=next, <//ada:hunter2@h.test/a?b=c>; rel=prev",
            "<http://h.test/?sid=<redacted>>; rel=next, <//<redacted>@h.test/a?b=c>; rel=prev"
        ),
        ("Location", "/a;jsessionid=hunter2/b?c=d", "/a;jsessionid=<redacted>/b?c=d"),
        ("Location", "/a?token=hunter2?hunter2&c=d", "/a?token=<redacted>?&c=d"),
        ("Location", "/cb?code=hunter2&state=x", "/cb?code=<redacted>&state=x"),
        ("Location", "/#/cb?access_token=hunter2", "/#/cb?access_token=<redacted>"),
        ("X-Note", "a/b;c=d, e@f//g?h", "a/b;c=d, e@f//g?h"), ("Server", "Apache/2.4 (Unix)", "Apache/2.4 (Unix)"),
    ])
    func secretsOfURLsAreRedacted(_ name: String, _ value: String, _ shown: String) async throws {
        let server = try LoopbackServer(
            handler: LoopbackServer.serving { _ in .text("", headers: [name: value]) })
        let run = try await lupine("get", server.url("/"), "-v")
        #expect(!run.errors.contains("hunter2"))
        #expect(run.errors.contains("< \(name): \(shown)\n"), "\(run.errors)")
    }

    @Test func credentialsOfTheURLAreNotShown() async throws {
        let server = try server()
        let url = "http://ada:hunter2@127.0.0.1:\(server.port)/"
        let run = try await lupine("get", url, "-v", "--report")
        #expect(run.status == 0)
        #expect(!run.errors.contains("hunter2"))
        #expect(!run.text.contains("ada:hunter2"))
        #expect(!run.text.contains("YWRhOmh1bnRlcjI="))
    }

    @Test func aTerminalIsNotMadeToObey() async throws {
        let server = try LoopbackServer { connection in
            _ = try connection.readRequest()
            try connection.send("HTTP/1.1 404 No\r\nX: a\u{1B}[31mb\r\nContent-Length: 0\r\n\r\n")
        }
        let run = try await lupine("get", server.url("/"), "-v")
        #expect(!run.errors.contains("\u{1B}"))
    }
}
