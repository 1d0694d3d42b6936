internal import FoundationEssentials
internal import LupineCore

/// Brings a request body from its reader to the loop: reads ahead beside the loop, at most ``capacity`` bytes.
final class BodyPump: Sendable {
    /// What the loop gets when it asks.
    enum Taken {
        case bytes(Int)
        /// None yet: `onReadable` will be called.
        case none
        case end
        /// The source has more than `limit`.
        case tooMany
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

    /// - Parameter onReadable: called, on any thread, when there is something after ``Taken/none``.
    init(
        makeReader: @escaping @Sendable () throws -> any BodyReader, onReadable: @escaping @Sendable () -> Void
    ) {
        self.onReadable = onReadable
        // Detached: the reader is a user's code and runs neither on the loop nor in a caller's actor, but where it may block.
        let reading = Task.detached(executorPreference: FileExecutor.shared) { await self.run(makeReader) }
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
            if let limit {
                if state.buffered > limit { return (.tooMany, nil) }
                if count == limit, count > 0, state.end == nil { count -= 1 }
            }
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

    private func run(_ makeReader: @Sendable () throws -> any BodyReader) async {
        var end: Result<Void, any Error> = .success(())
        do {
            let reader = try makeReader()
            defer { reader.close() }
            while await hasRoom(), let piece = try await reader.read(upTo: Self.pieceSize) {
                if !piece.isEmpty { add(piece) }
            }
        } catch {
            end = .failure(error)
        }
        let isStarved = state.withLock { state in
            state.end = end
            state.reading = nil
            return state.isStarved && !state.isStopped
        }
        if isStarved { onReadable() }
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
