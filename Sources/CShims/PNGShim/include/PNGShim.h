// SPDX-License-Identifier: MIT
// PNG two ways: whole files inflated by libdeflate and unfiltered straight into RGBA, and libpng for everything odd and for
// encoding. libpng's error exits are caught here and never cross a caller's frame.
#ifndef WI_PNG_SHIM_H
#define WI_PNG_SHIM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "RuntimeShim.h"

typedef enum wi_png_status {
    WI_PNG_OK = 0,
    /// The fast way does not take this file; libpng is to be asked.
    WI_PNG_NOT_HERE,
    WI_PNG_CORRUPT,
    WI_PNG_CANCELLED,
    WI_PNG_NO_MEMORY,
} wi_png_status;

typedef struct wi_png_report {
    /// Rows that are whole. Of an interlaced picture, those of the passes that are whole count.
    uint32_t rows;
    /// Whether the file ended or broke before all rows were there.
    bool is_partial;
    char message[200];
} wi_png_report;

typedef struct wi_png_range {
    size_t offset, size;
} wi_png_range;

typedef struct wi_png_fast_job {
    const uint8_t *data;
    /// The IDAT chunks' contents, in order; each is followed by its CRC and preceded by its type.
    const wi_png_range *idats;
    size_t idat_count;
    uint32_t width, height;
    int depth, color_type;
    /// For palettes: 256 pixels of RGBA.
    const uint8_t *palette;
    /// For grey and RGB: the samples that are transparent, at the file's depth.
    bool has_key;
    uint16_t key[3];
    uint8_t *pixels;
    size_t stride;
    const wi_flag *flag;
} wi_png_fast_job;

/// Decodes 8-bit RGBA, rows tightly as `stride` says. Non-interlaced files only.
wi_png_status wi_png_decode_fast(const wi_png_fast_job *job);

typedef struct wi_png_decode_job {
    const uint8_t *data;
    size_t size;
    /// 8 or 16 bits a channel; 16 in the machine's byte order.
    int bits;
    uint32_t width, height;
    uint8_t *pixels;
    size_t stride;
    size_t most_chunk_bytes;
    const wi_flag *flag;
} wi_png_decode_job;

/// Decodes RGBA through libpng. The pixels are to be cleared before: rows that do not exist are not touched.
wi_png_status wi_png_decode(const wi_png_decode_job *job, wi_png_report *report);

typedef struct wi_png_encode_job {
    const uint8_t *pixels;
    size_t stride;
    uint32_t width, height;
    int bits;
    bool bgra, has_alpha;
    int level;
    bool interlaced;
    /// Bits of the filters that may be chosen from: 1 none, 2 sub, 4 up, 8 average, 16 Paeth; 0 is libpng's own choice.
    int filters;
    const uint8_t *icc;
    size_t icc_size;
    const uint8_t *exif;
    size_t exif_size;
    /// Ends with a NUL.
    const char *xmp;
    uint32_t pixels_per_metre_x, pixels_per_metre_y;
    const wi_flag *flag;
} wi_png_encode_job;

/// On success `*bytes` is to be freed by `free`.
wi_png_status wi_png_encode(const wi_png_encode_job *job, uint8_t **bytes, size_t *size, wi_png_report *report);

/// Inflates a zlib stream of unknown length. NULL when it is damaged or longer than `limit`; then `*is_too_long` says which.
/// The result is to be freed by `free`.
uint8_t *wi_png_inflate(const uint8_t *data, size_t size, size_t limit, size_t *result_size, bool *is_too_long);

/// CRC-32 as PNG has it.
uint32_t wi_png_crc(const uint8_t *data, size_t size);

#endif
