import FoundationEssentials
import Lupine
import LupineCore
import LupineTesting
import Testing

@testable import LupineCLI

/// `--retry`.
@Suite(.timeLimit(.minutes(2)))
struct RetryTests {
    /// Answers with these, then fine.
    private func server(_ failures: [LoopbackResponse]) throws -> LoopbackServer {
        let left = Lock(failures[...])
        return try LoopbackServer(
            handler: LoopbackServer.serving { request in
                left.withLock { $0.popFirst() } ?? .text("fine after \(request.method)")
            })
    }

    @Test func aServerThatFailsTwice() async throws {
        let server = try server([.text("a", status: 503), .text("b", status: 429)])
        let run = try await lupine("get", server.url("/"), "--retry", "2", "--no-proxy", "-v")
        #expect(run.status == 0, "\(run.errors)")
        #expect(run.output == Data("fine after GET".utf8))
        #expect(server.requestCount == 3)
        #expect(run.errors.components(separatedBy: "; again in ").count == 3)
    }

    @Test func attemptsAreReported() async throws {
        for (failures, retries, ok) in [(1, "5", true), (3, "1", false)] {
            let server = try server([LoopbackResponse](repeating: .text("busy", status: 503), count: failures))
            let run = try await lupine("get", server.url("/"), "--retry", retries, "--no-proxy", "--report")
            let report = try run.report()
            #expect(report["ok"] == JSONValue(ok))
            #expect(report["attempts"] == 2)
            #expect(report["status"] == (ok ? 200 : 503))
            #expect(report["body"] == (ok ? "fine after GET" : "busy"))
            #expect(run.status == (ok ? 0 : 5))
        }
    }

    /// Nothing listens there: as many tries as asked, told in the report.
    @Test func attemptsInVainAreReportedToo() async throws {
        let port = try LoopbackServer { _ in }.port
        let run = try await lupine(
            "get", "http://127.0.0.1:\(port)/", "--retry", "1", "--no-proxy", "--report")
        #expect(run.status == 1)
        let report = try run.report()
        #expect(report["attempts"] == 2)
        #expect(report["error"]?["code"] == "could-not-connect")
    }

    @Test func bodiesThatWereCutAreFetchedAgain() async throws {
        let first = Lock(true)
        let server = try LoopbackServer { connection in
            _ = try connection.readRequest()
            let isFirst = first.withLock { isFirst in
                defer { isFirst = false }
                return isFirst
            }
            try connection.sendHead(headers: ["Content-Length": "6"])
            try connection.send(Array((isFirst ? "wro" : "rights").utf8))
        }
        let run = try await lupine("get", server.url("/"), "--retry", "1", "--no-proxy")
        #expect(run.status == 0 && run.output == Data("rights".utf8), "\(run.errors)")
    }

    @Test(arguments: [["post", "-d", "x"], ["patch", "-d", "x"]])
    func whatIsNotIdempotentIsSentOnce(words: [String]) async throws {
        let server = try server([.text("busy", status: 503)])
        let run = try await lupine([words[0], server.url("/"), "--retry", "3", "--no-proxy"] + words[1...])
        #expect(run.status == 5 && server.requestCount == 1)
        #expect(run.output == Data("busy".utf8))
    }

    @Test func whatIsAcceptedIsNoFailure() async throws {
        let server = try server([.text("busy", status: 503)])
        let run = try await lupine(
            "get", server.url("/"), "--retry", "3", "--no-proxy", "--accept-status", "200-299,500-599")
        #expect(run.status == 0 && server.requestCount == 1)
        #expect(run.output == Data("busy".utf8))
    }

    /// A wait that is too long, or outlasts the limit in all: the answer at once.
    @Test(arguments: [["61"], ["20", "--total-timeout", "19"]])
    func waitsThatAreTooLong(words: [String]) async throws {
        let server = try server([
            LoopbackResponse(status: 503, headers: ["Retry-After": words[0]], body: Array("busy".utf8))
        ])
        let run = try await lupine(["get", server.url("/"), "--retry", "3", "--no-proxy"] + words[1...])
        #expect(run.status == 5 && server.requestCount == 1)
    }

    @Test func theFileHoldsTheWholeAnswer() async throws {
        let server = try server([.text("busy", status: 503)]), folder = try TemporaryDirectory()
        let run = try await lupine("get", server.url("/"), "--retry", "1", "--no-proxy", "-o", folder.file("f"))
        #expect(run.status == 0 && run.output.isEmpty)
        #expect(try Data(contentsOf: URL(filePath: folder.file("f"))) == Data("fine after GET".utf8))
    }

    @Test(arguments: ["-1", "1001", "x", ""]) func wrongNumbers(text: String) async throws {
        let run = try await lupine("get", "http://h.test/", "--retry=\(text)")
        #expect(run.status == 2)
    }
}
