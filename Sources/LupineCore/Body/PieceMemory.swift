internal import FoundationEssentials
internal import Glibc

/// Memory that the pieces of one body are read into, one after another. A piece that nobody holds any more leaves its memory
/// to the next: fresh pages for each, cleared by the system, cost as much as the reading.
final class PieceMemory: Sendable {
    /// Smaller pieces are not worth keeping.
    private static let leastKept = 64 << 10
    /// So many are on their way at once; what is beyond goes back to the system.
    private static let mostKept = 4

    private struct Spare {
        var blocks: [UnsafeMutableRawPointer] = []
        var size = 0
    }

    /// A block is here or is a piece's, never both.
    private let spare = Lock(Spare())

    deinit { spare.withLock { for block in $0.blocks { free(block) } } }

    /// One read, retried when a signal interrupts it. `nil` at the end.
    ///
    /// - Throws: ``LupineError`` with `upload-source-failed`.
    func piece(_ count: Int, name: String, _ call: (UnsafeMutableRawBufferPointer) -> Int) throws(LupineError) -> Data?
    {
        guard let block = take(count) else { throw .uploadSource(cannotRead: name, ENOMEM) }
        let buffer = UnsafeMutableRawBufferPointer(start: block, count: count)
        var got = call(buffer)
        while got < 0, errno == EINTR { got = call(buffer) }
        let number = errno
        guard got > 0 else {
            give(block, count)
            if got == 0 { return nil }
            throw .uploadSource(cannotRead: name, number)
        }
        // Of a pipe that gives little at a time, many pieces wait together: each holds what it needs.
        if got < count / 4 {
            defer { give(block, count) }
            return Data(bytes: block, count: got)
        }
        return Data(bytesNoCopy: block, count: got, deallocator: .custom { block, _ in self.give(block, count) })
    }

    private func take(_ count: Int) -> UnsafeMutableRawPointer? {
        let address: UInt? = spare.withLock { spare in
            count == spare.size ? spare.blocks.popLast().map { UInt(bitPattern: $0) } : nil
        }
        return address.flatMap { UnsafeMutableRawPointer(bitPattern: $0) } ?? malloc(count)
    }

    private func give(_ block: UnsafeMutableRawPointer, _ count: Int) {
        let address = UInt(bitPattern: block)
        let isKept = spare.withLock { spare in
            if spare.size == 0, count >= Self.leastKept { spare.size = count }
            guard count == spare.size, spare.blocks.count < Self.mostKept else { return false }
            if let block = UnsafeMutableRawPointer(bitPattern: address) { spare.blocks.append(block) }
            return true
        }
        if !isKept { free(block) }
    }
}
