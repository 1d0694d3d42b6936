import Dispatch
import Glibc

/// A command run to its end.
struct ProcessRun: Sendable {
    /// Its exit status, or minus the signal that ended it.
    let status: Int32
    let output: String

    /// The repository's own directory.
    static let packageDirectory: String = {
        let parts = #filePath.split(separator: "/", omittingEmptySubsequences: false)
        return parts.dropLast(4).joined(separator: "/")
    }()

    /// A program of this package, beside the one that runs the tests.
    static func sibling(_ name: String) -> String {
        var buffer = [CChar](repeating: 0, count: 4096)
        let count = readlink("/proc/self/exe", &buffer, buffer.count - 1)
        let path = String(decoding: buffer.prefix(max(0, count)).map(UInt8.init(bitPattern:)), as: UTF8.self)
        return (path.split(separator: "/", omittingEmptySubsequences: false).dropLast() + [Substring(name)])
            .joined(separator: "/")
    }

    /// Runs it beside Swift's own threads and collects what it prints.
    static func of(_ command: [String]) async throws -> ProcessRun {
        try await withCheckedThrowingContinuation { continuation in
            DispatchQueue.global().async { continuation.resume(with: Result { try blocking(command) }) }
        }
    }

    private static func blocking(_ command: [String]) throws -> ProcessRun {
        var ends: [Int32] = [0, 0]
        guard pipe(&ends) == 0 else { throw Failure(what: "pipe", number: errno) }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        defer { close(ends[0]) }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        posix_spawn_file_actions_adddup2(&actions, ends[1], 1)
        defer { posix_spawn_file_actions_destroy(&actions) }
        var arguments: [UnsafeMutablePointer<CChar>?] = command.map { strdup($0) } + [nil]
        defer { for argument in arguments { free(argument) } }
        var child = pid_t()
        let result = posix_spawnp(&child, command[0], &actions, nil, &arguments, environ)
        close(ends[1])
        guard result == 0 else { throw Failure(what: command[0], number: result) }
        var output: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = read(ends[0], &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { break }
            output += buffer.prefix(count)
        }
        var status: Int32 = 0
        while waitpid(child, &status, 0) < 0, errno == EINTR {}
        let signal = status & 0x7F
        return ProcessRun(
            status: signal == 0 ? (status >> 8) & 0xFF : -signal, output: String(decoding: output, as: UTF8.self))
    }

    struct Failure: Error, CustomStringConvertible {
        let what: String
        let number: Int32
        var description: String { "\(what): \(String(cString: strerror(number)))" }
    }
}
