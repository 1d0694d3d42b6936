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

    /// - Throws: ``LupineError`` with `upload-source-failed`: there is no such file, it cannot be read, or it is a directory,
    ///   a pipe or a device.
    package init(_ path: String) throws(LupineError) {
        // Asked before it is opened: to open a device may do something.
        var status = stat()
        guard stat(path, &status) == 0 else { throw .uploadSource(cannotRead: path, errno) }
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw LupineError(.uploadSourceFailed, "\(path.quotedForMessage) is no regular file; send a stream instead")
        }
        self.path = path
        identity = try Identity(try FileDescriptor.opening(path), path)
    }

    /// Opens the file for reading all of it: whole and unchanged, or an error.
    ///
    /// - Throws: ``LupineError`` with `upload-source-failed`: it has gone, or is another by now.
    package func reader() throws(LupineError) -> any BodyReader {
        let file = try FileDescriptor.opening(path)
        try verify(file)
        return FileBodyReader(file: file, name: path, range: 0..<size, whole: self)
    }

    /// - Throws: ``LupineError`` with `upload-source-failed`: the file is another than it was. A change that its time of
    ///   modification does not show is not seen; one of its length always is.
    func verify(_ file: FileDescriptor) throws(LupineError) {
        var byte: UInt8 = 0
        // Files of the kernel say that they have nothing, and have something.
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
