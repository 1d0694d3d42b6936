internal import CCodings
internal import LupineCore

/// br (RFC 7932), by libbrotlidec.
final class BrotliStage: DecodingStage {
    private let decoder = BrotliDecoderCreateInstance(nil, nil, nil)
    private let buffer = DecodingBuffer()
    private var hasBegun = false
    private var isAtEnd = false

    deinit { BrotliDecoderDestroyInstance(decoder) }

    func step(_ input: UnsafeRawBufferPointer) throws(DecodingFault) -> DecodingStep {
        if input.isEmpty && (isAtEnd || !hasBegun) {
            return DecodingStep(consumed: 0, output: buffer.prefix(0), hasMore: false)
        }
        hasBegun = true
        guard let decoder, !isAtEnd else { throw .garbage("br") }
        var nextIn = input.baseAddress?.assumingMemoryBound(to: UInt8.self)
        var availableIn = input.count
        var nextOut: UnsafeMutablePointer<UInt8>? = buffer.pointer
        var availableOut = DecodingBuffer.capacity
        let result = BrotliDecoderDecompressStream(decoder, &availableIn, &nextIn, &availableOut, &nextOut, nil)
        guard result != BROTLI_DECODER_RESULT_ERROR else { throw .garbage("br") }
        isAtEnd = result == BROTLI_DECODER_RESULT_SUCCESS
        return DecodingStep(
            consumed: input.count - availableIn, output: buffer.prefix(DecodingBuffer.capacity - availableOut),
            hasMore: result == BROTLI_DECODER_RESULT_NEEDS_MORE_OUTPUT)
    }

    func finish() throws(DecodingFault) {
        guard isAtEnd || !hasBegun else { throw .isCut("br") }
    }
}
