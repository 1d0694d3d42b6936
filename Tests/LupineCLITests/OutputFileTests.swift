import FoundationEssentials
import Glibc
import LupineCore
import LupineTesting
import Testing

@testable import LupineCLI

/// `-o`: a file appears whole, or not at all.
@Suite(.timeLimit(.minutes(1)))
struct OutputFileTests {
    let folder: TemporaryDirectory

    init() throws { folder = try TemporaryDirectory() }

    private static func cut(_ body: String) throws -> LoopbackServer {
        try LoopbackServer { connection in
            _ = try connection.readRequest()
            try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n\(body)")
        }
    }

    @Test func aWholeBodyIsPlaced() async throws {
        let server = try LoopbackServer(handler: LoopbackServer.routes(["/": .text("whole")]))
        let run = try await lupine("get", server.url("/"), "-o", folder.file("f"))
        #expect(run.status == 0)
        #expect(run.output.isEmpty)
        #expect(try contents(of: folder.file("f")) == Data("whole".utf8))
        #expect(try names(in: folder) == ["f"])
    }

    @Test func aBodyCutShortLeavesNothing() async throws {
        let server = try Self.cut("part")
        #expect(try await lupine("get", server.url("/"), "-o", folder.file("f")).status == 7)
        #expect(try names(in: folder) == [])
    }

    @Test func aBodyCutShortLeavesTheOldFile() async throws {
        let server = try Self.cut("part")
        let path = try folder.write(Array("old".utf8), to: "f")
        #expect(try await lupine("get", server.url("/"), "-o", path).status == 7)
        #expect(try contents(of: path) == Data("old".utf8))
        #expect(try names(in: folder) == ["f"])
    }

    @Test func cancellingLeavesNothing() async throws {
        let server = try LoopbackServer { connection in
            _ = try connection.readRequest()
            try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\npart")
            try connection.stall()
        }
        let path = folder.file("f")
        let task = Task { try await lupine("get", server.url("/"), "-o", path) }
        try await server.waitForRequests(1)
        task.cancel()
        #expect(try await task.value.status == 1)
        #expect(try names(in: folder) == [])
    }

    @Test func aReplacedFileKeepsItsModeAndLinks() async throws {
        let server = try LoopbackServer(handler: LoopbackServer.routes(["/": .text("new")]))
        let path = try folder.write(Array("old".utf8), to: "f")
        chmod(path, 0o640)
        symlink(path, folder.file("link"))
        #expect(try await lupine("get", server.url("/"), "-o", folder.file("link")).status == 0)
        var status = stat()
        lstat(folder.file("link"), &status)
        #expect(status.st_mode & S_IFMT == S_IFLNK)
        stat(path, &status)
        #expect(status.st_mode & 0o777 == 0o640)
        #expect(try contents(of: path) == Data("new".utf8))
    }

    @Test func aDeviceIsWrittenInPlace() async throws {
        let server = try LoopbackServer(handler: LoopbackServer.routes(["/": .text("new")]))
        #expect(try await lupine("get", server.url("/"), "-o", "/dev/null").status == 0)
        let full = try await lupine("get", server.url("/"), "-o", "/dev/full")
        #expect(full.status == 1)
        #expect(full.errors.hasPrefix("lupine: no-space: "))
    }

    @Test func whatCannotBeWrittenIsToldBeforeAnythingIsSent() async throws {
        let server = try LoopbackServer(handler: LoopbackServer.echo)
        for path in [folder.path, folder.file("missing/f")] {
            let run = try await lupine("get", server.url("/"), "-o", path)
            #expect(run.status == 1)
            #expect(run.errors.hasPrefix("lupine: file-failed: "))
        }
        #expect(server.connectionCount == 0)
    }

    @Test func anErrorStatusIsDeliveredToo() async throws {
        let server = try LoopbackServer(handler: LoopbackServer.routes(["/": .text("why", status: 404)]))
        #expect(try await lupine("get", server.url("/"), "-o", folder.file("f")).status == 4)
        #expect(try contents(of: folder.file("f")) == Data("why".utf8))
    }
}
