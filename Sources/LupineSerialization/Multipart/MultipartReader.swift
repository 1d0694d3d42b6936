internal import FoundationEssentials
internal import LupineCore

/// A piece of a form's body.
enum MultipartSegment: Sendable {
    case bytes(Data)
    case source(@Sendable () throws -> PartReader)

    /// The content of a part.
    init(_ part: MultipartPart) {
        let (length, label) = (part.content.length, part.label)
        switch part.content.source {
        case .bytes(let data): self = .bytes(data)
        case .reader(let open): self = .source { try PartReader(length: length, label: label, open: open) }
        }
    }
}

/// How fast a form may be read.
struct MultipartThrottle: Sendable {
    let packetSize: Int
    let delay: Duration
    let clock: any Clock<Duration>

    func wait() async throws {
        if delay > .zero { try await clock.sleep(for: delay) }
    }
}

/// Reads a form from its first delimiter to its last. Holds one piece of one part at a time, and one source open.
final class MultipartReader: BodyReader {
    private struct State {
        var segment = 0
        /// How far the segment is, if it is bytes.
        var offset = 0
        var source: PartReader?
        var isBegun = false
    }

    private let segments: [MultipartSegment]
    private let throttle: MultipartThrottle?
    /// A body is asked for one piece at a time, so nothing here waits for a lock.
    private let state = Lock(State())

    init(_ segments: [MultipartSegment], throttle: MultipartThrottle?) {
        self.segments = segments
        self.throttle = throttle
    }

    func read(upTo count: Int) async throws -> Data? {
        let isBegun = state.withLock { state in
            defer { state.isBegun = true }
            return state.isBegun
        }
        if isBegun, !isAtEnd { try await throttle?.wait() }
        let count = max(1, min(count, throttle?.packetSize ?? count))
        while !isAtEnd {
            switch segments[state.withLock(\.segment)] {
            case .bytes(let data): return take(count, of: data)
            case .source(let open):
                let source = try source(open)
                if let piece = try await source.read(upTo: count) { return piece }
                source.close()
                state.withLock { state in
                    state.source = nil
                    state.segment += 1
                }
            }
        }
        return nil
    }

    func close() { state.withLock { $0.source.take() }?.close() }

    private var isAtEnd: Bool { state.withLock { $0.segment == segments.count } }

    /// The next bytes of a run, which has some left.
    private func take(_ count: Int, of data: Data) -> Data {
        state.withLock { state in
            let start = data.startIndex + state.offset
            let end = min(start + count, data.endIndex)
            state.offset += end - start
            if end == data.endIndex {
                state.segment += 1
                state.offset = 0
            }
            return data[start..<end]
        }
    }

    private func source(_ open: @Sendable () throws -> PartReader) throws -> PartReader {
        if let source = state.withLock({ $0.source }) { return source }
        let source = try open()
        state.withLock { $0.source = source }
        return source
    }
}
