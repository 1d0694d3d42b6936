package import FoundationEssentials

/// Reads a source and holds it to its word: pieces that have bytes, as many bytes in all as were stated, or an error.
package final class MeasuredReader: BodyReader {
    private let base: any BodyReader
    private let length: Int64?
    private let name: String
    private let given = Lock<Int64>(0)

    /// - Parameters:
    ///   - length: in bytes; `nil`: unknown.
    ///   - name: what messages call the source.
    /// - Throws: ``LupineError`` with `upload-source-failed`: it could not be opened.
    package init(length: Int64?, name: String, open: (_ name: String) throws -> any BodyReader) throws {
        self.length = length
        self.name = name
        do { base = try open(name) } catch { throw Self.failure(error, of: name) }
    }

    /// The next bytes, never none. `nil` at the end.
    ///
    /// - Throws: ``LupineError`` with `upload-source-failed`: the source failed, or has another number of bytes than it stated;
    ///   `CancellationError`.
    package func read(upTo count: Int) async throws -> Data? {
        while let piece = try await next(count) {
            try Task.checkCancellation()
            guard !piece.isEmpty else {
                // A source that has nothing each time it is asked keeps a thread from nobody.
                await Task.yield()
                continue
            }
            let given = given.withLock { given in
                given += Int64(piece.count)
                return given
            }
            if let length, given > length {
                throw LupineError(.uploadSourceFailed, "\(name) has more than its \(length) bytes")
            }
            return piece
        }
        let given = given.withLock { $0 }
        if let length, given != length {
            throw LupineError(.uploadSourceFailed, "\(name) ended after \(given) of \(length) bytes")
        }
        return nil
    }

    package func close() { base.close() }

    private func next(_ count: Int) async throws -> Data? {
        do { return try await base.read(upTo: count) } catch { throw Self.failure(error, of: name) }
    }

    private static func failure(_ error: any Error, of name: String) -> any Error {
        error is CancellationError ? error : LupineError.uploadSource(name, failedWith: error)
    }
}

extension LupineError {
    /// What the source of a body threw: an error of ours as it is, any other beneath `upload-source-failed`.
    package static func uploadSource(_ name: String, failedWith error: any Error) -> LupineError {
        error as? LupineError
            ?? LupineError(.uploadSourceFailed, "the source of \(name) failed: \(error.onOneLine)", underlying: error)
    }
}
