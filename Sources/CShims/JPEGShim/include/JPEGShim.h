// SPDX-License-Identifier: MIT
// libjpeg-turbo behind functions that return: its error exits are caught here and never cross a caller's frame.
#ifndef WI_JPEG_SHIM_H
#define WI_JPEG_SHIM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "RuntimeShim.h"

enum { WI_JPEG_BAND = 16 };

typedef enum wi_jpeg_status {
    WI_JPEG_OK = 0,
    WI_JPEG_CORRUPT,
    WI_JPEG_UNSUPPORTED,
    WI_JPEG_CANCELLED,
    WI_JPEG_SCAN_LIMIT,
    WI_JPEG_NO_MEMORY,
    WI_JPEG_NO_DATA,
} wi_jpeg_status;

/// Takes `count` rows, each right behind the other. It must return: the library lies beneath it.
typedef void (*wi_jpeg_take_rows)(void *context, const uint8_t *rows, uint32_t count);

typedef struct wi_jpeg_decode_job {
    const uint8_t *data;
    size_t size;
    /// Eighths of the full size, 1 to 8.
    int scale;
    bool bgra;
    /// Interpolates reduced chroma instead of repeating it.
    bool fancy;
    /// A damaged file is an error, not a picture with what could be read.
    bool strict;
    int most_scans;
    const wi_flag *flag;
    /// Where the rows go; `width` x `height` is what the caller expects at this scale.
    uint8_t *pixels;
    size_t stride;
    uint32_t width, height;
    /// Where it is set, `pixels` has room for `WI_JPEG_BAND` rows, and every row of the picture goes through it, top
    /// row first.
    wi_jpeg_take_rows take_rows;
    void *context;
} wi_jpeg_decode_job;

typedef struct wi_jpeg_report {
    /// Rows that libjpeg handed out; the rest is filled with opaque grey.
    uint32_t rows;
    /// Times that data were missing or wrong, so that pixels are; `message` tells the first.
    int32_t damages;
    /// Whether the data ended too early.
    bool ended;
    char message[200];
    /// The first thing that broke a rule but cost no pixel; empty when nothing did.
    char note[200];
} wi_jpeg_report;

/// Decodes into `job->pixels`, or through it; every pixel is written when the status is `WI_JPEG_OK`.
wi_jpeg_status wi_jpeg_decode(const wi_jpeg_decode_job *job, wi_jpeg_report *report);

/// A file that is decoded while its bytes arrive: the rows of one that has a single scan, or the scans of others.
typedef struct wi_jpeg_stream wi_jpeg_stream;

/// Of `job`, which is copied, all but the data and who takes rows counts. Rows of a single scan go to its `pixels`, which
/// may be NULL for other files. NULL when there is no memory.
wi_jpeg_stream *wi_jpeg_stream_create(const wi_jpeg_decode_job *job);
void wi_jpeg_stream_free(wi_jpeg_stream *stream);
/// Goes on with the file's first `size` bytes, all of them so far. `WI_JPEG_UNSUPPORTED` also for arithmetic coding.
wi_jpeg_status wi_jpeg_stream_feed(wi_jpeg_stream *stream, const uint8_t *data, size_t size, const wi_flag *flag);
/// Whether the picture comes in several scans, once that is known.
bool wi_jpeg_stream_has_scans(const wi_jpeg_stream *stream);
/// Rows so far of a picture that comes in one scan.
uint32_t wi_jpeg_stream_rows(const wi_jpeg_stream *stream);
/// Whole scans so far of one that comes in several.
int wi_jpeg_stream_scans(wi_jpeg_stream *stream);
/// Whether nothing comes any more that changes a pixel.
bool wi_jpeg_stream_is_complete(wi_jpeg_stream *stream);
/// Writes the picture that the scans so far, one at least, make. This takes time for all of its pixels.
wi_jpeg_status wi_jpeg_stream_draw(wi_jpeg_stream *stream, uint8_t *pixels, size_t stride, const wi_flag *flag);

typedef struct wi_jpeg_encode_job {
    const uint8_t *pixels;
    size_t stride;
    uint32_t width, height;
    bool bgra;
    /// 0: opaque, 1: straight, 2: premultiplied alpha, flattened on `background`.
    int alpha;
    uint8_t background[3];
    int quality;
    /// Luma samples to one chroma sample, horizontally and vertically.
    int horizontal, vertical;
    bool progressive, optimize;
    const uint8_t *icc;
    size_t icc_size;
    /// The whole APP1 payloads, with their identifiers.
    const uint8_t *exif;
    size_t exif_size;
    const uint8_t *xmp;
    size_t xmp_size;
    /// Pixels per inch; 0 writes none.
    uint16_t density_x, density_y;
    const wi_flag *flag;
} wi_jpeg_encode_job;

/// On success `*bytes` is to be freed by `free`.
wi_jpeg_status wi_jpeg_encode(const wi_jpeg_encode_job *job, uint8_t **bytes, size_t *size, wi_jpeg_report *report);

/// The library's version, such as 2001005 for 2.1.5.
long wi_jpeg_version(void);

#endif
