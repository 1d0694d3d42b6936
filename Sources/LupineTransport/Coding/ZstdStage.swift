internal import CCodings
internal import LupineCore

/// zstd (RFC 8878), by libzstd. Frames may follow each other.
final class ZstdStage: DecodingStage {
    private let decoder = ZSTD_createDStream()
    private let buffer = DecodingBuffer()
    private var hasBegun = false
    private var isAtEnd = false

    /// A window beyond 8 MiB must not be asked for of a client (RFC 9659).
    private static let maximumWindowLog: Int32 = 23

    init() {
        if let decoder { ZSTD_DCtx_setParameter(decoder, ZSTD_d_windowLogMax, Self.maximumWindowLog) }
    }

    deinit { ZSTD_freeDStream(decoder) }

    func step(_ input: UnsafeRawBufferPointer) throws(DecodingFault) -> DecodingStep {
        if input.isEmpty && (isAtEnd || !hasBegun) {
            return DecodingStep(consumed: 0, output: buffer.prefix(0), hasMore: false)
        }
        hasBegun = true
        guard let decoder else { throw .garbage("zstd") }
        var source = ZSTD_inBuffer(src: input.baseAddress, size: input.count, pos: 0)
        var target = ZSTD_outBuffer(dst: buffer.pointer, size: DecodingBuffer.capacity, pos: 0)
        let result = ZSTD_decompressStream(decoder, &target, &source)
        guard ZSTD_isError(result) == 0 else { throw .garbage("zstd") }
        isAtEnd = result == 0
        return DecodingStep(
            consumed: source.pos, output: buffer.prefix(target.pos),
            hasMore: !isAtEnd && target.pos == DecodingBuffer.capacity)
    }

    func finish() throws(DecodingFault) {
        guard isAtEnd || !hasBegun else { throw .isCut("zstd") }
    }
}
