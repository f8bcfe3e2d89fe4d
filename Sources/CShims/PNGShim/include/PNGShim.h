// SPDX-License-Identifier: MIT
// libpng and libdeflate behind functions that return: libpng's error exits are caught here and never cross a
// caller's frame. Whole plain files are inflated in one call and unfiltered by vector code; libpng reads the
// rest.
#ifndef WI_PNG_SHIM_H
#define WI_PNG_SHIM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "RuntimeShim.h"

typedef enum wi_png_status {
    WI_PNG_OK = 0,
    /// No row could be decoded.
    WI_PNG_CORRUPT,
    WI_PNG_CANCELLED,
    WI_PNG_NO_MEMORY,
    /// The whole-file way does not read this file; libpng may.
    WI_PNG_ODD,
} wi_png_status;

typedef enum wi_png_pixels {
    WI_PNG_RGBA8 = 0,
    WI_PNG_BGRA8,
    /// In the machine's byte order.
    WI_PNG_RGBA16,
} wi_png_pixels;

/// Takes finished rows, in order; they are overwritten afterwards. Must return, and calls nothing that jumps.
typedef void (*wi_png_take_rows)(void *context, const uint8_t *rows, uint32_t count);

typedef struct wi_png_decode_job {
    /// The file, and where its first IDAT chunk begins (at its length).
    const uint8_t *data;
    size_t size, first_idat;
    /// What the IHDR chunk says.
    uint32_t width, height;
    int depth, color_type;
    bool interlaced;
    /// PLTE and tRNS, without their chunk frames; only the whole-file way looks here.
    const uint8_t *palette;
    size_t palette_size;
    const uint8_t *transparency;
    size_t transparency_size;
    /// Bytes in one chunk that libpng may inflate or keep.
    size_t most_chunk_bytes;
    const wi_flag *flag;
    /// Where the rows go: all of them, or, where there is somebody to take them, an even number of `band`
    /// rows at a time, from the start again and again. Interlaced pictures do not come in bands.
    uint8_t *pixels;
    size_t stride;
    wi_png_pixels format;
    uint32_t band;
    wi_png_take_rows take_rows;
    void *context;
    /// Working memory of the whole-file way: `wi_png_scratch_size` bytes.
    uint8_t *scratch;
    size_t scratch_size;
} wi_png_decode_job;

typedef struct wi_png_report {
    /// Rows that are whole; of an interlaced picture, only once its last pass is.
    uint32_t rows;
    /// Whether any pixel was decoded.
    bool has_pixels;
    /// Whether the data are cut or damaged; `message` then says how, and is the first warning otherwise.
    bool failed;
    /// Whether libpng asked for bytes behind the last one.
    bool ended;
    char message[200];
} wi_png_report;

/// Bytes that the whole-file way needs beside the pixels; `joined` is the sum of the IDAT chunks, 0 for a
/// single one. 0 when the number does not fit, or the kind of file is not read that way.
size_t wi_png_scratch_size(uint32_t width, uint32_t height, int depth, int color_type, size_t joined);

/// Reads a whole, plain, undamaged file. `WI_PNG_ODD` for any other; the pixels are then undefined.
wi_png_status wi_png_decode_whole(const wi_png_decode_job *job, wi_png_report *report);

/// Reads what libpng reads. Of a damaged file the rows that exist are written, and `report->failed` is set;
/// the caller clears the pixels before.
wi_png_status wi_png_decode(const wi_png_decode_job *job, wi_png_report *report);

/// A picture that libpng reads while its data arrive.
typedef struct wi_png_stream wi_png_stream;

/// Of `job`, which is copied, what the IHDR chunk says, where the rows go, and what chunks may take count. Of an
/// interlaced picture each pixel fills the block it stands for. NULL when there is no memory.
wi_png_stream *wi_png_stream_create(const wi_png_decode_job *job);
void wi_png_stream_free(wi_png_stream *stream);
/// Takes the file's next bytes, from its signature on.
wi_png_status wi_png_stream_feed(wi_png_stream *stream, const uint8_t *bytes, size_t size);
/// Rows so far, those of all passes together.
uint64_t wi_png_stream_rows(const wi_png_stream *stream);
/// Whether the last one is there.
bool wi_png_stream_is_done(const wi_png_stream *stream);

/// One row, whose filter type is `filter` (0 to 4), from `source` to RGBA; `above` is the RGBA row above, or
/// zeros. 16 bytes after the source row are read. `channels` is 3 or 4. With `vector` false, the plain C
/// code.
void wi_png_unfilter_to_rgba(int filter, const uint8_t *source, const uint8_t *above, uint8_t *target,
                             size_t width, int channels, bool vector);
/// The same for two rows, the second below the first.
void wi_png_unfilter_pair_to_rgba(const int filters[2], const uint8_t *first, const uint8_t *second,
                                  const uint8_t *above, uint8_t *target, size_t stride, size_t width,
                                  int channels, bool vector);

/// The colours of a picture, at most 256.
typedef struct wi_png_palette wi_png_palette;

/// Puts a row of 8-bit pixels with straight alpha over another, or in its place where it does not blend.
void wi_png_paint_row(const uint8_t *above, uint8_t *below, size_t width, bool blends);

typedef struct wi_png_encode_job {
    const uint8_t *pixels;
    size_t stride;
    uint32_t width, height;
    wi_png_pixels format;
    /// Of the file: 0 grey, 2 RGB, 3 indices into `palette`, 4 grey and alpha, 6 RGBA.
    int color_type;
    /// Bits of a sample in the file: those of `format`, or with a palette 1, 2, 4 or 8.
    int depth;
    const wi_png_palette *palette;
    /// Which to choose from: bit n is filter type n. 0 is all of them.
    int filters;
    bool interlaced;
    /// libdeflate's level, 0 to 12.
    int level;
    const wi_flag *flag;
} wi_png_encode_job;

/// The zlib stream of a picture, to go into IDAT chunks. On success `*bytes` is to be freed by `free`.
wi_png_status wi_png_compress(const wi_png_encode_job *job, uint8_t **bytes, size_t *size);

/// All colours of a picture of 8 bits. NULL when there are more, or no memory, or the work was cancelled.
wi_png_palette *wi_png_palette_find(const wi_png_encode_job *job);
void wi_png_palette_free(wi_png_palette *palette);
int wi_png_palette_count(const wi_png_palette *palette);
/// How many of the first entries are all that are not opaque.
int wi_png_palette_transparent(const wi_png_palette *palette);
void wi_png_palette_color(const wi_png_palette *palette, int index, uint8_t rgba[4]);

/// What a row of 8- or 16-bit RGBA holds: bit 0 is set when a pixel is not opaque, bit 1 when one is not
/// grey.
int wi_png_row_kinds(const uint8_t *row, size_t width, wi_png_pixels format);

/// CRC-32 of a chunk's type and data.
uint32_t wi_png_crc(const uint8_t *bytes, size_t size);
/// Inflates a zlib stream. 0: `*written` bytes; 1: damaged; 2: more than `capacity`.
int wi_png_inflate(const uint8_t *bytes, size_t size, uint8_t *target, size_t capacity, size_t *written);
/// Deflates into a zlib stream of at most `capacity` bytes; 0 when it does not fit.
size_t wi_png_deflate(const uint8_t *bytes, size_t size, uint8_t *target, size_t capacity);

#endif
