internal import FoundationEssentials
internal import Glibc
internal import LupineCore

/// A file that appears only whole: written beside its place under another name, and moved there at the end.
///
/// What is no regular file, such as a device or a pipe, is written as it stands.
final class OutputFile: Sendable {
    /// The path as the caller gave it.
    let path: String
    private let target: Target

    private enum Target {
        case file(AtomicFile)
        /// Written as it stands, and closed with the last reference.
        case device(Int32)
    }

    /// Opens the file, so that one that cannot be written is told before anything is sent.
    ///
    /// - Throws: ``LupineError`` with `file-failed` or `no-space`.
    init(_ path: String) throws(LupineError) {
        self.path = path
        var status = stat()
        let exists = stat(path.systemPath, &status) == 0
        if exists, status.st_mode & S_IFMT == S_IFDIR { throw .file("cannot write", path, EISDIR) }
        if exists, status.st_mode & S_IFMT != S_IFREG {
            let descriptor = open(path.systemPath, O_WRONLY | O_CLOEXEC)
            guard descriptor >= 0 else { throw .file("cannot write", path, errno) }
            target = .device(descriptor)
        } else {
            target = .file(try AtomicFile(path))
        }
    }

    deinit {
        if case .device(let descriptor) = target { close(descriptor) }
    }

    private var descriptor: Int32 {
        switch target {
        case .file(let file): file.descriptor
        case .device(let descriptor): descriptor
        }
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
        if case .file(let file) = target { try file.commit() }
    }

    /// Removes what has been written, unless it is in its place.
    func discard() {
        if case .file(let file) = target { file.discard() }
    }
}
