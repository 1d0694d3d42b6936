internal import FoundationEssentials
internal import Glibc
internal import LupineCore

/// Files that are read whole, and replaced whole.
enum SmallFile {
    /// - Throws: ``LupineError`` with `file-failed`: it cannot be read, or has more bytes than `limit`.
    static func read(_ path: String, limit: Int) throws(LupineError) -> [UInt8] {
        // Without O_NONBLOCK, opening a named pipe waits for its writer.
        let file = open(path.systemPath, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
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
        let file = try AtomicFile(path, mode: 0o600)
        try file.write(Data(bytes))
        try file.commit(isDurable: true)
    }

    /// Makes sure that ``replace(_:with:)`` will find a place to write to: one that is a regular file's or nobody's, in a
    /// folder that takes a file. By making one and removing it, since only the system knows all that may forbid it.
    static func checkReplaceable(_ path: String) throws(LupineError) { try AtomicFile(path, mode: 0o600).discard() }
}
