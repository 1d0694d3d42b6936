internal import Dispatch
internal import Foundation
internal import Lupine
internal import LupineCore

/// Reads a Foundation stream as a body, once, on a queue of its own: a stream may block.
final class InputStreamReader: BodyReader, @unchecked Sendable {
    // Safe to share: the stream is reached on `queue` alone, one call at a time.
    private let stream: InputStream
    private let queue = DispatchQueue(label: "lupine.body-stream")

    /// Bytes a read, at most, whatever is asked for.
    private static let largestPiece = 64 << 10

    init(_ stream: InputStream) { self.stream = stream }

    func read(upTo count: Int) async throws -> Data? {
        try await withCheckedThrowingContinuation { continuation in
            queue.async { continuation.resume(with: Result { try self.nextPiece(min(count, Self.largestPiece)) }) }
        }
    }

    func close() { queue.async { self.stream.close() } }

    private func nextPiece(_ count: Int) throws -> Data? {
        if stream.streamStatus == .notOpen { stream.open() }
        // Read again, it would pass for an empty body.
        guard stream.streamStatus != .closed else { throw fault("it has been read and closed before") }
        var piece = Data(count: count)
        let got = piece.withUnsafeMutableBytes { buffer in
            guard let start = buffer.bindMemory(to: UInt8.self).baseAddress else { return 0 }
            return stream.read(start, maxLength: count)
        }
        // Not `streamError`: on Linux asking for it ends the process.
        guard got >= 0 else { throw fault("it reports an error") }
        return got == 0 ? nil : piece.prefix(got)
    }

    private func fault(_ reason: String) -> LupineError {
        LupineError(.uploadSourceFailed, "the request's body stream cannot be read: \(reason)")
    }
}
