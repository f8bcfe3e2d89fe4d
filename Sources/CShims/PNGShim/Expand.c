// SPDX-License-Identifier: MIT
#include "Expand.h"

#include <string.h>

void wi_png_unfilter_bytes(int filter, uint8_t *row, const uint8_t *above, size_t size,
                           size_t bytes_per_pixel) {
    const size_t head = bytes_per_pixel < size ? bytes_per_pixel : size;
    const uint8_t *const left = row - bytes_per_pixel;
    const uint8_t *const corner = above - bytes_per_pixel;
    switch (filter) {
    case 1:
        for (size_t i = head; i < size; i++) row[i] += left[i];
        break;
    case 2:
        for (size_t i = 0; i < size; i++) row[i] += above[i];
        break;
    case 3:
        for (size_t i = 0; i < head; i++) row[i] += above[i] >> 1;
        for (size_t i = head; i < size; i++) row[i] += (uint8_t)((left[i] + above[i]) >> 1);
        break;
    case 4:
        for (size_t i = 0; i < head; i++) row[i] += above[i];
        for (size_t i = head; i < size; i++) row[i] += wi_png_paeth(left[i], above[i], corner[i]);
        break;
    default: break;
    }
}

static uint32_t pixel(const wi_png_decode_job *job, uint8_t red, uint8_t green, uint8_t blue, uint8_t alpha) {
    const bool bgra = job->format == WI_PNG_BGRA8;
    const uint8_t bytes[4] = {bgra ? blue : red, green, bgra ? red : blue, alpha};
    uint32_t value;
    memcpy(&value, bytes, 4);
    return value;
}

static bool make_palette(const wi_png_decode_job *job, wi_png_table *table) {
    const size_t entries = job->palette_size / 3;
    if (job->palette_size % 3 || entries == 0 || entries > (size_t)1 << job->depth) return false;
    if (job->transparency && (job->transparency_size == 0 || job->transparency_size > entries)) return false;
    // What lies beyond the palette is opaque black.
    for (size_t i = 0; i < 256; i++) table->pixels[i] = pixel(job, 0, 0, 0, 255);
    for (size_t i = 0; i < entries; i++) {
        const uint8_t *c = job->palette + 3 * i;
        const uint8_t alpha = job->transparency && i < job->transparency_size ? job->transparency[i] : 255;
        table->pixels[i] = pixel(job, c[0], c[1], c[2], alpha);
    }
    return true;
}

bool wi_png_make_table(const wi_png_decode_job *job, wi_png_table *table) {
    if (job->color_type == WI_PNG_PALETTE) return make_palette(job, table);
    if (job->color_type != WI_PNG_GRAY || job->depth == 16) return true;
    if (job->transparency && job->transparency_size != 2) return false;
    const unsigned most = (1u << job->depth) - 1;
    const unsigned key = job->transparency ? job->transparency[1] & most : 256;
    for (unsigned i = 0; i <= most; i++) {
        const uint8_t gray = (uint8_t)(i * (255 / most));
        table->pixels[i] = pixel(job, gray, gray, gray, i == key ? 0 : 255);
    }
    return true;
}

static void store(uint8_t *target, uint32_t value) { memcpy(target, &value, 4); }

// Inlined with a constant depth, so that the divisions are shifts.
static inline __attribute__((always_inline)) void expand_bits(const wi_png_table *table, unsigned depth,
                                                              const uint8_t *row, uint8_t *target,
                                                              size_t width) {
    const unsigned mask = (1u << depth) - 1, in_byte = 8 / depth;
    for (size_t x = 0; x < width; x++) {
        const unsigned shift = (in_byte - 1 - (unsigned)(x % in_byte)) * depth;
        store(target + 4 * x, table->pixels[row[x / in_byte] >> shift & mask]);
    }
}

static void expand_indices(const wi_png_table *table, int depth, const uint8_t *row, uint8_t *target,
                           size_t width) {
    switch (depth) {
    case 1: expand_bits(table, 1, row, target, width); break;
    case 2: expand_bits(table, 2, row, target, width); break;
    case 4: expand_bits(table, 4, row, target, width); break;
    default: expand_bits(table, 8, row, target, width); break;
    }
}

/// `step` is the bytes of a sample, of which the first is its high byte.
static void expand_samples(const uint8_t *row, uint8_t *target, size_t width, int color_type, size_t step,
                           bool bgra) {
    const size_t channels = wi_png_channels(color_type);
    const size_t green = channels < 3 ? 0 : step, blue = channels < 3 ? 0 : 2 * step;
    const size_t first = bgra ? blue : 0, third = bgra ? 0 : blue;
    const bool has_alpha = channels % 2 == 0;
    for (size_t x = 0; x < width; x++, row += channels * step, target += 4) {
        target[0] = row[first];
        target[1] = row[green];
        target[2] = row[third];
        target[3] = has_alpha ? row[(channels - 1) * step] : 255;
    }
}

void wi_png_expand_row(const wi_png_decode_job *job, const wi_png_table *table, const uint8_t *row,
                       uint8_t *target) {
    const bool is_gray = job->color_type == WI_PNG_GRAY && job->depth <= 8;
    if (is_gray || job->color_type == WI_PNG_PALETTE) {
        expand_indices(table, job->depth, row, target, job->width);
    } else {
        expand_samples(
            row, target, job->width, job->color_type, job->depth == 16 ? 2 : 1, job->format == WI_PNG_BGRA8);
    }
}
