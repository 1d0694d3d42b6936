import FoundationEssentials
import LupineCore
import LupineSerialization
import LupineTesting
import Testing

@testable import LupineCLI

@Suite(.timeLimit(.minutes(1)))
struct ReportTests {
    private static let members = [
        "ok", "error", "attempts", "request", "url", "redirects", "status", "http_version", "headers", "body",
        "body_base64", "body_bytes", "decoded", "file", "metrics",
    ]
    private static let metrics = [
        "name_lookup_s", "connect_s", "tls_s", "first_byte_s", "total_s", "sent_bytes", "received_bytes",
        "reused_connection", "remote_address",
    ]

    @Test func theWholeShape() async throws {
        let server = try LoopbackServer(
            handler: LoopbackServer.serving { _ in
                var answer = LoopbackResponse.text("hällo")
                answer.headers.add(name: "Set-Cookie", value: "a=1")
                answer.headers.add(name: "Set-Cookie", value: "b=2")
                return answer
            })
        let run = try await lupine(
            "post", server.url("/p"), "-d", "abc", "--report", "-H", "X: y", "--bearer", "s3cret")
        #expect(run.status == 0)
        #expect(!run.text.contains("s3cret"))
        let report = try run.report()
        #expect(report.objectValue?.names == Self.members)
        #expect(report["ok"] == true)
        #expect(report["error"] == .null)
        #expect(report["attempts"] == 1)
        #expect(report["request"]?.objectValue?.names == ["method", "url", "headers"])
        #expect(report["request"]?["method"] == "POST")
        #expect(report["request"]?["url"]?.stringValue == server.url("/p"))
        let sent = report["request"]?["headers"]?.arrayValue ?? []
        #expect(sent.contains(["X", "y"]))
        #expect(sent.contains(["Authorization", "<redacted>"]))
        #expect(sent.contains(["Accept-Encoding", "gzip, deflate, br, zstd"]))
        #expect(report["url"]?.stringValue == server.url("/p"))
        #expect(report["redirects"] == [])
        #expect(report["status"] == 200)
        #expect(report["http_version"] == "1.1")
        let received = report["headers"]?.arrayValue ?? []
        #expect(received.filter { $0[0] == "Set-Cookie" } == [["Set-Cookie", "a=1"], ["Set-Cookie", "b=2"]])
        #expect(report["body"] == "hällo")
        #expect(report["body_base64"] == .null)
        #expect(report["body_bytes"] == 6)
        #expect(report["decoded"] == .null)
        #expect(report["file"] == .null)
        #expect(report["metrics"]?.objectValue?.names == Self.metrics)
        #expect(report["metrics"]?["sent_bytes"] == 3)
        #expect(report["metrics"]?["received_bytes"] == 6)
        #expect(report["metrics"]?["reused_connection"] == false)
        #expect(report["metrics"]?["remote_address"]?.stringValue == "127.0.0.1:\(server.port)")
        #expect((report["metrics"]?["total_s"]?.doubleValue ?? 0) > 0)
    }

    @Test func secretsOnRequest() async throws {
        let server = try LoopbackServer(handler: LoopbackServer.echo)
        let run = try await lupine("get", server.url("/"), "--report", "--bearer", "s3cret", "--show-secrets")
        #expect(
            try run.report()["request"]?["headers"]?.arrayValue?.contains(["Authorization", "Bearer s3cret"]) == true)
    }

    @Test func bytesAreBase64() async throws {
        let server = try LoopbackServer(handler: LoopbackServer.routes(["/": .bytes([0xFF, 0x00])]))
        let report = try await lupine("get", server.url("/"), "--report").report()
        #expect(report["body"] == .null)
        #expect(report["body_base64"] == "/wA=")
        #expect(report["body_bytes"] == 2)
    }

    @Test func decodedJSON() async throws {
        let server = try LoopbackServer(handler: LoopbackServer.routes(["/": .json(#"{"n": 1.10}"#)]))
        let report = try await lupine("get", server.url("/"), "--report", "--decode", "json").report()
        #expect(report["decoded"]?["n"]?.numberValue?.literal == "1.10")
        #expect(report["body"] == #"{"n": 1.10}"#)
    }

    @Test func aFileIsNamed() async throws {
        let server = try LoopbackServer(handler: LoopbackServer.routes(["/": .text("abc")]))
        let folder = try TemporaryDirectory()
        let path = folder.file("f")
        let report = try await lupine("get", server.url("/"), "--report", "-o", path).report()
        #expect(report["file"]?.stringValue == path)
        #expect(report["body"] == .null)
        #expect(report["body_bytes"] == 3)
        #expect(try contents(of: path) == Data("abc".utf8))
    }

    @Test func aFailureKeepsWhatCame() async throws {
        let server = try LoopbackServer { connection in
            _ = try connection.readRequest()
            try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf")
        }
        let run = try await lupine("get", server.url("/"), "--report")
        #expect(run.status == 7)
        let report = try run.report()
        #expect(report.objectValue?.names == Self.members)
        #expect(report["ok"] == false)
        #expect(report["error"]?["code"] == "incomplete-body")
        #expect(report["error"]?["message"]?.stringValue?.isEmpty == false)
        #expect(report["status"] == 200)
        #expect(report["headers"] == [["Content-Length", "10"]])
        #expect(report["body"] == "half")
        #expect(report["metrics"]?["received_bytes"] == 4)
    }

    @Test func anErrorStatusKeepsItsBody() async throws {
        let server = try LoopbackServer(handler: LoopbackServer.routes(["/": .text("why", status: 503)]))
        let run = try await lupine("get", server.url("/"), "--report")
        #expect(run.status == 5)
        let report = try run.report()
        #expect(report["error"]?["code"] == "unacceptable-status")
        #expect(report["body"] == "why")
        #expect(report["metrics"]?.isNull == false)
    }

    @Test(arguments: ["ftp://ada:hunter2@h.test/", "http://ada:hunter2@", "ada:hunter2@h.test"])
    func whatCannotBeSentIsReportedToo(url: String) async throws {
        let run = try await lupine("get", url, "--report")
        #expect(run.status == 1)
        let report = try run.report()
        #expect(report["error"]?["code"] == "invalid-url")
        #expect(report["status"] == .null)
        #expect(report["headers"] == [])
        #expect(!run.text.contains("hunter2"))
        #expect(!run.errors.contains("hunter2"))
    }
}
