internal import CCodings
internal import LupineCore

/// gzip and deflate, by zlib. `deflate` is read with its zlib wrapper, as the RFC says, and without, as some servers
/// send it (RFC 9110 section 8.4.1.2); gzip members may follow each other (RFC 1952 section 2.2).
final class ZlibStage: DecodingStage {
    enum Format: String { case gzip, deflate }

    private let format: Format
    // At one address from init to deinit: zlib keeps a pointer to its stream.
    private let stream = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)
    private let buffer = DecodingBuffer()
    private var isOpen = false
    private var isAtEnd = false
    private var hasBegun = false

    init(format: Format) {
        self.format = format
        stream.initialize(to: z_stream())
    }

    deinit {
        if isOpen { inflateEnd(stream) }
        stream.deallocate()
    }

    private func open(windowBits: Int32) throws(DecodingFault) {
        if isOpen { inflateEnd(stream) }
        stream.pointee = z_stream()
        isOpen = lupine_inflate_init(stream, windowBits) == Z_OK
        guard isOpen else { throw .garbage(format.rawValue) }
        isAtEnd = false
    }

    func step(_ input: UnsafeRawBufferPointer) throws(DecodingFault) -> DecodingStep {
        if input.isEmpty && (isAtEnd || !hasBegun) {
            return DecodingStep(consumed: 0, output: buffer.prefix(0), hasMore: false)
        }
        if !hasBegun {
            hasBegun = true
            // The low four bits of a zlib header's first byte say "deflate": 8.
            let isRaw = format == .deflate && input[0] & 0x0F != 8
            try open(windowBits: format == .gzip ? 15 + 16 : isRaw ? -15 : 15)
        }
        if isAtEnd {
            guard format == .gzip else { throw .garbage("deflate") }
            try open(windowBits: 15 + 16)  // another member, or garbage, which its header tells
        }
        stream.pointee.next_in = UnsafeMutablePointer(
            mutating: input.baseAddress?.assumingMemoryBound(to: UInt8.self))
        stream.pointee.avail_in = UInt32(input.count)
        stream.pointee.next_out = buffer.pointer
        stream.pointee.avail_out = UInt32(DecodingBuffer.capacity)
        let result = inflate(stream, Z_NO_FLUSH)
        let consumed = input.count - Int(stream.pointee.avail_in)
        let produced = DecodingBuffer.capacity - Int(stream.pointee.avail_out)
        switch result {
        case Z_STREAM_END: isAtEnd = true
        case Z_OK: break
        case Z_BUF_ERROR where consumed == 0 && produced == 0: break  // nothing to do, no fault
        default: throw .garbage(format.rawValue)
        }
        return DecodingStep(
            consumed: consumed, output: buffer.prefix(produced), hasMore: !isAtEnd && stream.pointee.avail_out == 0)
    }

    func finish() throws(DecodingFault) {
        // A body without a byte has no coding to end: some servers label it all the same.
        guard isAtEnd || !hasBegun else { throw .isCut(format.rawValue) }
    }
}
