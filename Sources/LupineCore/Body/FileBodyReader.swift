internal import FoundationEssentials
internal import Glibc

extension HTTPBody {
    /// A file, or a part of it. Opened once here, so that a source that cannot be read is told before anything is
    /// sent, and read while it is sent. It must then be what it is now, also where only a part is sent: a file that has gone,
    /// become longer or shorter or been written since, fails the sending with `upload-source-failed`.
    ///
    /// - Parameter range: the bytes to send; `nil`: all of them.
    /// - Throws: ``LupineError`` with `upload-source-failed`: the path is no readable file, or one of the kernel's that do not
    ///   know their length, or the range is outside it.
    public static func file(_ path: String, range: Range<Int64>? = nil) throws(LupineError) -> HTTPBody {
        let file = try FileSource(path)
        let range = range ?? 0..<file.size
        guard range.lowerBound >= 0, range.upperBound <= file.size else {
            throw LupineError(
                .uploadSourceFailed,
                "bytes \(range.lowerBound)..<\(range.upperBound) are outside \(path.quotedForMessage), which has \(file.size)"
            )
        }
        return .stream(length: Int64(range.count)) { try file.reader(of: range) }
    }

    /// An open descriptor, such as standard input: read once, to its end, and not closed.
    public static func descriptor(_ number: Int32, length: Int64? = nil) -> HTTPBody {
        .oneShotStream(length: length, reader: DescriptorBodyReader(number: number))
    }
}

/// An open file, closed with its last reference.
final class FileDescriptor: Sendable {
    let number: Int32

    init(number: Int32) { self.number = number }
    deinit { close(number) }

    static func opening(_ path: String) throws(LupineError) -> FileDescriptor {
        // Without O_NONBLOCK, opening a named pipe waits for its writer; a regular file does not mind.
        let number = open(path.systemPath, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
        guard number >= 0 else { throw .uploadSource(cannotRead: path, errno) }
        return FileDescriptor(number: number)
    }
}

/// Reads a range of a file, which is checked once more before the last piece is given.
final class FileBodyReader: BodyReader {
    private let file: FileDescriptor
    private let source: FileSource
    private let range: Range<Int64>
    private let position: Lock<Int64>
    private let memory = PieceMemory()

    init(file: FileDescriptor, of source: FileSource, range: Range<Int64>) {
        self.file = file
        self.source = source
        self.range = range
        position = Lock(range.lowerBound)
    }

    func read(upTo count: Int) async throws -> Data? {
        let start = position.withLock { $0 }
        let wanted = Int(min(Int64(count), range.upperBound - start))
        guard wanted > 0 else { return nil }
        let piece = try await FileExecutor.shared.run { [file, source, range, memory] in
            let piece = try memory.piece(wanted, name: source.path) {
                pread(file.number, $0.baseAddress, $0.count, off_t(start))
            }
            if let piece, start + Int64(piece.count) == range.upperBound { try source.verify(file) }
            return piece
        }
        guard let piece else {
            throw LupineError(.uploadSourceFailed, "\(source.path.quotedForMessage) became shorter while it was sent")
        }
        position.withLock { $0 = start + Int64(piece.count) }
        return piece
    }
}

/// Reads a descriptor that cannot be sought.
final class DescriptorBodyReader: BodyReader {
    private let number: Int32
    private let memory = PieceMemory()

    init(number: Int32) { self.number = number }

    func read(upTo count: Int) async throws -> Data? {
        try await FileExecutor.shared.run { [number, memory] in
            try memory.piece(count, name: "descriptor \(number)") { Glibc.read(number, $0.baseAddress, $0.count) }
        }
    }
}
