internal import LupineCore

/// Whether a body's chunks are what RFC 9112 section 7.1 has: a state machine, fed with the bytes as they came.
///
/// libcurl 7.88 reads the digits of a chunk's size and takes whatever follows them for an extension: `0x5` is to it the
/// last chunk, and a body that never came is whole. Only the size and the ends are strict here; a line may end with LF
/// alone (section 2.2) and have blanks before its end.
struct ChunkChecker {
    private enum State {
        case size(UInt64, digits: Int)
        /// Blanks after the size.
        case blank(UInt64)
        case extensions(UInt64)
        /// A CR has come, which LF must follow.
        case sizeEnd(UInt64)
        case data(UInt64)
        case dataEnd, dataLineFeed
        /// In the lines after the last chunk; whether the line has anything in it.
        case trailer(isEmpty: Bool)
        case done
    }

    private var state = State.size(0, digits: 0)
    /// Bytes of data in sound chunks so far.
    private(set) var dataCount: Int64 = 0
    /// Something was no chunk; nothing after it counts.
    private(set) var isDamaged = false

    /// Whether the last chunk and the empty line after it came.
    var isDone: Bool {
        if case .done = state { return true }
        return false
    }

    /// What comes after the end is not judged.
    mutating func feed(_ bytes: UnsafeRawBufferPointer) {
        var index = 0
        while index < bytes.count, !isDamaged {
            switch state {
            case .data(let left):
                let taken = Int(clamping: min(left, UInt64(bytes.count - index)))
                index += taken
                dataCount += Int64(taken)
                state = left == UInt64(taken) ? .dataEnd : .data(left - UInt64(taken))
            case .done: return
            default:
                if let next = next(bytes[index]) { state = next } else { isDamaged = true }
                index += 1
            }
        }
    }

    private func next(_ byte: UInt8) -> State? {
        let isBlank = byte == 0x20 || byte == 0x09
        switch (state, byte) {
        case (.size(let size, let digits), _) where byte.isASCIIHexDigit:
            let value = byte.isASCIIDigit ? byte - 0x30 : (byte | 0x20) - 0x61 + 10
            return size >> 60 == 0 ? .size(size << 4 | UInt64(value), digits: digits + 1) : nil
        case (.size(_, digits: 0), _): return nil
        case (.size(let size, _), 0x0D), (.blank(let size), 0x0D), (.extensions(let size), 0x0D): return .sizeEnd(size)
        case (.size(let size, _), 0x0A), (.blank(let size), 0x0A), (.extensions(let size), 0x0A),
            (.sizeEnd(let size), 0x0A):
            return size == 0 ? .trailer(isEmpty: true) : .data(size)
        case (.size(let size, _), 0x3B), (.blank(let size), 0x3B): return .extensions(size)
        case (.size(let size, _), _) where isBlank: return .blank(size)
        case (.blank, _) where isBlank: return state
        case (.extensions, 0): return nil
        case (.extensions, _): return state
        case (.dataEnd, 0x0D): return .dataLineFeed
        case (.dataEnd, 0x0A), (.dataLineFeed, 0x0A): return .size(0, digits: 0)
        case (.trailer(let isEmpty), 0x0A): return isEmpty ? .done : .trailer(isEmpty: true)
        case (.trailer, 0x0D): return state
        case (.trailer, _): return .trailer(isEmpty: false)
        case (.done, _), (.data, _): return state
        case (.blank, _), (.size, _), (.sizeEnd, _), (.dataEnd, _), (.dataLineFeed, _): return nil
        }
    }
}
