internal import FoundationEssentials

extension HTTPBody {
    /// Writes the body to a file, as it would be sent: read and written in pieces, beside the caller's thread. The file appears
    /// whole, in the place of one that was there, or not at all.
    ///
    /// - Parameters:
    ///   - path: a link to a file stays one; a new file gets the mode 0666 less the umask.
    ///   - progress: told after each piece how many bytes are written, and how many there will be, if that is known.
    /// - Throws: ``LupineError`` with `upload-source-failed`: a source failed, or gave another number of bytes than it stated;
    ///   `file-failed` or `no-space`; `cancelled`.
    public func write(
        to path: String, progress: (@Sendable (_ written: Int64, _ total: Int64?) -> Void)? = nil
    ) async throws(LupineError) {
        do {
            try await withTaskExecutorPreference(FileExecutor.shared) {
                let file = try AtomicFile(path)
                try await write(into: file, progress: progress)
                try file.commit()
            }
        } catch let error as LupineError {
            throw error
        } catch is CancellationError {
            throw LupineError(.cancelled, "writing \(path.quotedForMessage) was cancelled")
        } catch {
            throw .uploadSource("the body", failedWith: error)
        }
    }

    private static let pieceSize = 256 << 10

    private func write(into file: AtomicFile, progress: (@Sendable (Int64, Int64?) -> Void)?) async throws {
        switch source {
        case .bytes(let data):
            try file.write(data)
            progress?(Int64(data.count), length)
        case .reader(let open):
            let reader = try MeasuredReader(length: length, name: "the body", open: open)
            defer { reader.close() }
            var written: Int64 = 0
            while let piece = try await reader.read(upTo: Self.pieceSize) {
                written += Int64(piece.count)
                try await FileExecutor.shared.run { try file.write(piece) }
                progress?(written, length)
            }
        }
    }
}
