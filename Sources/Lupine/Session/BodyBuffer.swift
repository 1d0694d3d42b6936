internal import FoundationEssentials
internal import LupineCore

/// Where an answer's body is collected.
///
/// Large bodies go into memory that earlier ones have left (``BodyMemory``): fresh memory costs a page fault each
/// 4 KiB, which is more than the copying.
struct BodyBuffer: ~Copyable {
    private var small = Data()
    private var block: BodyMemory.Block?
    private(set) var count = 0

    /// How long a small body will be, if that is known.
    private var expected = 0

    /// Bodies below this are ordinary allocations.
    private static let smallest = 64 << 10

    /// Makes room for a body whose length is known.
    mutating func reserve(_ capacity: Int) {
        if capacity < Self.smallest { expected = capacity } else { grow(to: capacity) }
    }

    mutating func append(_ bytes: UnsafeRawBufferPointer) {
        let sum = count + bytes.count
        if block == nil, sum >= Self.smallest { grow(to: sum) }
        guard let held = block else {
            keep(bytes)
            count = sum
            return
        }
        // Doubling: each byte is copied twice at most.
        if sum > held.capacity { grow(to: max(sum, held.capacity * 2)) }
        if let block { UnsafeMutableRawBufferPointer(rebasing: block.bytes[count...]).copyMemory(from: bytes) }
        count = sum
    }

    /// Most small bodies come in one piece.
    private mutating func keep(_ bytes: UnsafeRawBufferPointer) {
        if count == 0, bytes.count >= expected, let start = bytes.baseAddress {
            small = Data(bytes: start, count: bytes.count)
        } else {
            if count == 0 { small.reserveCapacity(expected) }
            small.append(bytes.assumingMemoryBound(to: UInt8.self))
        }
    }

    private mutating func grow(to capacity: Int) {
        let larger = BodyMemory.shared.take(capacity)
        if let block {
            larger.bytes.copyMemory(from: UnsafeRawBufferPointer(rebasing: block.bytes[..<count]))
            BodyMemory.shared.give(block)
        } else {
            small.withUnsafeBytes { larger.bytes.copyMemory(from: $0) }
            small = Data()
        }
        block = larger
    }

    /// What was collected; the buffer is empty afterwards.
    mutating func take() -> Data {
        defer { count = 0 }
        guard let block = block.take() else {
            defer { small = Data() }
            return small
        }
        guard count > 0, let start = block.bytes.baseAddress else {
            BodyMemory.shared.give(block)
            return Data()
        }
        return Data(
            bytesNoCopy: start, count: count, deallocator: .custom { _, _ in BodyMemory.shared.give(block) })
    }

    deinit {
        if let block { BodyMemory.shared.give(block) }
    }
}

/// Memory of bodies that are gone, kept for those to come: 16 MiB at most, and 4 MiB when no body is held.
final class BodyMemory: Sendable {
    static let shared = BodyMemory()

    /// Some memory, owned by whoever took it last.
    struct Block: @unchecked Sendable {
        // Safe to share: a block has one owner at a time, who alone touches its bytes.
        let bytes: UnsafeMutableRawBufferPointer
        var capacity: Int { bytes.count }
    }

    private struct State {
        var free: [Block] = []
        var freeBytes = 0
        var held = 0
    }

    private let state = Lock(State())
    private static let step = 64 << 10

    /// A block of that capacity, or up to a quarter more.
    func take(_ capacity: Int) -> Block {
        let wanted = (capacity + Self.step - 1) / Self.step * Self.step
        let kept = state.withLock { state -> Block? in
            state.held += 1
            let fits = { (block: Block) in block.capacity >= wanted && block.capacity <= wanted + wanted / 4 }
            guard let index = state.free.lastIndex(where: fits) else { return nil }
            state.freeBytes -= state.free[index].capacity
            return state.free.remove(at: index)
        }
        return kept ?? Block(bytes: .allocate(byteCount: wanted, alignment: 16))
    }

    func give(_ block: Block) {
        let surplus = state.withLock { state in
            state.held -= 1
            state.free.append(block)
            state.freeBytes += block.capacity
            let limit = state.held == 0 ? 4 << 20 : 16 << 20
            var surplus: [Block] = []
            while state.freeBytes > limit {
                let oldest = state.free.removeFirst()
                state.freeBytes -= oldest.capacity
                surplus.append(oldest)
            }
            return surplus
        }
        for block in surplus { block.bytes.deallocate() }
    }
}
