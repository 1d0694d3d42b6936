internal import FoundationEssentials
internal import LupineCore

/// Gives libcurl the request body piece by piece. Confined to the loop.
struct RequestBodyFeed {
    enum Piece {
        case bytes(Int)
        case pause
        case end
        case fault(LupineError)
    }

    private let body: HTTPBody
    private let length: Int64?
    private let onReadable: @Sendable () -> Void
    private var pump: BodyPump?
    /// How many bytes libcurl has been given since the last start.
    private(set) var given: Int64 = 0

    init(_ body: HTTPBody, length: Int64?, onReadable: @escaping @Sendable () -> Void) {
        self.body = body
        self.length = length
        self.onReadable = onReadable
    }

    /// The next bytes.
    mutating func read(into buffer: UnsafeMutableRawBufferPointer) -> Piece {
        switch body.source {
        case .bytes(let data):
            let count = min(buffer.count, data.count - Int(given))
            guard count > 0 else { return .end }
            data.withUnsafeBytes { bytes in
                buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[Int(given)..<Int(given) + count]))
            }
            given += Int64(count)
            return .bytes(count)
        case .reader(let open):
            let pump = self.pump ?? BodyPump(length: length, open: open, onReadable: onReadable)
            self.pump = pump
            return read(from: pump, into: buffer)
        }
    }

    private mutating func read(from pump: BodyPump, into buffer: UnsafeMutableRawBufferPointer) -> Piece {
        switch pump.take(into: buffer, limit: length.map { $0 - given }) {
        case .bytes(let count):
            given += Int64(count)
            return .bytes(count)
        case .none: return .pause
        case .end: return .end
        case .failed(let error): return .fault(.uploadSource(BodyPump.name, failedWith: error))
        }
    }

    /// Back to the start, for a second sending. False when the source can be read only once.
    mutating func rewind() -> Bool {
        guard given > 0 || pump != nil else { return true }
        guard body.isRewindable else { return false }
        stop()
        given = 0
        return true
    }

    mutating func stop() {
        pump?.stop()
        pump = nil
    }
}
