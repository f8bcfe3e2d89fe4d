// SPDX-License-Identifier: MIT
#include "PNGShim.h"

#include <libdeflate.h>

uint32_t wi_png_crc(const uint8_t *bytes, size_t size) {
    // libdeflate answers a null pointer with the start value; there is no other empty buffer in Swift.
    return size == 0 ? 0 : libdeflate_crc32(0, bytes, size);
}

int wi_png_inflate(const uint8_t *bytes, size_t size, uint8_t *target, size_t capacity, size_t *written) {
    struct libdeflate_decompressor *decompressor = libdeflate_alloc_decompressor();
    if (!decompressor) return 1;
    const enum libdeflate_result result =
        libdeflate_zlib_decompress(decompressor, bytes, size, target, capacity, written);
    libdeflate_free_decompressor(decompressor);
    return result == LIBDEFLATE_SUCCESS ? 0 : result == LIBDEFLATE_INSUFFICIENT_SPACE ? 2 : 1;
}

size_t wi_png_deflate(const uint8_t *bytes, size_t size, uint8_t *target, size_t capacity) {
    struct libdeflate_compressor *compressor = libdeflate_alloc_compressor(6);
    if (!compressor) return 0;
    const size_t written = libdeflate_zlib_compress(compressor, bytes, size, target, capacity);
    libdeflate_free_compressor(compressor);
    return written;
}
