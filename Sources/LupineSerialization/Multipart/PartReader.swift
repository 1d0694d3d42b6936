internal import FoundationEssentials
internal import LupineCore

/// Reads the source of one part and holds it to its length.
final class PartReader: Sendable {
    private struct State {
        var given: Int64 = 0
        /// What the source gave beyond what it was asked for.
        var surplus = Data()
    }

    private let reader: any BodyReader
    private let length: Int64?
    private let label: String
    private let state = Lock(State())

    /// - Throws: ``LupineError`` with `upload-source-failed`: it could not be opened.
    init(length: Int64?, label: String, _ open: @Sendable () throws -> any BodyReader) throws {
        self.length = length
        self.label = label
        do { reader = try open() } catch { throw Self.failure(error, label) }
    }

    /// The next bytes, `count` at most and never none. `nil` at the end.
    ///
    /// - Throws: ``LupineError`` with `upload-source-failed`: the source failed, or has another number of bytes than it stated.
    func read(upTo count: Int) async throws -> Data? {
        if let piece = takeSurplus(count) { return piece }
        while let piece = try await next(count) {
            guard !piece.isEmpty else { continue }
            let given = state.withLock { state in
                state.given += Int64(piece.count)
                if piece.count > count { state.surplus = piece.dropFirst(count) }
                return state.given
            }
            if let length, given > length {
                throw LupineError(.uploadSourceFailed, "\(label) has more than its \(length) bytes")
            }
            return piece.prefix(count)
        }
        let given = state.withLock(\.given)
        if let length, given < length {
            throw LupineError(.uploadSourceFailed, "\(label) ended after \(given) of \(length) bytes")
        }
        return nil
    }

    func close() { reader.close() }

    private func next(_ count: Int) async throws -> Data? {
        do { return try await reader.read(upTo: count) } catch { throw Self.failure(error, label) }
    }

    private func takeSurplus(_ count: Int) -> Data? {
        state.withLock { state in
            guard !state.surplus.isEmpty else { return nil }
            defer { state.surplus = state.surplus.dropFirst(count) }
            return state.surplus.prefix(count)
        }
    }

    private static func failure(_ error: any Error, _ label: String) -> any Error {
        if error is LupineError || error is CancellationError { return error }
        return LupineError(.uploadSourceFailed, "the source of \(label) failed: \(error)", underlying: error)
    }
}
