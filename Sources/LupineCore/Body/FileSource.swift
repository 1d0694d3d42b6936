internal import Glibc

/// A regular file as it was when it was named. What is read of it later is that, or an error.
package struct FileSource: Sendable {
    package let path: String
    let identity: Identity

    /// Bytes, as of then.
    package var size: Int64 { identity.size }

    /// What tells a file from one that took its place, and from itself after a change.
    struct Identity: Equatable, Sendable {
        let device: UInt64
        let inode: UInt64
        let size: Int64
        let modified: [Int]

        fileprivate init(_ status: stat) {
            device = UInt64(status.st_dev)
            inode = UInt64(status.st_ino)
            size = Int64(status.st_size)
            modified = [status.st_mtim.tv_sec, status.st_mtim.tv_nsec]
        }
    }

    /// What to do about what cannot be sent as a file. Ends the message.
    package static let advice = "send a stream instead"

    /// - Throws: ``LupineError`` with `upload-source-failed`: there is no such file, it cannot be read, it does not have the
    ///   length that it states, or it is a directory, a pipe or a device.
    package init(_ path: String) throws(LupineError) {
        // Asked before it is opened: to open a device may do something.
        var status = stat()
        guard stat(path.systemPath, &status) == 0 else { throw .uploadSource(cannotRead: path, errno) }
        let kind = status.st_mode & S_IFMT
        guard kind != S_IFDIR else { throw .uploadSource(cannotRead: path, EISDIR) }
        guard kind == S_IFREG else {
            throw LupineError(.uploadSourceFailed, "\(path.quotedForMessage) is no regular file; \(Self.advice)")
        }
        self.path = path
        let file = try FileDescriptor.opening(path)
        identity = try Identity(file, path)
        // Files of the kernel say that they have nothing, or a page, and have something else.
        var byte: UInt8 = 0
        let count = pread(file.number, &byte, 1, off_t(max(size - 1, 0)))
        guard count >= 0 else { throw .uploadSource(cannotRead: path, errno) }
        guard count == min(size, 1) else {
            throw LupineError(
                .uploadSourceFailed,
                "\(path.quotedForMessage) is not as long as it says (\(size) bytes), as files of the kernel are not; \(Self.advice)"
            )
        }
    }

    /// Opens the file for reading a range of it: as it was, or an error.
    ///
    /// - Throws: ``LupineError`` with `upload-source-failed`: it has gone, or is another by now.
    func reader(of range: Range<Int64>) throws(LupineError) -> any BodyReader {
        let file = try FileDescriptor.opening(path)
        try verify(file)
        return FileBodyReader(file: file, of: self, range: range)
    }

    /// - Throws: ``LupineError`` with `upload-source-failed`: the file is another than it was. A change that its time of
    ///   modification does not show is not seen; one of its length always is.
    func verify(_ file: FileDescriptor) throws(LupineError) {
        var byte: UInt8 = 0
        // It may grow just after its length was asked.
        let hasMore = pread(file.number, &byte, 1, off_t(size)) > 0
        guard try Identity(file, path) == identity, !hasMore else {
            throw LupineError(
                .uploadSourceFailed,
                "\(path.quotedForMessage) has changed since it was chosen; what was sent is not whole")
        }
    }
}

extension FileSource.Identity {
    fileprivate init(_ file: FileDescriptor, _ path: String) throws(LupineError) {
        var status = stat()
        guard fstat(file.number, &status) == 0 else { throw .uploadSource(cannotRead: path, errno) }
        self.init(status)
    }
}

extension LupineError {
    static func uploadSource(cannotRead path: String, _ number: Int32) -> LupineError {
        LupineError(
            .uploadSourceFailed, "cannot read \(path.quotedForMessage): \(String(cString: strerror(number)))")
    }
}
