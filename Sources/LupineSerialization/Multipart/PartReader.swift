internal import FoundationEssentials
internal import LupineCore

/// Reads the source of one part, in pieces of the size that is asked for.
final class PartReader: Sendable {
    private let reader: MeasuredReader
    /// What the source gave beyond what it was asked for.
    private let surplus = Lock(Data())

    /// - Throws: ``LupineError`` with `upload-source-failed`: it could not be opened.
    init(length: Int64?, label: String, open: (_ name: String) throws -> any BodyReader) throws {
        reader = try MeasuredReader(length: length, name: label, open: open)
    }

    /// The next bytes, `count` at most and never none. `nil` at the end.
    ///
    /// - Throws: ``LupineError`` with `upload-source-failed`: the source failed, or has another number of bytes than it stated.
    func read(upTo count: Int) async throws -> Data? {
        let held = surplus.withLock { surplus in
            let held = surplus
            surplus = Data()
            return held
        }
        guard let piece = held.isEmpty ? try await reader.read(upTo: count) : held else { return nil }
        if piece.count > count { surplus.withLock { $0 = piece.dropFirst(count) } }
        return piece.prefix(count)
    }

    func close() { reader.close() }
}
