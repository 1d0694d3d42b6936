import FoundationEssentials
import LupineCore
import LupineSerialization
import LupineTesting
import Testing

/// `--decode`, `--accept-type` and `--accept-status`: what the command makes of an answer's content.
@Suite(.timeLimit(.minutes(1)))
struct DecodingTests {
    let server: LoopbackServer

    private static let plist = """
        <plist><dict><key>b</key><integer>1</integer><key>a</key><array><date>2024-02-29T12:00:00Z</date>\
        <data>AAE=</data></array></dict></plist>
        """

    init() throws {
        server = try LoopbackServer(
            handler: LoopbackServer.routes([
                "/json": .json(#"{"b":1.10,"a":[]}"#), "/text": .text("grüß"), "/bytes": .bytes([0xFF, 0x41, 0x42]),
                "/gone": .json("{}", status: 410), "/nothing": .empty(),
                "/chinese": .bytes([0xD6, 0xD0, 0xCE, 0xC4], type: "text/html; charset=gb2312"),
                "/klingon": .bytes([0x41], type: "text/plain; charset=x-klingon"),
                "/plist": .bytes(Array(Self.plist.utf8), type: "application/x-plist"),
                "/page": .bytes(Array("<p>".utf8), type: "text/html"),
            ]))
    }

    private func get(_ path: String, _ options: String...) async throws -> CommandRun {
        try await lupine(["get", server.url(path)] + options)
    }

    @Test func none() async throws {
        #expect(try await get("/bytes", "--decode", "none").output == Data([0xFF, 0x41, 0x42]))
        #expect(try await get("/chinese").output == Data([0xD6, 0xD0, 0xCE, 0xC4]))
    }

    @Test func json() async throws {
        #expect(try await get("/json", "--decode", "json").text == "{\n  \"b\": 1.10,\n  \"a\": []\n}\n")
        #expect(try await get("/nothing", "--decode", "json").text == "null\n")
    }

    @Test func text() async throws {
        #expect(try await get("/text", "--decode", "text").text == "grüß")
        #expect(try await get("/chinese", "--decode", "text").text == "中文")
        #expect(try await get("/nothing", "--decode", "text").output.isEmpty)
    }

    @Test func propertyLists() async throws {
        let run = try await get("/plist", "--decode", "plist")
        #expect(try JSONValue(parsing: run.output) == ["a": ["2024-02-29T12:00:00Z", "AAE="], "b": 1])
        #expect(run.text.hasPrefix("{\n  \"a\": ["))
        let report = try await get("/plist", "--decode", "plist", "--report").report()
        #expect(report["decoded"] == ["a": ["2024-02-29T12:00:00Z", "AAE="], "b": 1])
        #expect(report["body"]?.stringValue == Self.plist)
        #expect(try await get("/nothing", "--decode", "plist").text == "null\n")
    }

    @Test(arguments: [
        ("/text", "json"), ("/bytes", "text"), ("/klingon", "text"), ("/json", "plist"), ("/text", "plist"),
    ])
    func whatIsNot(path: String, how: String) async throws {
        let run = try await get(path, "--decode", how)
        #expect(run.status == 8)
        #expect(run.output.isEmpty)
        #expect(run.errors.hasPrefix("lupine: response-serialization-failed: 127.0.0.1 answered with "))
        #expect(run.errors.split(separator: "\n").count == 1)
        // What came is still in the report.
        let report = try await get(path, "--decode", how, "--report").report()
        #expect(report["ok"] == false)
        #expect(report["status"] == 200)
        #expect(report["body_bytes"]?.intValue ?? 0 > 0)
        #expect(report["decoded"] == .null)
    }

    @Test(arguments: ["json", "plist", "text", "none"])
    func anErrorsBodyIsDelivered(how: String) async throws {
        let gone = try await get("/gone", "--decode", how)
        #expect(gone.status == 4)
        #expect(gone.text == "{}")
    }

    @Test(arguments: [
        ("/json", "application/json,text/json", true), ("/json", "APPLICATION/*", true), ("/json", "*/*", true),
        ("/text", "application/json", false), ("/text", "text/plain", true),
        ("/text", "application/json , text/*", true),
        // Nothing has no type.
        ("/nothing", "application/json", true), ("/page", "text/plain", false),
    ])
    func types(path: String, list: String, isAccepted: Bool) async throws {
        let run = try await get(path, "--accept-type", list)
        #expect(run.status == (isAccepted ? 0 : 8))
        if !isAccepted {
            #expect(run.errors.hasPrefix("lupine: unacceptable-content-type: 127.0.0.1 answered with content type "))
            #expect(run.errors.contains("accepted: \(list)"))
        }
        #expect(try await get(path, "--accept-type", list, "--decode", "text").status == run.status)
    }

    @Test(arguments: [("/gone", "200-299,410", 0), ("/gone", "410", 0), ("/json", "410", 1), ("/gone", "400-409", 4)])
    func statuses(path: String, list: String, exit: Int32) async throws {
        #expect(try await get(path, "--accept-status", list).status == exit)
        // What is accepted is decoded.
        if exit == 0 { #expect(try await get(path, "--accept-status", list, "--decode", "json").text == "{}\n") }
    }

    @Test(arguments: [
        ["--decode", "xml"], ["--decode", ""], ["--accept-type", ""], ["--accept-type", "json"],
        ["--accept-type", "/"],
        ["--accept-type", "a/b,"], ["--accept-type", "a/b/c"], ["--accept-type", "text/"], ["--accept-status", "2xx"],
        ["--accept-status", "299-200"], ["--accept-status", ""], ["--accept-status", "200,"],
    ])
    func mistakes(options: [String]) async throws {
        let run = try await lupine(["get", server.url("/json")] + options)
        #expect(run.status == 2)
        #expect(run.errors.contains(options[0]))
    }
}
