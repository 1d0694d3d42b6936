import LupineCore
import LupineSerialization
import LupineTesting
import Testing

@testable import LupineCLI

/// What the command sends, and what it makes of the answer.
@Suite(.timeLimit(.minutes(1)))
struct RequestTests {
    let server: LoopbackServer

    init() throws { server = try LoopbackServer(handler: LoopbackServer.echo) }

    /// Runs a command line and gives what the server saw of it.
    private func echo(_ words: String..., input: String = "") async throws -> JSONValue {
        let run = try await lupine(words, input: input)
        #expect(run.status == 0, "\(run.errors)")
        return try run.report()
    }

    private func field(_ name: String, of echo: JSONValue) -> [String] {
        (echo["headers"]?.arrayValue ?? []).compactMap { pair in
            pair[0]?.stringValue?.equalsIgnoringASCIICase(name) == true ? pair[1]?.stringValue : nil
        }
    }

    @Test(arguments: ["get", "post", "put", "patch", "delete", "options"])
    func methods(command: String) async throws {
        let echo = try await echo(command, server.url("/"))
        #expect(echo["method"]?.stringValue == command.uppercased())
    }

    @Test func anyMethod() async throws {
        #expect(try await echo("request", "PROPFIND", server.url("/"))["method"] == "PROPFIND")
        let run = try await lupine("request", "BAD METHOD", server.url("/"))
        #expect(run.status == 2)
        #expect(run.errors.hasPrefix("lupine: invalid-request: "))
    }

    @Test func fieldsAreAddedReplacedAndRemoved() async throws {
        let echo = try await echo(
            "get", server.url("/"), "-H", "X-A: 1", "-H", "X-A: 2", "-H", "accept: text/plain", "-H", "User-Agent:",
            "-H",
            "X-Empty;")
        #expect(field("X-A", of: echo) == ["1", "2"])
        #expect(field("Accept", of: echo) == ["text/plain"])
        #expect(field("User-Agent", of: echo) == [])
        #expect(field("X-Empty", of: echo) == [""])
        #expect(field("Accept-Encoding", of: echo) == ["gzip, deflate, br, zstd"])
    }

    @Test func acceptEncodingCanBeLeftOut() async throws {
        let echo = try await echo("get", server.url("/"), "-H", "Accept-Encoding:")
        #expect(field("Accept-Encoding", of: echo) == [])
    }

    @Test func queryAndForm() async throws {
        let get = try await echo("get", server.url("/p?a=1"), "-q", "b=ü x", "-f", "c=3", "-q", "b=2")
        #expect(get["target"] == "/p?a=1&b=%C3%BC%20x&b=2&c=3")
        let post = try await echo("post", server.url("/p"), "-q", "a=1", "-f", "b=x y", "-f", "b=&")
        #expect(post["target"] == "/p?a=1")
        #expect(post["body"] == "b=x%20y&b=%26")
        #expect(field("Content-Type", of: post) == ["application/x-www-form-urlencoded"])
    }

    @Test func jsonBody() async throws {
        let echo = try await echo("post", server.url("/"), "-j", "title=Hi", "-j", "tags:=[1, 2.50]")
        #expect(echo["body"] == #"{"title":"Hi","tags":[1,2.50]}"#)
        #expect(field("Content-Type", of: echo) == ["application/json"])
        let bare = try await self.echo("post", server.url("/"), "-j", "a=1", "-H", "Content-Type:")
        #expect(field("Content-Type", of: bare) == [])
    }

    @Test func rawBodies() async throws {
        let folder = try TemporaryDirectory()
        let file = try folder.write(Array("from a file".utf8), to: "body")
        let text = try await echo("post", server.url("/"), "-d", "a text", "--content-type", "text/plain")
        #expect(text["body"] == "a text")
        #expect(field("Content-Type", of: text) == ["text/plain"])
        let fromFile = try await echo("put", server.url("/"), "-d", "@\(file)")
        #expect(fromFile["body"] == "from a file")
        #expect(field("Content-Length", of: fromFile) == ["11"])
        let streamed = try await echo("put", server.url("/"), "-d", "@-", input: "from a stream")
        #expect(streamed["body"] == "from a stream")
        #expect(field("Transfer-Encoding", of: streamed) == ["chunked"])
        let missing = try await lupine("put", server.url("/"), "-d", "@\(folder.file("missing"))")
        #expect(missing.status == 1)
        #expect(missing.errors.hasPrefix("lupine: upload-source-failed: "))
    }

    /// What is no regular file is a stream, and a command has one way to give that.
    @Test func filesThatMustBeStreamed() async throws {
        for path in ["/dev/null", "/proc/self/status"] {
            for option in [["-d", "@\(path)"], ["-F", "f=@\(path)"]] {
                let run = try await lupine(["put", "http://h.test/"] + option)
                #expect(run.status == 1)
                #expect(run.errors.hasPrefix("lupine: upload-source-failed: \"\(path)\" is "))
                #expect(run.errors.hasSuffix("; @- reads standard input\n"))
            }
        }
    }

    @Test func credentials() async throws {
        let basic = try await echo("get", server.url("/"), "--user", "ada:a:b", "--auth", "basic")
        #expect(field("Authorization", of: basic) == ["Basic YWRhOmE6Yg=="])
        let bearer = try await echo("get", server.url("/"), "--bearer", "t0ken")
        #expect(field("Authorization", of: bearer) == ["Bearer t0ken"])
    }

    @Test func headBeforeBody() async throws {
        let server = try LoopbackServer(
            handler: LoopbackServer.routes(["/": .text("body", headers: ["Set-Cookie": "a=1"])]))
        let run = try await lupine("get", server.url("/"), "-i")
        #expect(run.text.hasPrefix("HTTP/1.1 200 OK\r\nSet-Cookie: a=1\r\n"))
        #expect(run.text.hasSuffix("\r\n\r\nbody"))
    }

    @Test(arguments: [(404, 4), (500, 5), (302, 1)])
    func errorStatusesDeliverTheirBody(status: Int, exit: Int32) async throws {
        let server = try LoopbackServer(
            handler: LoopbackServer.routes(["/": .text("why", status: HTTPStatus(rawValue: status))]))
        let run = try await lupine("get", server.url("/"))
        #expect(run.status == exit)
        #expect(run.text == "why")
        #expect(run.errors.hasPrefix("lupine: unacceptable-status: 127.0.0.1 answered \(status)"))
        #expect(run.errors.split(separator: "\n").count == 1)
        #expect(try await lupine("get", server.url("/"), "--accept-status", "\(status)").status == 0)
    }

    @Test func timeouts() async throws {
        let silent = try LoopbackServer { try $0.stall() }
        for option in ["--timeout", "--total-timeout"] {
            let run = try await lupine("get", silent.url("/"), option, "0.05")
            #expect(run.status == 6)
            #expect(run.errors.hasPrefix("lupine: timed-out: "))
        }
    }

    @Test func routes() async throws {
        let elsewhere = try await echo(
            "get", "http://elsewhere.test:1/", "--connect-to", "elsewhere.test:1:127.0.0.1:\(server.port)")
        #expect(field("Host", of: elsewhere) == ["elsewhere.test:1"])
        let folder = try TemporaryDirectory()
        let unix = try LoopbackServer(on: .unix(folder.file("socket")), handler: LoopbackServer.echo)
        #expect(try await echo("get", unix.url("/u"), "--unix-socket", folder.file("socket"))["target"] == "/u")
        let proxied = try await echo("get", "http://far.test/", "--proxy", server.url("/"))
        #expect(proxied["target"] == "http://far.test/")
    }

    @Test(arguments: [false, true])
    func roots(isDER: Bool) async throws {
        let authority = try TestCertificateAuthority()
        let secure = try LoopbackServer(tls: authority.issue(), handler: LoopbackServer.echo)
        let folder = try TemporaryDirectory()
        let file = folder.file("roots")
        if isDER { try authority.certificate.writeDER(to: file) } else { try authority.certificate.writePEM(to: file) }
        #expect(try await echo("get", secure.url("/"), "--ca", file)["method"] == "GET")
        let untrusting = try await lupine("get", secure.url("/"))
        #expect(untrusting.status == 3)
        #expect(untrusting.errors.hasPrefix("lupine: trust-rejected: "))
        let noRoots = try folder.write(Array("nothing".utf8), to: "none")
        #expect(try await lupine("get", secure.url("/"), "--ca", noRoots).errors.hasPrefix("lupine: file-failed: "))
    }

    @Test func aLargeBodyComesWhole() async throws {
        let size = 5 << 20
        let server = try LoopbackServer(
            handler: LoopbackServer.routes(["/": .bytes([UInt8](repeating: 7, count: size), type: "a/b")]))
        let run = try await lupine("get", server.url("/"))
        #expect(run.output.count == size)
    }
}
