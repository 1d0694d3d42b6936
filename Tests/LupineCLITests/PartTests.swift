import LupineCore
import LupineSerialization
import LupineTesting
import Testing

@testable import LupineCLI

/// `-F`: multipart forms from the command line.
@Suite(.timeLimit(.minutes(1)))
struct PartTests {
    private func part(_ argument: String) throws -> RequestArguments.Part {
        guard case .request(let arguments) = try Invocation(["post", "http://h.test/", "-F", argument]) else {
            throw UsageError("no request")
        }
        return try #require(arguments.parts.first)
    }

    @Test(arguments: [
        ("a=b", RequestArguments.Part(name: "a", content: .text("b"))),
        ("a=", .init(name: "a", content: .text(""))),
        ("a=b=c;type=d/e;filename=f", .init(name: "a", content: .text("b=c;type=d/e;filename=f"))),
        ("a=@f", .init(name: "a", content: .file("f"))),
        ("a=@-", .init(name: "a", content: .standardInput)),
        ("a=@d/f;type=x/y", .init(name: "a", content: .file("d/f"), mimeType: "x/y")),
        ("a=@f;filename=n;m.txt", .init(name: "a", content: .file("f"), fileName: "n;m.txt")),
        (
            "a=@f;type=x/y; charset=z;filename=n",
            .init(name: "a", content: .file("f"), fileName: "n", mimeType: "x/y; charset=z")
        ),
        ("a=@f;filename=n;type=x/y", .init(name: "a", content: .file("f"), fileName: "n", mimeType: "x/y")),
        ("a=@f;g", .init(name: "a", content: .file("f;g"))),
        ("a=@-;filename=in.txt", .init(name: "a", content: .standardInput, fileName: "in.txt")),
        ("a=<f", .init(name: "a", content: .text("<f"))),
        ("ü\"[]=@f", .init(name: "ü\"[]", content: .file("f"))),
    ])
    func reading(_ argument: String, _ expected: RequestArguments.Part) throws {
        #expect(try part(argument) == expected)
    }

    @Test(arguments: [
        ["-F", "a"], ["-F", "=b"], ["-F", "a=@f;type=x;type=y"], ["-F", "a=@f;filename=x;filename=y"],
        ["-F", "a=1", "-d", "x"], ["-F", "a=1", "-f", "x=1"], ["-F", "a=1", "-j", "x=1"], ["-F", "a=@-", "-F", "b=@-"],
        ["-F", "a=1", "-H", "Content-Type: x/y"], ["-F", "a=1", "-H", "content-type:"],
        ["-F", "a=1", "--content-type", "x/y"],
    ])
    func usageErrors(_ words: [String]) async throws {
        let run = try await lupine(["post", "http://h.test/"] + words)
        #expect(run.status == 2)
        #expect(run.errors.hasPrefix("lupine: ") && run.errors.split(separator: "\n").count == 1)
    }

    @Test func partsAreSentInTheirOrder() async throws {
        let server = try LoopbackServer(handler: LoopbackServer.echo)
        let folder = try TemporaryDirectory()
        let file = try folder.write(Array("<svg/>".utf8), to: "my \"pic\".svg")
        let run = try await lupine(
            "post", server.url("/"), "-F", "z=1", "-F", "pic=@\(file)", "-F", "a=ü;type=x", "-F",
            "own=@\(file);type=a/b;filename=x.y")
        #expect(run.status == 0, "\(run.errors)")
        let request = try #require(server.requests.first)
        #expect(request.headers["Content-Length"] == "\(request.body.count)")
        #expect(
            try request.formParts().map { [$0.name, $0.fileName, $0.contentType, $0.text] } == [
                ["z", nil, nil, "1"], ["pic", "my \"pic\".svg", "image/svg+xml", "<svg/>"],
                ["a", nil, nil, "ü;type=x"],
                ["own", "x.y", "a/b", "<svg/>"],
            ])
    }

    @Test func standardInputIsStreamed() async throws {
        let server = try LoopbackServer(handler: LoopbackServer.echo)
        let run = try await lupine(
            "put", server.url("/"), "-F", "in=@-;type=text/plain", "-F", "b=2", input: "from a stream")
        #expect(run.status == 0, "\(run.errors)")
        let request = try #require(server.requests.first)
        #expect(request.headers["Transfer-Encoding"] == "chunked")
        #expect(
            try request.formParts().map { [$0.name, $0.fileName, $0.contentType, $0.text] } == [
                ["in", "-", "text/plain", "from a stream"], ["b", nil, nil, "2"],
            ])
    }

    @Test func faultsAreToldBeforeAnythingIsSent() async throws {
        let server = try LoopbackServer(handler: LoopbackServer.echo)
        let folder = try TemporaryDirectory()
        for (method, argument, status, code) in [
            ("post", "a=@\(folder.file("missing"))", 1, "upload-source-failed"),
            ("post", "a=@\(folder.path)", 1, "upload-source-failed"),
            ("post", "a=@/dev/null", 1, "upload-source-failed"),
            ("post", "a=@\(try folder.write([1], to: "f"));type=x\r\ny", 8, "request-serialization-failed"),
            ("get", "a=1", 2, "invalid-request"), ("head", "a=1", 2, "invalid-request"),
        ] {
            let run = try await lupine(method, server.url("/"), "-F", argument)
            #expect(run.status == Int32(status), "\(argument)")
            #expect(run.errors.hasPrefix("lupine: \(code): "), "\(run.errors)")
            #expect(run.errors.split(separator: "\n").count == 1)
        }
        #expect(server.connectionCount == 0)
    }

    @Test func asACurlCommand() async throws {
        let folder = try TemporaryDirectory()
        let file = try folder.write([1], to: "f.png")
        let run = try await lupine(
            "post", "http://h.test/", "--curl", "-F", "a=it's", "-F", "b=@\(file)", "-F", "c=@-;type=x/y")
        #expect(run.status == 0, "\(run.errors)")
        #expect(
            run.text.hasPrefix(
                #"curl --form-string 'a=it'\''s' --form 'b=@"\#(file)";type=image/png;filename="f.png"' "#))
        #expect(run.text.contains(" --form 'c=@-;type=x/y;filename=-' "))
        #expect(!run.text.contains("boundary"))
    }
}
