internal import Dispatch
internal import FoundationEssentials
internal import Glibc
internal import LupineCore

/// Where the command reads and writes: three descriptors, the process's own or a test's.
struct Console: Sendable {
    var input: Int32 = STDIN_FILENO
    var output: Int32 = STDOUT_FILENO
    var errors: Int32 = STDERR_FILENO

    /// Whoever read the standard output has gone.
    struct OutputClosed: Error {}

    /// Fills the standard descriptors that the process was started without: else the next file or socket would get the
    /// number, and the body would be written into it. Writing to one filled here fails.
    static func occupyStandardDescriptors() {
        for (number, mode) in [(STDIN_FILENO, O_WRONLY), (STDOUT_FILENO, O_RDONLY), (STDERR_FILENO, O_RDONLY)]
        where fcntl(number, F_GETFD) < 0 {
            // Numbers are given from the lowest free one.
            _ = open("/dev/null", mode)
        }
    }

    /// Blocking writes happen here, beside the event loop and beside Swift's own threads.
    private static let queue = DispatchQueue(label: "lupine.console")

    /// Writes to the standard output.
    ///
    /// - Throws: ``OutputClosed``; ``LupineError`` with `no-space` or `file-failed`.
    func write(_ data: Data) async throws {
        guard !data.isEmpty else { return }
        try await Self.onQueue { [output] in try output.writeAll(data, name: "standard output") }
    }

    func write(_ text: String) async throws { try await write(Data(text.utf8)) }

    /// Writes a line to the standard error. Control characters, which may come from a server, are shown as escapes, since a
    /// terminal would obey them.
    func complain(_ line: String) {
        // Nobody is left to be told of a failure.
        try? errors.writeAll(Data("\(line.visible)\n".utf8), name: "standard error")
    }

    static func onQueue<Value: Sendable>(_ work: @escaping @Sendable () throws -> Value) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            queue.async { continuation.resume(with: Result(catching: work)) }
        }
    }
}

extension Int32 {
    /// Writes all, through interruptions and short writes.
    func writeAll(_ data: Data, name: String) throws {
        try data.withUnsafeBytes { bytes in
            var rest = bytes[...]
            while !rest.isEmpty {
                let count = Glibc.write(self, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
                if count >= 0 {
                    rest = rest.dropFirst(count)
                    continue
                }
                switch errno {
                case EINTR: continue
                case EAGAIN:
                    // Somebody who shares the descriptor made it non-blocking.
                    var waiting = pollfd(fd: self, events: Int16(POLLOUT), revents: 0)
                    poll(&waiting, 1, -1)
                case EPIPE: throw Console.OutputClosed()
                default: throw LupineError.file("cannot write", name, errno)
                }
            }
        }
    }
}

extension String {
    /// One line without control characters.
    var visible: String {
        guard unicodeScalars.contains(where: { $0.properties.generalCategory == .control && $0 != "\t" }) else {
            return self
        }
        return unicodeScalars.reduce(into: "") { text, scalar in
            let isControl = scalar.properties.generalCategory == .control && scalar != "\t"
            if isControl { text += scalar.escaped(asASCII: true) } else { text.unicodeScalars.append(scalar) }
        }
    }
}
