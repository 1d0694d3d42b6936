import FoundationEssentials
import Glibc
import LupineTesting
import Testing

/// The built command as a process of its own, where it lies beside the tests.
enum BuiltCommand {
    /// `nil`: it was not built.
    static let path: String? = {
        let maps = (try? String(contentsOf: URL(filePath: "/proc/self/maps"), encoding: .utf8)) ?? ""
        let bundle = maps.split(separator: "\n").lazy.compactMap { line -> Substring? in
            guard let start = line.firstIndex(of: "/"), line.hasSuffix(".xctest") else { return nil }
            return line[start...]
        }.first
        guard let bundle, let slash = bundle.lastIndex(of: "/") else { return nil }
        let path = "\(bundle[..<slash])/lupine"
        return access(path, X_OK) == 0 ? path : nil
    }()
}

/// A running command whose standard streams are files, or what is given.
struct Process {
    let pid: pid_t

    init(_ words: [String], output: Int32, errors: Int32? = nil) throws {
        pid = try Self.start(words, output: output, errors: errors)
    }

    private static func start(_ words: [String], output: Int32, errors: Int32?) throws -> pid_t {
        let path = try #require(BuiltCommand.path)
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_adddup2(&actions, output, 1)
        if let errors {
            posix_spawn_file_actions_adddup2(&actions, errors, 2)
        } else {
            posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0)
        }
        var words = ([path] + words).map { strdup($0) } + [nil]
        defer { for word in words { free(word) } }
        var pid: pid_t = 0
        // An empty environment: no proxy, no colours.
        var environment: [UnsafeMutablePointer<CChar>?] = [nil]
        let result = posix_spawn(&pid, path, &actions, nil, &words, &environment)
        try #require(result == 0)
        return pid
    }

    /// Waits for the end: the exit status, or minus the signal.
    func end() async -> Int32 {
        await withCheckedContinuation { continuation in
            let pid = pid
            detachedThread {
                var status: Int32 = 0
                while waitpid(pid, &status, 0) < 0, errno == EINTR {}
                continuation.resume(returning: status & 0x7F == 0 ? status >> 8 & 0xFF : -(status & 0x7F))
            }
        }
    }
}

private func detachedThread(_ work: @escaping @Sendable () -> Void) {
    final class Box: Sendable {
        let work: @Sendable () -> Void
        init(_ work: @escaping @Sendable () -> Void) { self.work = work }
    }
    var thread = pthread_t()
    let box = Unmanaged.passRetained(Box(work)).toOpaque()
    pthread_create(
        &thread, nil,
        { box in
            if let box { Unmanaged<Box>.fromOpaque(box).takeRetainedValue().work() }
            return nil
        }, box)
    pthread_detach(thread)
}

@Suite(.timeLimit(.minutes(1)), .enabled(if: BuiltCommand.path != nil, "the command was not built"))
struct EndToEndTests {
    let folder: TemporaryDirectory

    init() throws { folder = try TemporaryDirectory() }

    private func file(_ name: String) -> Int32 {
        open(folder.file(name), O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    }

    /// Sends the beginning of a long body and waits.
    private static func half() throws -> LoopbackServer {
        try LoopbackServer { connection in
            _ = try connection.readRequest()
            try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\npart")
            try connection.stall()
        }
    }

    @Test func oneRequest() async throws {
        let server = try LoopbackServer(handler: LoopbackServer.routes(["/": .text("body")]))
        let output = file("out")
        defer { close(output) }
        #expect(try await Process(["get", server.url("/")], output: output).end() == 0)
        #expect(try contents(of: folder.file("out")) == Data("body".utf8))
    }

    @Test(arguments: [(SIGINT, Int32(130)), (SIGTERM, Int32(143))])
    func signalsEndInOrder(signal: Int32, status: Int32) async throws {
        let server = try Self.half()
        let output = file("out"), errors = file("err")
        defer {
            close(output)
            close(errors)
        }
        let process = try Process(["get", server.url("/"), "-o", folder.file("f")], output: output, errors: errors)
        try await server.waitForRequests(1)
        kill(process.pid, signal)
        #expect(await process.end() == status)
        #expect(try names(in: folder) == ["err", "out"])
        let told = String(decoding: try contents(of: folder.file("err")), as: UTF8.self)
        #expect(told.hasPrefix("lupine: cancelled: "))
    }

    @Test func aClosedPipeEndsQuietly() async throws {
        let server = try LoopbackServer(
            handler: LoopbackServer.routes(["/": .bytes([UInt8](repeating: 1, count: 1 << 20))]))
        var pipe: [Int32] = [0, 0]
        let result = Glibc.pipe(&pipe)
        try #require(result == 0)
        close(pipe[0])
        let errors = file("err")
        defer { close(errors) }
        let process = try Process(["get", server.url("/")], output: pipe[1], errors: errors)
        close(pipe[1])
        #expect(await process.end() == -SIGPIPE)
        #expect(try contents(of: folder.file("err")).isEmpty)
    }

    /// A write that nobody reads cannot be cancelled; the process ends all the same.
    @Test func aSignalEndsAStuckWrite() async throws {
        let server = try LoopbackServer(
            handler: LoopbackServer.routes(["/": .bytes([UInt8](repeating: 1, count: 1 << 20))]))
        var pipe: [Int32] = [0, 0]
        let result = Glibc.pipe(&pipe)
        try #require(result == 0)
        defer { close(pipe[0]) }
        let process = try Process(["get", server.url("/")], output: pipe[1])
        close(pipe[1])
        // The beginning has come: the pipe is filled behind it.
        var byte: UInt8 = 0
        #expect(read(pipe[0], &byte, 1) == 1)
        kill(process.pid, SIGTERM)
        #expect(await process.end() == 143)
    }

    @Test func aFullDiskIsTold() async throws {
        let server = try LoopbackServer(handler: LoopbackServer.routes(["/": .text("body")]))
        let full = open("/dev/full", O_WRONLY | O_CLOEXEC)
        defer { close(full) }
        #expect(try await Process(["get", server.url("/")], output: full).end() == 1)
    }
}
