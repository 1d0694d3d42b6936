internal import FoundationEssentials
internal import LupineCore

/// Brings a request body from its reader to the loop: reads ahead beside the loop, at most ``capacity`` bytes.
final class BodyPump: Sendable {
    /// What the loop gets when it asks.
    enum Taken {
        case bytes(Int)
        /// None yet: `onReadable` will be called.
        case none
        /// The source has ended, after as many bytes as it stated.
        case end
        case failed(any Error)
    }

    private struct State {
        var pieces: [Data] = []
        var buffered = 0
        /// How far the first piece is used.
        var offset = 0
        var end: Result<Void, any Error>?
        var isStopped = false
        /// Cancelled when no more is wanted: a source that waits for something should stop waiting.
        var reading: Task<Void, Never>?
        /// The loop asked and found nothing.
        var isStarved = false
        /// The reading task, waiting for room.
        var waiter: CheckedContinuation<Void, Never>?

        /// Moves as many bytes as the buffer holds out of the pieces, which have them.
        mutating func copy(into buffer: UnsafeMutableRawBufferPointer) {
            var count = 0
            while count < buffer.count, let piece = pieces.first {
                let part = min(buffer.count - count, piece.count - offset)
                piece.withUnsafeBytes { bytes in
                    let source = UnsafeRawBufferPointer(rebasing: bytes[offset..<offset + part])
                    UnsafeMutableRawBufferPointer(rebasing: buffer[count...]).copyMemory(from: source)
                }
                count += part
                offset += part
                if offset == piece.count {
                    pieces.removeFirst()
                    offset = 0
                }
            }
            buffered -= count
        }
    }

    static let capacity = 512 << 10
    private static let pieceSize = 256 << 10

    private let state = Lock(State())
    private let onReadable: @Sendable () -> Void

    /// What messages call the source.
    static let name = "the request body"

    /// - Parameters:
    ///   - length: what the source is held to.
    ///   - onReadable: called, on any thread, when there is something after ``Taken/none``.
    init(
        length: Int64?, open: @escaping @Sendable (_ name: String) throws -> any BodyReader,
        onReadable: @escaping @Sendable () -> Void
    ) {
        self.onReadable = onReadable
        // Detached: the reader is a user's code and runs neither on the loop nor in a caller's actor, but where it may block.
        let reading = Task.detached(executorPreference: FileExecutor.shared) { await self.run(length, open) }
        state.withLock { if $0.end == nil { $0.reading = reading } }
    }

    /// No more is wanted. The reader's task is cancelled, and the reader closed once it returns.
    func stop() {
        let (waiter, reading) = state.withLock { state in
            state.isStopped = true
            state.pieces = []
            state.buffered = 0
            return (state.waiter.take(), state.reading.take())
        }
        waiter?.resume()
        reading?.cancel()
    }

    /// Copies what is there, up to the buffer's size.
    ///
    /// - Parameter limit: how many bytes the source may still have, when its length was stated. The last of them is held
    ///   back until the source has ended: one with more must fail, not be cut.
    func take(into buffer: UnsafeMutableRawBufferPointer, limit: Int64?) -> Taken {
        let (taken, waiter): (Taken, CheckedContinuation<Void, Never>?) = state.withLock { state in
            // A source that failed fails the request, whatever it gave before.
            if case .failure(let error) = state.end { return (.failed(error), nil) }
            var count = min(buffer.count, state.buffered)
            if let limit, count == limit, count > 0, state.end == nil { count -= 1 }
            if count > 0 {
                state.copy(into: UnsafeMutableRawBufferPointer(rebasing: buffer[..<count]))
                // Not at once: a reader that is woken for two pieces is woken half as often.
                return (.bytes(count), state.buffered <= Self.capacity / 2 ? state.waiter.take() : nil)
            }
            switch state.end {
            case .some: return (.end, nil)
            case nil:
                state.isStarved = true
                return (.none, nil)
            }
        }
        waiter?.resume()
        return taken
    }

    private func run(_ length: Int64?, _ open: @Sendable (_ name: String) throws -> any BodyReader) async {
        var end: Result<Void, any Error> = .success(())
        do { try await read(length, open) } catch { end = .failure(error) }
        let isStarved = state.withLock { state in
            state.end = end
            state.reading = nil
            return state.isStarved && !state.isStopped
        }
        if isStarved { onReadable() }
    }

    private func read(_ length: Int64?, _ open: @Sendable (_ name: String) throws -> any BodyReader) async throws {
        // Of what can be read only once nothing is read in vain.
        guard await hasRoom() else { return }
        let reader = try MeasuredReader(length: length, name: Self.name, open: open)
        defer { reader.close() }
        while await hasRoom(), let piece = try await reader.read(upTo: Self.pieceSize) { add(piece) }
    }

    /// Waits until there is room. False when no more is wanted.
    private func hasRoom() async -> Bool {
        await withCheckedContinuation { continuation in
            let isFree = state.withLock { state in
                if state.isStopped || state.buffered < Self.capacity { return true }
                state.waiter = continuation
                return false
            }
            if isFree { continuation.resume() }
        }
        return state.withLock { !$0.isStopped }
    }

    private func add(_ piece: Data) {
        let isStarved = state.withLock { state in
            guard !state.isStopped else { return false }
            state.pieces.append(piece)
            state.buffered += piece.count
            defer { state.isStarved = false }
            return state.isStarved
        }
        if isStarved { onReadable() }
    }
}
