internal import FoundationEssentials
internal import Glibc
internal import LupineCore

/// A file that appears only whole: written beside its place under another name, and moved there at the end.
///
/// What is no regular file, such as a device or a pipe, is written as it stands.
final class OutputFile: Sendable {
    /// The path as the caller gave it.
    let path: String
    private let descriptor: Int32
    /// Where the file goes, links followed. `nil`: it is there already.
    private let destination: String?
    /// Where it is until then.
    private let temporary: String?
    private let isEnded = Lock(false)

    /// Opens the file, so that one that cannot be written is told before anything is sent.
    ///
    /// - Throws: ``LupineError`` with `file-failed` or `no-space`.
    init(_ path: String) throws(LupineError) {
        self.path = path
        var status = stat()
        let exists = stat(path, &status) == 0
        if exists, status.st_mode & S_IFMT == S_IFDIR { throw .file("cannot write", path, EISDIR) }
        if exists, status.st_mode & S_IFMT != S_IFREG {
            descriptor = open(path, O_WRONLY | O_CLOEXEC)
            guard descriptor >= 0 else { throw .file("cannot write", path, errno) }
            destination = nil
            temporary = nil
            return
        }
        // A link to a file stays one.
        let destination = exists ? Self.resolved(path) : path
        let mode = exists ? status.st_mode & 0o777 : 0o666
        var attempt = 0
        while true {
            let temporary = Self.sibling(of: destination)
            let number = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode)
            if number >= 0 {
                descriptor = number
                self.destination = destination
                self.temporary = temporary
                // The mode that a file to be replaced has, whatever the umask says.
                if exists { fchmod(number, mode) }
                return
            }
            attempt += 1
            guard errno == EEXIST, attempt < 100 else { throw .file("cannot write", path, errno) }
        }
    }

    deinit {
        discard()
        close(descriptor)
    }

    private static func resolved(_ path: String) -> String {
        guard let real = realpath(path, nil) else { return path }
        defer { free(real) }
        return String(cString: real)
    }

    /// A hidden name in the same folder; short, since the file's own may have the greatest length there is.
    private static func sibling(of path: String) -> String {
        let folder = path.lastIndex(of: "/").map { path[...$0] } ?? ""
        return "\(folder).lupine-\(String(UInt64.random(in: .min ... .max), radix: 36))"
    }

    /// - Throws: ``LupineError`` with `file-failed` or `no-space`.
    func write(_ data: Data) async throws {
        try await Console.onQueue { [descriptor, path] in
            do { try descriptor.writeAll(data, name: path) } catch is Console.OutputClosed {
                throw LupineError.file("cannot write", path, EPIPE)
            }
        }
    }

    /// Puts the file in its place.
    ///
    /// - Throws: ``LupineError`` with `file-failed`.
    func commit() throws(LupineError) {
        guard let temporary, let destination, !isEnded.withLock({ $0 }) else { return }
        guard rename(temporary, destination) == 0 else { throw .file("cannot place", path, errno) }
        isEnded.withLock { $0 = true }
    }

    /// Removes what has been written, unless it is in its place.
    func discard() {
        let wasEnded = isEnded.withLock { isEnded in
            defer { isEnded = true }
            return isEnded
        }
        if !wasEnded, let temporary { unlink(temporary) }
    }
}
