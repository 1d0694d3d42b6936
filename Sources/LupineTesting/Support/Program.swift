internal import CLupineLinux
internal import Dispatch
internal import Glibc

/// A program under way, whose input is written and whose output is read.
package final class Program: Sendable {
    private let child: pid_t
    private let input: Int32
    private let output: Int32
    private let rest = Condition<[UInt8]>([])

    /// Starts it in the caller's network namespace; standard output and standard error are one.
    package init(_ command: [String]) throws {
        var toChild: [Int32] = [0, 0], fromChild: [Int32] = [0, 0]
        guard lupine_pipe(&toChild) == 0, lupine_pipe(&fromChild) == 0 else {
            throw LoopbackError(.socketFailed, "pipe: \(reason())")
        }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, toChild[0], 0)
        posix_spawn_file_actions_adddup2(&actions, fromChild[1], 1)
        posix_spawn_file_actions_adddup2(&actions, fromChild[1], 2)
        var arguments: [UnsafeMutablePointer<CChar>?] = command.map { strdup($0) } + [nil]
        defer { for argument in arguments { free(argument) } }
        // A thread of Dispatch's blocks signals, and a child would go on blocking them: it could not be stopped by one.
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var none = sigset_t()
        sigemptyset(&none)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
        var started = pid_t()
        let result = posix_spawnp(&started, command[0], &actions, &attributes, &arguments, environ)
        close(toChild[0])
        close(fromChild[1])
        (child, input, output) = (started, toChild[1], fromChild[0])
        guard result == 0 else {
            throw LoopbackError(.socketFailed, "\(command[0]): \(String(cString: strerror(result)))")
        }
    }

    deinit {
        close(output)
    }

    package func write(_ text: String) {
        var bytes = Array(text.utf8)[...]
        while !bytes.isEmpty {
            let count = bytes.withUnsafeBytes { Glibc.write(input, $0.baseAddress, $0.count) }
            guard count > 0 else { return }
            bytes = bytes.dropFirst(count)
        }
    }

    /// The next line of output, without its end; `nil` at the end of all.
    package func line() async -> String? {
        await withCheckedContinuation { continuation in
            DispatchQueue.global().async { [self] in continuation.resume(returning: nextLine()) }
        }
    }

    private func nextLine() -> String? {
        rest.update { rest in
            while true {
                if let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
                    defer { rest.removeFirst(end + 1) }
                    return String(decoding: rest[..<end], as: UTF8.self)
                }
                guard readMore(&rest) else { return nil }
            }
        }
    }

    private func readMore(_ rest: inout [UInt8]) -> Bool {
        var bytes = [UInt8](repeating: 0, count: 4096)
        var count = read(output, &bytes, bytes.count)
        while count < 0, errno == EINTR { count = read(output, &bytes, bytes.count) }
        rest += bytes.prefix(max(0, count))
        return count > 0
    }

    /// Sends it a signal.
    package func signal(_ number: Int32) { kill(child, number) }

    /// Ends its input and waits for its end: the exit status, or minus the signal, and what it had yet to say.
    @discardableResult
    package func end() -> (status: Int32, output: String) {
        close(input)
        let output = rest.update { rest in
            while readMore(&rest) {}
            return String(decoding: rest, as: UTF8.self)
        }
        var status: Int32 = 0
        while waitpid(child, &status, 0) < 0, errno == EINTR {}
        let signal = status & 0x7F
        return (signal == 0 ? (status >> 8) & 0xFF : -signal, output)
    }
}
