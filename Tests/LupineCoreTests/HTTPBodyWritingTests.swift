import FoundationEssentials
import Glibc
import LupineCore
import LupineTesting
import Testing

/// Bodies written to files: whole, or not at all.
@Suite(.timeLimit(.minutes(1)))
struct HTTPBodyWritingTests {
    private let folder: TemporaryDirectory

    init() throws { folder = try TemporaryDirectory() }

    private func content(_ name: String) throws -> String {
        String(decoding: try Data(contentsOf: URL(filePath: folder.file(name))), as: UTF8.self)
    }

    private var names: [String] {
        get throws { try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() }
    }

    @Test func everyKindOfBody() async throws {
        try folder.write(Array("file".utf8), to: "source")
        let bodies: [(HTTPBody, String)] = [
            (.empty, ""), (.text("text"), "text"), (try .file(folder.file("source")), "file"),
            (.stream { PiecesReader(["a", "", "b"]) }, "ab"),
            (.oneShotStream(length: 2, reader: PiecesReader(["cd"])), "cd"),
        ]
        for (body, expected) in bodies {
            try await body.write(to: folder.file("out"))
            #expect(try content("out") == expected)
        }
        #expect(try names == ["out", "source"])
    }

    @Test func progressIsToldOfEachPiece() async throws {
        let told = Lock<[[Int64?]]>([])
        try await HTTPBody.stream(length: 5) { PiecesReader(["ab", "", "cde"]) }
            .write(to: folder.file("out")) { written, total in told.withLock { $0.append([written, total]) } }
        try await HTTPBody.stream { PiecesReader(["x"]) }
            .write(to: folder.file("out")) { written, total in told.withLock { $0.append([written, total]) } }
        #expect(told.withLock { $0 } == [[2, 5], [5, 5], [1, nil]])
    }

    /// A source that breaks its word leaves what was there, and nothing beside it.
    @Test func wholeOrNotAtAll() async throws {
        struct Broken: Error {}
        try folder.write(Array("old".utf8), to: "out")
        for body in [
            HTTPBody.stream(length: 3) { PiecesReader(["ab"]) }, .stream(length: 3) { PiecesReader(["ab", "cd"]) },
            .stream { throw Broken() },
        ] {
            let error = await #expect(throws: LupineError.self) { try await body.write(to: folder.file("out")) }
            #expect(error?.code == .uploadSourceFailed)
            #expect(try content("out") == "old")
            #expect(try names == ["out"])
        }
    }

    @Test func whereItCannotBeWritten() async throws {
        for path in [folder.path, folder.file("missing/out"), "/dev/null"] {
            let error = await #expect(throws: LupineError.self) { try await HTTPBody.text("x").write(to: path) }
            #expect(error?.code == .fileFailed, "\(path)")
        }
        #expect(try names.isEmpty)
    }

    /// C would end the path at the NUL, and write to another file.
    @Test func aPathWithNUL() async throws {
        let error = await #expect(throws: LupineError.self) {
            try await HTTPBody.text("x").write(to: folder.file("out\0.txt"))
        }
        #expect(error?.code == .fileFailed)
        #expect(error?.message.contains("out\\0.txt") == true)
        #expect(try names.isEmpty)
    }

    @Test func cancelledItLeavesNothing() async throws {
        final class Endless: BodyReader {
            let gate: Gate
            init(_ gate: Gate) { self.gate = gate }
            func read(upTo count: Int) async throws -> Data? {
                gate.open()
                return Data(count: count)
            }
        }
        let gate = Gate(), path = folder.file("out")
        let writing = Task { try await HTTPBody.stream { Endless(gate) }.write(to: path) }
        try await gate.opened()
        writing.cancel()
        let error = await #expect(throws: LupineError.self) { try await writing.value }
        #expect(error?.code == .cancelled)
        #expect(try names.isEmpty)
    }

    /// A file that is replaced keeps its mode, and a link to it stays a link.
    @Test func whatIsReplacedKeepsItsPlace() async throws {
        let path = try folder.write(Array("old".utf8), to: "out")
        chmod(path, 0o640)
        try #require(symlink("out", folder.file("link")) == 0)
        try await HTTPBody.text("new").write(to: folder.file("link"))
        #expect(try content("out") == "new")
        var status = stat()
        #expect(lstat(folder.file("link"), &status) == 0 && status.st_mode & S_IFMT == S_IFLNK)
        #expect(stat(path, &status) == 0 && status.st_mode & 0o777 == 0o640)
        #expect(try names == ["link", "out"])
    }
}
