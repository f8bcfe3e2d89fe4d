// SPDX-License-Identifier: MIT
// Whole plain files: the IDAT chunks are joined, inflated in one call, and each row goes straight into the
// picture.
#include "Expand.h"

#include <libdeflate.h>
#include <string.h>

enum {
    /// What the kernels may read after a row, and the alignment of the parts.
    SLACK = 64,
    /// Rows between two looks at the cancellation flag.
    ROWS_PER_POLL = 32,
};

/// Sizes of the three parts of the working memory: inflated rows, joined chunks, a row of zeros.
typedef struct parts {
    size_t row, raw, joined, zeros;
} parts;

/// Whether rows are unfiltered straight into pixels.
static bool is_direct(int depth, int color_type) {
    return depth == 8 && (color_type == WI_PNG_RGB || color_type == WI_PNG_RGB_ALPHA);
}

static bool measure(uint32_t width, uint32_t height, int depth, int color_type, size_t joined, parts *p) {
    const uint64_t row = wi_png_row_bytes(width, depth, color_type) + 1;
    uint64_t raw;
    // Above the first row lies one of pixels where pixels are unfiltered, one of the file's bytes elsewhere.
    const uint64_t zeros = (is_direct(depth, color_type) ? (uint64_t)width * 4 : row) + 2 * SLACK;
    if (__builtin_mul_overflow(row, (uint64_t)height, &raw)) return false;
    if (raw > SIZE_MAX / 4 || joined > SIZE_MAX / 4) return false;
    p->row = (size_t)row;
    p->raw = (size_t)(raw + SLACK) & ~(size_t)(SLACK - 1);
    p->raw += SLACK;
    p->joined = (joined + SLACK - 1) & ~(size_t)(SLACK - 1);
    p->zeros = (size_t)zeros;
    return true;
}

size_t wi_png_scratch_size(uint32_t width, uint32_t height, int depth, int color_type, size_t joined) {
    parts p;
    return measure(width, height, depth, color_type, joined, &p) ? p.raw + p.joined + p.zeros : 0;
}

/// The chunk's data, when the chunk at `*offset` is a whole undamaged IDAT; `*offset` then moves behind it.
static const uint8_t *next_idat(const wi_png_decode_job *job, size_t *offset, size_t *length, bool *damaged) {
    const size_t at = *offset;
    if (job->size - at < 12 || memcmp(job->data + at + 4, "IDAT", 4) != 0) return NULL;
    *length = wi_png_big32(job->data + at);
    if (*length > job->size - at - 12 ||
        libdeflate_crc32(0, job->data + at + 4, *length + 4) != wi_png_big32(job->data + at + 8 + *length)) {
        *damaged = true;
        return NULL;
    }
    *offset = at + 12 + *length;
    return job->data + at + 8;
}

/// The zlib stream: in the file itself when one chunk holds it, else copied to `joined`.
static const uint8_t *join(const wi_png_decode_job *job, uint8_t *joined, size_t capacity, size_t *size) {
    size_t offset = job->first_idat, length = 0, total = 0;
    bool damaged = false;
    const uint8_t *const first = next_idat(job, &offset, &length, &damaged);
    if (!first) return NULL;
    if (capacity == 0) {
        *size = length;
        return first;
    }
    for (const uint8_t *chunk = first; chunk; chunk = next_idat(job, &offset, &length, &damaged)) {
        if (length > capacity - total) return NULL;
        memcpy(joined + total, chunk, length);
        total += length;
    }
    *size = total;
    return damaged ? NULL : joined;
}

static wi_png_status inflate_rows(const wi_png_decode_job *job, const parts *p, uint8_t *raw) {
    size_t size = 0;
    const uint8_t *stream = join(job, raw + p->raw, p->joined, &size);
    if (!stream) return WI_PNG_ODD;
    struct libdeflate_decompressor *decompressor = libdeflate_alloc_decompressor();
    if (!decompressor) return WI_PNG_NO_MEMORY;
    const enum libdeflate_result result =
        libdeflate_zlib_decompress(decompressor, stream, size, raw, p->row * job->height, NULL);
    libdeflate_free_decompressor(decompressor);
    return result == LIBDEFLATE_SUCCESS ? WI_PNG_OK : WI_PNG_ODD;
}

/// What the filters must not see yet: called for a row once the row below it is done.
static void finish_row(const wi_png_decode_job *job, uint8_t *row) {
    if (job->transparency && job->color_type == WI_PNG_RGB) {
        // At a depth of 8 the low byte of each sample counts.
        const uint8_t key[4] = {job->transparency[1], job->transparency[3], job->transparency[5], 255};
        for (size_t x = 0; x < job->width; x++)
            if (memcmp(row + 4 * x, key, 4) == 0) row[4 * x + 3] = 0;
    }
    if (job->format == WI_PNG_BGRA8) {
        for (size_t x = 0; x < job->width; x++) {
            const uint8_t red = row[4 * x];
            row[4 * x] = row[4 * x + 2];
            row[4 * x + 2] = red;
        }
    }
}

static wi_png_status direct_rows(const wi_png_decode_job *job, const parts *p, const uint8_t *raw,
                                 const uint8_t *zeros) {
    const int channels = job->color_type == WI_PNG_RGB ? 3 : 4;
    const uint8_t *above = zeros;
    for (uint32_t y = 0; y < job->height;) {
        if (y % ROWS_PER_POLL < 2 && wi_png_is_cancelled(job->flag)) return WI_PNG_CANCELLED;
        const uint8_t *source = raw + p->row * y;
        uint8_t *target = wi_png_row(job, y);
        uint8_t *last = target;
        if (source[0] > 4) return WI_PNG_ODD;
        if (y + 1 < job->height && source[p->row] <= 4) {
            const int filters[2] = {source[0], source[p->row]};
            wi_png_unfilter_pair_to_rgba(
                filters, source + 1, source + p->row + 1, above, target, job->stride, job->width, channels,
                true);
            last += job->stride;
            y += 2;
        } else {
            wi_png_unfilter_to_rgba(source[0], source + 1, above, target, job->width, channels, true);
            y += 1;
        }
        if (above != zeros) finish_row(job, (uint8_t *)above);
        if (last != target) finish_row(job, target);
        above = last;
        // The last row of a band stays where it is while the first two of the next one are made below it.
        wi_png_hand_out(job, y, y == job->height);
    }
    finish_row(job, (uint8_t *)above);
    return WI_PNG_OK;
}

static wi_png_status spread_rows(const wi_png_decode_job *job, const parts *p, uint8_t *raw,
                                 const uint8_t *zeros) {
    wi_png_table table;
    if (!wi_png_make_table(job, &table)) return WI_PNG_ODD;
    const size_t bits = wi_png_channels(job->color_type) * (size_t)job->depth;
    const size_t bytes_per_pixel = bits < 8 ? 1 : bits / 8;
    const uint8_t *above = zeros + 8;
    for (uint32_t y = 0; y < job->height; y++) {
        if (y % ROWS_PER_POLL == 0 && wi_png_is_cancelled(job->flag)) return WI_PNG_CANCELLED;
        uint8_t *row = raw + p->row * y + 1;
        if (row[-1] > 4) return WI_PNG_ODD;
        wi_png_unfilter_bytes(row[-1], row, above, p->row - 1, bytes_per_pixel);
        wi_png_expand_row(job, &table, row, wi_png_row(job, y));
        wi_png_hand_out(job, y + 1, y + 1 == job->height);
        above = row;
    }
    return WI_PNG_OK;
}

wi_png_status wi_png_decode_whole(const wi_png_decode_job *job, wi_png_report *report) {
    parts p;
    const bool has_key = job->transparency && (job->color_type == WI_PNG_RGB || job->depth == 16);
    if (job->interlaced || job->format == WI_PNG_RGBA16 || (has_key && job->depth == 16) ||
        (has_key && job->transparency_size != 6) || job->first_idat > job->size)
        return WI_PNG_ODD;
    // Rows that need finishing are not whole when their band is; pairs of rows need an even one.
    if (job->take_rows && (has_key || job->format != WI_PNG_RGBA8 || job->band < 4 || job->band % 2))
        return WI_PNG_ODD;
    // The scratch says whether the chunks are to be joined.
    if (!measure(job->width, job->height, job->depth, job->color_type, 0, &p)) return WI_PNG_ODD;
    if (job->scratch_size < p.raw + p.zeros) return WI_PNG_ODD;
    p.joined = job->scratch_size - p.raw - p.zeros;
    wi_png_status status = inflate_rows(job, &p, job->scratch);
    if (status != WI_PNG_OK) return status;
    uint8_t *zeros = job->scratch + p.raw + p.joined;
    memset(zeros, 0, p.zeros);
    status = is_direct(job->depth, job->color_type) ? direct_rows(job, &p, job->scratch, zeros)
                                                    : spread_rows(job, &p, job->scratch, zeros);
    if (status == WI_PNG_OK) {
        report->rows = job->height;
        report->has_pixels = true;
    }
    return status;
}
