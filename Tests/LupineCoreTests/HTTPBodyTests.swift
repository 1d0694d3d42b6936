import FoundationEssentials
import Glibc
import LupineCore
import Testing

/// A file for one test, removed with it.
private final class TemporaryFile: Sendable {
    let path: String

    init(_ content: String) throws {
        path = FileManager.default.temporaryDirectory.appending(path: "lupine-\(UUID().uuidString)").path
        try Data(content.utf8).write(to: URL(filePath: path))
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }
}

/// The pieces of a body, asked for `count` bytes at a time.
private func pieces(of body: HTTPBody, count: Int = 4) async throws -> [String] {
    switch body.source {
    case .bytes(let data): return [String(decoding: data, as: UTF8.self)]
    case .reader(let open):
        let reader = try open("it")
        defer { reader.close() }
        var pieces: [String] = []
        while let piece = try await reader.read(upTo: count) { pieces.append(String(decoding: piece, as: UTF8.self)) }
        return pieces
    }
}

private func code(_ work: () async throws -> Void) async -> LupineError.Code? {
    do { try await work() } catch { return (error as? LupineError)?.code }
    return nil
}

@Suite(.timeLimit(.minutes(1))) struct HTTPBodyTests {
    @Test func bytesInMemory() async throws {
        let body = HTTPBody.text("naïve")
        #expect(body.length == 6)
        #expect(body.isRewindable)
        #expect(!body.isEmpty)
        #expect(try await pieces(of: body) == ["naïve"])
        #expect(HTTPBody.empty.isEmpty)
        #expect(HTTPBody.bytes(Data()).isEmpty)
    }

    @Test func fileInPieces() async throws {
        let file = try TemporaryFile("abcdefghij")
        let body = try HTTPBody.file(file.path)
        #expect(body.length == 10)
        #expect(body.isRewindable)
        #expect(try await pieces(of: body) == ["abcd", "efgh", "ij"])
        // A second sending begins at the start.
        #expect(try await pieces(of: body, count: 100) == ["abcdefghij"])
    }

    @Test(
        arguments: [
            (0..<10, ["abcd", "efgh", "ij"]), (2..<5, ["cde"]), (9..<10, ["j"]), (4..<4, []), (10..<10, []),
        ] as [(Range<Int64>, [String])])
    func fileRange(range: Range<Int64>, expected: [String]) async throws {
        let file = try TemporaryFile("abcdefghij")
        let body = try HTTPBody.file(file.path, range: range)
        #expect(body.length == range.upperBound - range.lowerBound)
        #expect(try await pieces(of: body) == expected)
    }

    @Test(arguments: [0..<11, -1..<5, 11..<12] as [Range<Int64>])
    func rangeOutsideTheFile(range: Range<Int64>) async throws {
        let file = try TemporaryFile("abcdefghij")
        #expect(await code { _ = try HTTPBody.file(file.path, range: range) } == .uploadSourceFailed)
    }

    @Test func emptyFile() async throws {
        let file = try TemporaryFile("")
        let body = try HTTPBody.file(file.path)
        #expect(body.isEmpty)
        #expect(try await pieces(of: body) == [])
    }

    @Test(arguments: ["/no/such/file", "/", "/dev/null", ""])
    func noRegularFile(path: String) async {
        #expect(await code { _ = try HTTPBody.file(path) } == .uploadSourceFailed)
    }

    /// A named pipe without a writer would keep a plain `open` waiting.
    @Test func namedPipe() async throws {
        let path = FileManager.default.temporaryDirectory.appending(path: "lupine-\(UUID().uuidString)").path
        try #require(mkfifo(path, 0o600) == 0)
        defer { unlink(path) }
        #expect(await code { _ = try HTTPBody.file(path) } == .uploadSourceFailed)
    }

    @Test func fileThatBecomesShorter() async throws {
        let file = try TemporaryFile("abcdefghij")
        let body = try HTTPBody.file(file.path)
        try #require(truncate(file.path, 6) == 0)
        #expect(await code { _ = try await pieces(of: body) } == .uploadSourceFailed)
    }

    enum Change: CaseIterable { case longer, rewritten, another, gone }

    /// Whole and unchanged, also where only a part is sent.
    @Test(arguments: Change.allCases, [nil, 1..<3] as [Range<Int64>?])
    func fileThatChanges(_ change: Change, range: Range<Int64>?) async throws {
        let file = try TemporaryFile("abcd")
        let body = try HTTPBody.file(file.path, range: range)
        switch change {
        case .longer: try #require(truncate(file.path, 5) == 0)
        case .rewritten:
            try Data("efgh".utf8).write(to: URL(filePath: file.path))
            // The system's clock of files may not have moved on.
            let time = timespec(tv_sec: 1, tv_nsec: 0)
            utimensat(AT_FDCWD, file.path, [time, time], 0)
        case .another:
            let other = try TemporaryFile("efgh")
            rename(other.path, file.path)
        case .gone: unlink(file.path)
        }
        #expect(await code { _ = try await pieces(of: body) } == .uploadSourceFailed)
    }

    @Test func fileThatChangesWhileItIsRead() async throws {
        let file = try TemporaryFile("abcdefgh")
        let body = try HTTPBody.file(file.path)
        guard case .reader(let open) = body.source else { return #expect(Bool(false), "no reader") }
        let reader = try open("it")
        defer { reader.close() }
        #expect(try await reader.read(upTo: 4) == Data("abcd".utf8))
        try #require(truncate(file.path, 9) == 0)
        #expect(await code { _ = try await reader.read(upTo: 4) } == .uploadSourceFailed)
    }

    /// Files of the kernel: an empty one that is not, a page that is not one.
    @Test(arguments: ["/proc/self/status", "/proc/cpuinfo", "/sys/kernel/mm/transparent_hugepage/enabled"])
    func fileThatIsNotAsLongAsItSays(path: String) async throws {
        guard access(path, R_OK) == 0 else { return }
        let error = #expect(throws: LupineError.self) { try HTTPBody.file(path) }
        #expect(error?.code == .uploadSourceFailed)
        #expect(error?.message.contains("send a stream instead") == true)
    }

    /// C would end the path at the NUL.
    @Test func pathWithNUL() async throws {
        let file = try TemporaryFile("abc")
        let error = #expect(throws: LupineError.self) { try HTTPBody.file(file.path + "\0.png") }
        #expect(error?.code == .uploadSourceFailed)
        #expect(error?.message.contains("\\0.png") == true)
    }

    @Test func descriptorIsReadOnceToItsEnd() async throws {
        var ends: [Int32] = [0, 0]
        try #require(pipe(&ends) == 0)
        defer { close(ends[0]) }
        #expect(write(ends[1], "abcdef", 6) == 6)
        close(ends[1])
        let body = HTTPBody.descriptor(ends[0])
        #expect(!body.isRewindable)
        #expect(body.length == nil)
        #expect(!body.isEmpty)
        #expect(try await pieces(of: body) == ["abcd", "ef"])
    }

    @Test func sequenceOfPieces() async throws {
        let (stream, continuation) = AsyncStream.makeStream(of: Data.self)
        for piece in ["ab", "", "cdefgh"] { continuation.yield(Data(piece.utf8)) }
        continuation.finish()
        let body = HTTPBody.oneShotStream(length: 8, stream)
        #expect(body.length == 8)
        #expect(!body.isRewindable)
        #expect(try await pieces(of: body) == ["ab", "", "cdefgh"])
    }

}
