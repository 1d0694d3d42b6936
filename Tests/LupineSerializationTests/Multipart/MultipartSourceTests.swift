import FoundationEssentials
import Glibc
import LupineCore
import LupineSerialization
import LupineTesting
import Testing

/// Files and streams as parts: what they are when they are added is what is sent, or an error.
@Suite(.timeLimit(.minutes(1)))
struct MultipartSourceTests {
    private let folder: TemporaryDirectory

    init() throws { folder = try TemporaryDirectory() }

    private func form(of path: String) throws -> MultipartFormData {
        var form = MultipartFormData()
        try form.append(text: "before", name: "a")
        try form.append(file: path, name: "f")
        try form.append(text: "after", name: "z")
        return form
    }

    @Test func aFileHasItsOwnNameAndTypeUnlessToldOtherwise() async throws {
        let path = try folder.write(Array("hi".utf8), to: "my \"note\".txt")
        var form = MultipartFormData()
        try form.append(file: path, name: "a")
        try form.append(file: path, name: "b", fileName: "b.png")
        try form.append(file: path, name: "c", fileName: "c.png", mimeType: "image/own")
        try form.append(file: URL(filePath: path), name: "d")
        let parts = try await form.received()
        #expect(
            parts.map { [$0.name, $0.fileName, $0.contentType, $0.text] } == [
                ["a", "my \"note\".txt", "text/plain", "hi"], ["b", "b.png", "image/png", "hi"],
                ["c", "c.png", "image/own", "hi"], ["d", "my \"note\".txt", "text/plain", "hi"],
            ])
    }

    /// `Expected URL to be a file URL`, `File URL not reachable.`: told at once, and nothing appended.
    @Test func whatIsNoReadableFileIsToldAtOnce() async throws {
        let fifo = folder.file("fifo"), loop = folder.file("loop"), dangling = folder.file("dangling")
        try #require(mkfifo(fifo, 0o600) == 0)
        try #require(symlink("loop", loop) == 0)
        try #require(symlink("nothing", dangling) == 0)
        let socket = try LoopbackServer(on: .unix(folder.file("socket")), handler: LoopbackServer.echo)
        var form = MultipartFormData()
        for path in [
            folder.file("missing"), folder.path, "\(folder.path)/", fifo, loop, dangling, folder.file("socket"),
            "/dev/null", "/dev/zero", "", "\(folder.path)/missing/x",
        ] {
            #expect(await code { try form.append(file: path, name: "f") } == .uploadSourceFailed, "\(path)")
        }
        for url in ["http://example.test/a", "https://example.test/", "mailto:a@example.test"] {
            let url = try #require(URL(string: url))
            #expect(await code { try form.append(file: url, name: "f") } == .uploadSourceFailed, "\(url)")
        }
        #expect(form.isEmpty && form.contentLength == 0)
        withExtendedLifetime(socket) {}
    }

    @Test(.enabled(if: geteuid() != 0, "root may read everything"))
    func anUnreadableFileIsToldAtOnce() async throws {
        let path = try folder.write([1], to: "locked")
        chmod(path, 0)
        var form = MultipartFormData()
        #expect(await code { try form.append(file: path, name: "f") } == .uploadSourceFailed)
    }

    /// What can become of a file between its adding and the sending.
    enum Change: CaseIterable {
        case shorter, longer, gone, another, rewritten, empty, directory
    }

    @Test(arguments: Change.allCases) func aFileThatChangesFailsTheSending(_ change: Change) async throws {
        let path = try folder.write(Array("0123456789".utf8), to: "f.txt")
        let form = try form(of: path)
        #expect(try await form.received().map(\.text) == ["before", "0123456789", "after"])
        switch change {
        case .shorter: truncate(path, 9)
        case .longer: truncate(path, 11)
        case .gone: unlink(path)
        case .another:
            try folder.write(Array("9876543210".utf8), to: "other")
            // With the same length and time.
            var times = [timespec(), timespec()]
            var status = stat()
            try #require(stat(path, &status) == 0)
            times = [status.st_atim, status.st_mtim]
            utimensat(AT_FDCWD, folder.file("other"), times, 0)
            rename(folder.file("other"), path)
        case .rewritten:
            try Data("9876543210".utf8).write(to: URL(filePath: path))
            // The system's clock of files may not have moved on.
            utimensat(AT_FDCWD, path, [timespec(tv_sec: 1, tv_nsec: 0), timespec(tv_sec: 1, tv_nsec: 0)], 0)
        case .empty: truncate(path, 0)
        case .directory:
            unlink(path)
            mkdir(path, 0o700)
        }
        #expect(await code { _ = try await form.text() } == .uploadSourceFailed)
    }

    /// A file that changes while it is read does not end as a whole form.
    @Test func aFileThatChangesWhileItIsSent() async throws {
        let path = try folder.write([UInt8](repeating: 1, count: 1000), to: "f")
        for length in [999, 500, 1001] {
            truncate(path, 1000)
            let form = try form(of: path)
            guard case .reader(let open) = form.body.source else { return #expect(Bool(false), "no reader") }
            let reader = try open("the form")
            defer { reader.close() }
            for _ in 0..<8 { _ = try await reader.read(upTo: 100) }
            truncate(path, off_t(length))
            var rest: [UInt8] = []
            let code = await code {
                while let piece = try await reader.read(upTo: 100) { rest += piece }
            }
            #expect(code == .uploadSourceFailed, "\(length)")
            #expect(!String(decoding: rest, as: UTF8.self).contains(form.boundary))
        }
    }

    /// Files of the kernel state no length: a whole body of them cannot be known.
    @Test func aFileThatHasMoreThanItStates() async throws {
        #expect(await code { _ = try form(of: "/proc/self/status") } == .uploadSourceFailed)
    }

    /// C would end the path at the NUL, and the form would have another file.
    @Test func aPathWithNUL() async throws {
        let path = try folder.write([1], to: "f")
        var form = MultipartFormData()
        #expect(await code { try form.append(file: path + "\0.png", name: "f") } == .uploadSourceFailed)
        let url = try #require(URL(string: "file://\(path)%00.png"))
        #expect(await code { try form.append(file: url, name: "f") } == .uploadSourceFailed)
        #expect(form.isEmpty)
    }

    /// One source cannot be two parts, nor a part of two forms.
    @Test func whatCanBeReadOnceIsOnePart() async throws {
        let reader = PiecesReader(["once"]), body = HTTPBody.oneShotStream(reader: PiecesReader(["once"]))
        for (first, second) in [
            (body, body), (HTTPBody.oneShotStream(reader: reader), .oneShotStream(reader: reader)),
        ] {
            var form = MultipartFormData()
            try form.append(body: first, name: "a", fileName: "a")
            try form.append(body: second, name: "b", fileName: "b")
            let error = await #expect(throws: LupineError.self) { _ = try await form.text() }
            #expect(error?.code == .uploadSourceFailed)
            #expect(error?.message.contains("the part \"b\" can be read only once") == true)
        }
        let part = UploadPart(body: .oneShotStream(reader: PiecesReader(["once"])), name: "p")
        var forms = [MultipartFormData(), MultipartFormData()]
        for index in forms.indices { try forms[index].append(part) }
        #expect(try await forms[0].received().map(\.text) == ["once"])
        // Known before anything is sent.
        let request = try forms[1].serialize(HTTPRequest(method: .post, url: HTTPURL("http://h.test/")))
        #expect(request.validate()?.code == .uploadSourceFailed)
        #expect(await code { _ = try await forms[1].text() } == .uploadSourceFailed)
    }

    @Test func anEmptyFile() async throws {
        let form = try form(of: folder.write([], to: "empty"))
        #expect(try await form.received().map(\.text) == ["before", "", "after"])
    }

    @Test func streamsHaveTheLengthTheyState() async throws {
        for pieces in [["hello"], ["he", "", "llo"], ["", "hello", ""]] {
            var form = MultipartFormData()
            try form.append(stream: { PiecesReader(pieces) }, length: 5, name: "a", fileName: "a")
            try form.append(stream: PiecesReader(pieces), length: 5, name: "b", fileName: "b")
            try form.append(stream: { PiecesReader(pieces) }, length: nil, name: "c", fileName: "c")
            #expect(try await form.received().map(\.text) == ["hello", "hello", "hello"])
        }
    }

    @Test func streamsThatLieOrFailFailTheSending() async throws {
        struct Broken: Error {}
        final class Failing: BodyReader {
            func read(upTo count: Int) async throws -> Data? { throw Broken() }
        }
        let sources: [(Int64?, @Sendable () throws -> any BodyReader)] = [
            (6, { PiecesReader(["hello"]) }), (4, { PiecesReader(["hello"]) }),
            (5, { PiecesReader(["hello", "", "x"]) }),
            (0, { PiecesReader(["x"]) }), (1, { PiecesReader([]) }), (5, { throw Broken() }), (nil, { throw Broken() }),
            (nil, { Failing() }), (0, { Failing() }),
        ]
        for (length, makeReader) in sources {
            var form = MultipartFormData()
            try form.append(text: "before", name: "a")
            try form.append(stream: makeReader, length: length, name: "s", fileName: "s")
            #expect(await code { _ = try await form.text() } == .uploadSourceFailed)
        }
        var form = MultipartFormData()
        #expect(
            await code { try form.append(stream: { PiecesReader([]) }, length: -1, name: "s", fileName: "s") }
                == .requestSerializationFailed)
    }

    @Test func lengthsThatCannotBeCounted() async throws {
        var form = MultipartFormData()
        let append = { (form: inout MultipartFormData, length: Int64) in
            try form.append(stream: { PiecesReader([]) }, length: length, name: "s", fileName: "s")
        }
        #expect(await code { try append(&form, .max) } == .requestSerializationFailed)
        try append(&form, .max / 2 - 1000)
        #expect(await code { try append(&form, .max / 2 - 1000) } == .requestSerializationFailed)
        #expect(form.count == 1)
        #expect((form.contentLength ?? 0) > .max / 2 - 1000)
    }

    /// The second sending has the same boundary, and is whole; what can be read once says so.
    @Test func aFormCanBeReadAgainIfItsPartsCan() async throws {
        let path = try folder.write(Array("file".utf8), to: "f")
        var form = try form(of: path)
        try form.append(stream: { PiecesReader(["stream"]) }, length: 6, name: "s", fileName: "s")
        #expect(form.body.isRewindable)
        let body = form.body
        let first = try await bytes(of: body)
        #expect(try await bytes(of: body) == first)
        #expect(try await bytes(of: form.body) == first)

        try form.append(stream: PiecesReader(["once"]), length: nil, name: "o", fileName: "o")
        #expect(!form.body.isRewindable)
        let copy = form
        #expect(try await form.received().last?.text == "once")
        for form in [form, copy] {
            let error = await #expect(throws: LupineError.self) { _ = try await form.text() }
            #expect(error?.code == .uploadSourceFailed)
            #expect(error?.message.contains("can be read only once") == true)
        }
    }

    /// Sources are opened when their turn comes, and each is closed once: at its end, at a failure, and when nobody goes on.
    @Test func sourcesAreOpenedInTheirTurnAndClosedOnce() async throws {
        let opened = Lock(0), closed = Lock(0)
        func append(_ form: inout MultipartFormData, length: Int64) throws {
            try form.append(
                stream: {
                    opened.withLock { $0 += 1 }
                    return ZeroReader(count: 10) { closed.withLock { $0 += 1 } }
                }, length: length, name: "s", fileName: "s")
        }
        var form = MultipartFormData()
        for _ in 0..<3 { try append(&form, length: 10) }
        guard case .reader(let open) = form.body.source else { return #expect(Bool(false), "no reader") }
        let reader = try open("the form")
        _ = try await reader.read(upTo: 1)
        #expect(opened.withLock { $0 } == 0)
        while opened.withLock({ $0 }) < 2 { _ = try await reader.read(upTo: 100) }
        #expect(closed.withLock { $0 } == 1)
        reader.close()
        #expect(closed.withLock { $0 } == 2)

        try append(&form, length: 11)
        #expect(await code { _ = try await form.text() } == .uploadSourceFailed)
        #expect(opened.withLock { $0 } == 6 && closed.withLock { $0 } == 6)
    }
}
