import FoundationEssentials
import LupineCore
import LupineSerialization
import LupineTesting
import Testing

@testable import LupineCLI

/// What `--retry` was seen to do wrong.
@Suite(.timeLimit(.minutes(3)))
struct RetryFaultTests {
    private func cutting() throws -> LoopbackServer {
        try LoopbackServer { connection in
            _ = try connection.readRequest()
            try connection.sendHead(headers: ["Content-Length": "6"])
            try connection.send(Array("abc".utf8))
        }
    }

    /// What was received before a failure is still in the report, however many tries there were.
    @Test(arguments: ["0", "1"]) func aBodyThatStaysCutIsReported(retries: String) async throws {
        let server = try cutting()
        let run = try await lupine("get", server.url("/"), "--retry", retries, "--no-proxy", "--report")
        #expect(run.status == 7)
        let report = try run.report()
        #expect(report["error"]?["code"] == "incomplete-body")
        #expect(report["status"] == 200)
        #expect(report["body"] == "abc")
        #expect(report["body_bytes"] == 3)
    }

    /// One of several statuses in a row is accepted.
    @Test(arguments: [(503, 1), (502, 2), (504, 2)]) func whatIsAcceptedAloneIsNoFailure(
        status: Int, requests: Int
    ) async throws {
        let left = Lock(1)
        let server = try LoopbackServer(
            handler: LoopbackServer.serving { _ in
                let fails = left.withLock { left in
                    defer { left = 0 }
                    return left > 0
                }
                return fails ? .text("busy", status: HTTPStatus(rawValue: status)) : .text("fine")
            })
        let run = try await lupine(
            "get", server.url("/"), "--retry", "1", "--no-proxy", "--accept-status", "200,503")
        #expect(run.status == 0)
        #expect(server.requestCount == requests)
    }

    @Test(arguments: ["0", "1"]) func aLargeBodyGoesIntoItsFile(retries: String) async throws {
        let size = 270 << 20
        let server = try LoopbackServer { connection in
            _ = try connection.readRequest()
            try connection.sendHead(headers: ["Content-Length": "\(size)"])
            let piece = [UInt8](repeating: 7, count: 1 << 20)
            for _ in 0..<270 { try connection.send(piece) }
        }
        let folder = try TemporaryDirectory()
        let run = try await lupine("get", server.url("/"), "--retry", retries, "--no-proxy", "-o", folder.file("f"))
        if retries == "0" {
            #expect(run.status == 0, "\(run.errors)")
            let found = try FileManager.default.attributesOfItem(atPath: folder.file("f"))[.size] as? Int
            #expect(found == size)
        } else {
            // What may be tried again is held in memory, as the help says.
            #expect(run.status == 1 && run.errors.contains("response-too-large"), "\(run.errors)")
            #expect(!FileManager.default.fileExists(atPath: folder.file("f")))
        }
    }

    @Test func standardInputIsSentOnce() async throws {
        let bodies = Lock<[String]>([])
        let server = try LoopbackServer(
            handler: LoopbackServer.serving { request in
                bodies.withLock { $0.append(String(decoding: request.body, as: UTF8.self)) }
                return .text("busy", status: 503)
            })
        let run = try await lupine(
            ["put", server.url("/"), "--retry", "2", "--no-proxy", "-d", "@-"], input: "from outside")
        #expect(run.status == 5)
        #expect(run.text == "busy")
        #expect(bodies.withLock(\.self) == ["from outside"])
    }
}
