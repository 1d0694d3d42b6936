// zlib, brotli and zstd: the decoders of HTTP's content codings, and the encoder of gzip.
#pragma once
#include <brotli/decode.h>
#include <zlib.h>
#include <zstd.h>

// inflateInit2 is a macro. Window bits: 15 + 16 reads gzip, 15 zlib, -15 raw deflate.
static inline int lupine_inflate_init(z_stream *_Nonnull stream, int window_bits) {
    return inflateInit2(stream, window_bits);
}

// So is deflateInit2. Writes gzip, with zlib's own level and memory.
static inline int lupine_gzip_init(z_stream *_Nonnull stream) {
    return deflateInit2(stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY);
}
