// SPDX-License-Identifier: MIT
// Pictures of few colours: the table of them, and the place of each in it.
#include "Common.h"

#include <stdlib.h>
#include <string.h>

enum { MOST = 256, SLOTS = 1024 };

struct wi_png_palette {
    /// Red in the lowest byte, alpha in the highest; those that are not opaque come first.
    uint32_t colors[MOST];
    int count, transparent;
    /// Where a colour is found, by its hash: its index and 1, or 0.
    uint16_t slots[SLOTS];
};

static inline uint32_t color_at(const uint8_t *pixel, bool bgra) {
    return (uint32_t)pixel[bgra ? 2 : 0] | (uint32_t)pixel[1] << 8 | (uint32_t)pixel[bgra ? 0 : 2] << 16 |
           (uint32_t)pixel[3] << 24;
}

/// The place of the slot that is the colour's, or would be.
static inline uint32_t slot_of(const wi_png_palette *p, uint32_t color) {
    uint32_t at = (color * 0x9E3779B1u) >> 22;
    while (p->slots[at] && p->colors[p->slots[at] - 1] != color) at = (at + 1) % SLOTS;
    return at;
}

static bool add(wi_png_palette *p, uint32_t color) {
    const uint32_t slot = slot_of(p, color);
    if (p->slots[slot]) return true;
    if (p->count == MOST) return false;
    p->colors[p->count++] = color;
    p->slots[slot] = (uint16_t)p->count;
    return true;
}

static bool add_all(wi_png_palette *p, const wi_png_encode_job *job) {
    const bool bgra = job->format == WI_PNG_BGRA8;
    for (uint32_t y = 0; y < job->height; y++) {
        if (y % 64 == 0 && wi_png_is_cancelled(job->flag)) return false;
        const uint8_t *const row = job->pixels + job->stride * (size_t)y;
        uint32_t last = ~color_at(row, bgra);
        for (uint32_t x = 0; x < job->width; x++) {
            const uint32_t color = color_at(row + 4 * (size_t)x, bgra);
            if (color != last && !add(p, color)) return false;
            last = color;
        }
    }
    return true;
}

static int by_alpha(const void *left, const void *right) {
    const uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
    return (a > b) - (a < b);
}

/// By alpha first, so that tRNS is short.
static void sort(wi_png_palette *p) {
    qsort(p->colors, (size_t)p->count, sizeof *p->colors, by_alpha);
    memset(p->slots, 0, sizeof p->slots);
    for (int i = 0; i < p->count; i++) {
        p->slots[slot_of(p, p->colors[i])] = (uint16_t)(i + 1);
        if (p->colors[i] >> 24 < 255) p->transparent = i + 1;
    }
}

wi_png_palette *wi_png_palette_find(const wi_png_encode_job *job) {
    if (job->format == WI_PNG_RGBA16) return NULL;
    wi_png_palette *const p = calloc(1, sizeof *p);
    if (!p) return NULL;
    if (!add_all(p, job)) {
        free(p);
        return NULL;
    }
    sort(p);
    return p;
}

void wi_png_palette_free(wi_png_palette *palette) { free(palette); }
int wi_png_palette_count(const wi_png_palette *palette) { return palette->count; }
int wi_png_palette_transparent(const wi_png_palette *palette) { return palette->transparent; }

void wi_png_palette_color(const wi_png_palette *palette, int index, uint8_t rgba[4]) {
    const uint32_t color = palette->colors[index];
    for (int c = 0; c < 4; c++) rgba[c] = (uint8_t)(color >> 8 * c);
}

void wi_png_pack_indices(const wi_png_encode_job *job, const uint8_t *from, uint8_t *to, size_t count,
                         size_t step) {
    const wi_png_palette *const p = job->palette;
    const bool bgra = job->format == WI_PNG_BGRA8;
    const unsigned depth = (unsigned)job->depth, per_byte = 8 / depth;
    memset(to, 0, (count + per_byte - 1) / per_byte);
    for (size_t x = 0; x < count; x++, from += 4 * step) {
        const unsigned index = p->slots[slot_of(p, color_at(from, bgra))] - 1u;
        to[x / per_byte] |= (uint8_t)(index << (8 - depth - x % per_byte * depth));
    }
}
