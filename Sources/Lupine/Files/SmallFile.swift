internal import FoundationEssentials
internal import Glibc
internal import LupineCore

/// Files that are read whole, and replaced whole.
enum SmallFile {
    /// - Throws: ``LupineError`` with `file-failed`: it cannot be read, or has more bytes than `limit`.
    static func read(_ path: String, limit: Int) throws(LupineError) -> [UInt8] {
        // Without O_NONBLOCK, opening a named pipe waits for its writer.
        let file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard file >= 0 else { throw .file("cannot read", path, errno) }
        defer { close(file) }
        var bytes: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 64 << 10)
        while true {
            let count = Glibc.read(file, &piece, piece.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw .file("cannot read", path, errno) }
            guard count > 0 else { return bytes }
            guard bytes.count + count <= limit else { throw .file("cannot read", path, EFBIG) }
            bytes += piece[..<count]
        }
    }

    /// Writes a file that its owner alone may read or write. It appears whole, in the place of one that was there, or not
    /// at all: it is written beside it under another name, and moved. A link to a file stays one.
    ///
    /// - Throws: ``LupineError`` with `file-failed` or `no-space`.
    static func replace(_ path: String, with bytes: [UInt8]) throws(LupineError) {
        let destination = try destination(of: path)
        let (file, temporary) = try openBeside(destination, shown: path)
        do throws(LupineError) {
            defer { close(file) }
            try write(bytes, to: file, shown: path)
            guard fsync(file) == 0 else { throw .file("cannot write", path, errno) }
            guard rename(temporary, destination) == 0 else { throw .file("cannot place", path, errno) }
        } catch {
            unlink(temporary)
            throw error
        }
    }

    /// Makes sure that ``replace(_:with:)`` will find a place to write to: one that is a regular file's or nobody's, in a
    /// folder that takes a file. By making one and removing it, since only the system knows all that may forbid it.
    static func checkReplaceable(_ path: String) throws(LupineError) {
        let (file, temporary) = try openBeside(destination(of: path), shown: path)
        close(file)
        unlink(temporary)
    }

    private static func destination(of path: String) throws(LupineError) -> String {
        var status = stat()
        guard stat(path, &status) == 0 else {
            // Nobody's; whatever else is wrong with a name will be wrong with it at the end.
            guard errno == ENOENT, !path.isEmpty else { throw .file("cannot write", path, errno) }
            return path
        }
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw LupineError(.fileFailed, "cannot write \(path.quotedForMessage): it is no regular file")
        }
        return resolved(path)
    }

    private static func openBeside(_ destination: String, shown path: String) throws(LupineError) -> (Int32, String) {
        let folder = destination.lastIndex(of: "/").map { destination[...$0] } ?? ""
        var attempt = 0
        while true {
            // Short, since the file's own name may be the longest there is.
            let name = "\(folder).lupine-\(String(UInt64.random(in: .min ... .max), radix: 36))"
            let file = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
            if file >= 0 { return (file, name) }
            attempt += 1
            guard errno == EEXIST, attempt < 100 else { throw .file("cannot write", path, errno) }
        }
    }

    private static func write(_ bytes: [UInt8], to file: Int32, shown path: String) throws(LupineError) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(file, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw .file("cannot write", path, errno) }
            rest = rest.dropFirst(count)
        }
    }

    private static func resolved(_ path: String) -> String {
        guard let real = realpath(path, nil) else { return path }
        defer { free(real) }
        return String(cString: real)
    }
}
