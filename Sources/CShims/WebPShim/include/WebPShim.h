// SPDX-License-Identifier: MIT
// libwebp's incremental decoder and its encoder, each behind one call that can be cancelled. Containers are read and
// written elsewhere: only the chunks with pixels come here. Frames are put over each other here as well.
#ifndef WI_WEBP_SHIM_H
#define WI_WEBP_SHIM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "RuntimeShim.h"

typedef enum wi_webp_status {
    WI_WEBP_OK = 0,
    /// The data end before the last row.
    WI_WEBP_ENDED,
    WI_WEBP_CORRUPT,
    WI_WEBP_UNSUPPORTED,
    WI_WEBP_CANCELLED,
    WI_WEBP_NO_MEMORY,
} wi_webp_status;

/// Where pixels go, and how.
typedef struct wi_webp_target {
    bool bgra, premultiplied;
    /// Lets a second thread filter rows of lossy pictures while the first decodes.
    bool threads;
    /// Whether libwebp is to make the picture `width` x `height`; its own size must be that otherwise.
    bool scaled;
    uint32_t width, height;
    /// Where the first row begins; `room` bytes are there.
    uint8_t *pixels;
    size_t stride, room;
} wi_webp_target;

typedef struct wi_webp_decode_job {
    /// A VP8 or VP8L chunk from its name on, with the ALPH chunk before it where there is one.
    const uint8_t *data;
    size_t size;
    wi_webp_target target;
    const wi_flag *flag;
    /// Bytes that are decoded between two looks at the flag.
    size_t step;
} wi_webp_decode_job;

/// Decodes into the target. `*rows` are whole, whatever the status; those below hold anything.
wi_webp_status wi_webp_decode(const wi_webp_decode_job *job, uint32_t *rows);

/// The same while the data arrive.
typedef struct wi_webp_stream wi_webp_stream;

/// NULL when there is no memory. The target's pixels must outlive the stream.
wi_webp_stream *wi_webp_stream_create(const wi_webp_target *target);
/// Takes all data so far, those of the last call among them, wherever they lie now. `WI_WEBP_ENDED` wants more.
wi_webp_status wi_webp_stream_feed(wi_webp_stream *stream, const uint8_t *data, size_t size);
/// Rows that are whole.
uint32_t wi_webp_stream_rows(const wi_webp_stream *stream);
void wi_webp_stream_free(wi_webp_stream *stream);

/// Puts a row with straight alpha over another, both RGBA or both BGRA of 8 bits.
void wi_webp_blend_row(const uint8_t *above, uint8_t *below, size_t width);

/// libwebp's settings, by its own names and numbers. Where `-1` stands, the preset's value is used.
typedef struct wi_webp_settings {
    /// 0 default, 1 picture, 2 photo, 3 drawing, 4 icon, 5 text.
    int preset;
    bool lossless;
    float quality;
    int method;
    int image_hint;
    int target_size;
    float target_psnr;
    int segments, sns_strength, filter_strength, filter_sharpness, filter_type;
    int preprocessing, partitions, partition_limit, pass;
    int alpha_compression, alpha_filtering, alpha_quality;
    int near_lossless, qmin, qmax;
    bool autofilter, exact, use_sharp_yuv, emulate_jpeg_size, thread_level, low_memory;
} wi_webp_settings;

typedef struct wi_webp_encode_job {
    /// 8-bit pixels with straight alpha.
    const uint8_t *pixels;
    size_t stride;
    uint32_t width, height;
    bool bgra;
    /// Whether alpha is not to be looked at.
    bool opaque;
    wi_webp_settings settings;
    const wi_flag *flag;
} wi_webp_encode_job;

/// Encodes a picture as a file without metadata. On success `*bytes` is to be given to `wi_webp_free`. `*reason` is
/// libwebp's number for what went wrong otherwise, 0 where it has none.
wi_webp_status wi_webp_encode(const wi_webp_encode_job *job, uint8_t **bytes, size_t *size, int *reason);
void wi_webp_free(void *bytes);

#endif
