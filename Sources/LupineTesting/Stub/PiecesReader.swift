public import FoundationEssentials
public import LupineCore

/// A body source that gives its pieces, one a read.
///
/// ```swift
/// let body = HTTPBody.oneShotStream(reader: PiecesReader(["hello, ", "world"]))
/// ```
public final class PiecesReader: BodyReader {
    private let pieces: Lock<[Data]>

    /// Gives these texts as UTF-8. An empty one is an empty piece.
    public init(_ pieces: [String]) { self.pieces = Lock(pieces.map { Data($0.utf8) }) }

    /// The next piece, whatever its size.
    public func read(upTo count: Int) async throws -> Data? {
        pieces.withLock { $0.isEmpty ? nil : $0.removeFirst() }
    }
}
