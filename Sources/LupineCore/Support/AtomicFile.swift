package import FoundationEssentials
internal import Glibc

/// A file that appears only whole: written beside its place under another name, and moved there at the end. One that was there
/// stays until then. A link to a file stays one.
package final class AtomicFile: Sendable {
    /// Open for writing until the last reference goes.
    package let descriptor: Int32
    private let shown: String
    private let destination: String
    private let temporary: String
    private let isEnded = Lock(false)

    /// Opens the file under its other name.
    ///
    /// - Parameters:
    ///   - path: what is there must be a regular file, or nothing.
    ///   - mode: of a new file, less the umask; `nil`: 0666, and one that takes another's place gets the mode of that.
    /// - Throws: ``LupineError`` with `file-failed` or `no-space`.
    package init(_ path: String, mode: UInt32? = nil) throws(LupineError) {
        shown = path
        let path = path.systemPath
        var status = stat()
        let exists = stat(path, &status) == 0
        // Nobody's; whatever else is wrong with a name will be wrong with it at the end.
        guard exists || (errno == ENOENT && !path.isEmpty) else { throw .file("cannot write", shown, errno) }
        guard !exists || status.st_mode & S_IFMT == S_IFREG else {
            throw LupineError(.fileFailed, "cannot write \(path.quotedForMessage): it is no regular file")
        }
        destination = exists ? Self.resolved(path) : path
        let kept = exists && mode == nil ? status.st_mode & 0o777 : nil
        (descriptor, temporary) = try Self.open(beside: destination, mode: kept ?? mode ?? 0o666, shown: shown)
        // The mode of the file to be replaced, whatever the umask says.
        if let kept { fchmod(descriptor, kept) }
    }

    deinit {
        discard()
        close(descriptor)
    }

    private static func open(
        beside path: String, mode: UInt32, shown: String
    ) throws(LupineError) -> (descriptor: Int32, path: String) {
        let folder = path.lastIndex(of: "/").map { path[...$0] } ?? ""
        var attempt = 0
        while true {
            // Hidden, and short: the file's own name may have the greatest length there is.
            let name = "\(folder).lupine-\(String(UInt64.random(in: .min ... .max), radix: 36))"
            let descriptor = Glibc.open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode)
            if descriptor >= 0 { return (descriptor, name) }
            attempt += 1
            guard errno == EEXIST, attempt < 100 else { throw .file("cannot write", shown, errno) }
        }
    }

    private static func resolved(_ path: String) -> String {
        guard let real = realpath(path, nil) else { return path }
        defer { free(real) }
        return String(cString: real)
    }

    /// Writes all of it, however many calls that takes. Blocks.
    ///
    /// - Throws: ``LupineError`` with `file-failed` or `no-space`.
    package func write(_ data: Data) throws(LupineError) {
        var done = 0
        while done < data.count {
            let count = data.withUnsafeBytes { bytes in
                Glibc.write(descriptor, bytes.baseAddress.map { $0 + done }, bytes.count - done)
            }
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw .file("cannot write", shown, errno) }
            done += count
        }
    }

    /// Puts the file in its place.
    ///
    /// - Parameter isDurable: whether its bytes have to be on the disk before. False by default.
    /// - Throws: ``LupineError`` with `file-failed`.
    package func commit(isDurable: Bool = false) throws(LupineError) {
        guard !isEnded.withLock({ $0 }) else { return }
        if isDurable, fsync(descriptor) != 0 { throw .file("cannot write", shown, errno) }
        guard rename(temporary, destination) == 0 else { throw .file("cannot place", shown, errno) }
        isEnded.withLock { $0 = true }
    }

    /// Removes what has been written, unless it is in its place.
    package func discard() {
        let wasEnded = isEnded.withLock { isEnded in
            defer { isEnded = true }
            return isEnded
        }
        if !wasEnded { unlink(temporary) }
    }
}
