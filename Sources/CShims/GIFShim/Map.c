// SPDX-License-Identifier: MIT
#include "Nearest.h"

#include <stdlib.h>
#include <string.h>

enum {
    SLOTS = 1024,
    /// Bits of a channel by which the nearest colour is remembered.
    BITS = 6,
    CELLS = 1 << 3 * BITS,
    UNKNOWN = 0xFFFF,
};

/// The colours of a palette by their hash.
typedef struct color_table {
    uint32_t colors[SLOTS];
    uint16_t indices[SLOTS];
    size_t used;
} color_table;

static inline size_t slot_of(const color_table *table, uint32_t color) {
    size_t at = color * 2654435769u >> 22;
    while (table->colors[at] && table->colors[at] != color) at = (at + 1) % SLOTS;
    return at;
}

static inline void enter(color_table *table, size_t slot, uint32_t color) {
    table->colors[slot] = color;
    table->indices[slot] = (uint16_t)table->used++;
}

bool wi_gif_exact_palette(const uint32_t *pixels, size_t count, size_t most, uint32_t palette[256],
                          size_t *used) {
    color_table table;
    memset(&table, 0, sizeof table);
    uint32_t last = 0;
    for (size_t i = 0; i < count; i++) {
        const uint32_t color = pixels[i];
        if (color == last || color == 0) continue;
        last = color;
        const size_t slot = slot_of(&table, color);
        if (table.colors[slot]) continue;
        if (table.used >= most || table.used >= 256) return false;
        palette[table.used] = color;
        enter(&table, slot, color);
    }
    *used = table.used;
    return true;
}

static void fill_table(color_table *table, const uint32_t palette[256], size_t used) {
    memset(table, 0, sizeof *table);
    for (size_t i = 0; i < used; i++) {
        const size_t slot = slot_of(table, palette[i]);
        // A colour that comes twice is found where it came first.
        if (table->colors[slot]) {
            table->used++;
        } else {
            enter(table, slot, palette[i]);
        }
    }
}

bool wi_gif_is_in_palette(const uint32_t *pixels, size_t count, const uint32_t palette[256], size_t used) {
    color_table table;
    fill_table(&table, palette, used);
    for (size_t i = 0; i < count; i++)
        if (pixels[i] && !table.colors[slot_of(&table, pixels[i])]) return false;
    return true;
}

/// Finds the nearest colours, and remembers them.
typedef struct finder {
    nearest_colors colors;
    color_table exact;
    uint16_t cells[CELLS];
} finder;

/// The nearest colour to the middle of the cell that the colour lies in.
static inline unsigned nearest(finder *f, const int color[3]) {
    const int shift = 8 - BITS;
    const int at = (color[0] >> shift) << 2 * BITS | (color[1] >> shift) << BITS | color[2] >> shift;
    if (f->cells[at] == UNKNOWN) {
        const int low = (1 << shift) - 1, half = 1 << (shift - 1);
        const int middle[3] = {(color[0] & ~low) + half, (color[1] & ~low) + half, (color[2] & ~low) + half};
        f->cells[at] = (uint16_t)wi_gif_nearest(&f->colors, middle);
    }
    return f->cells[at];
}

static finder *make_finder(const uint32_t palette[256], size_t used) {
    finder *f = malloc(sizeof *f);
    if (!f) return NULL;
    wi_gif_set_colors(&f->colors, palette, used);
    fill_table(&f->exact, palette, used);
    memset(f->cells, 0xFF, sizeof f->cells);
    return f;
}

static void map_plainly(finder *f, const uint32_t *pixels, size_t count, uint8_t transparent,
                        uint8_t *indices) {
    for (size_t i = 0; i < count; i++) {
        if (!pixels[i]) {
            indices[i] = transparent;
            continue;
        }
        const size_t slot = slot_of(&f->exact, pixels[i]);
        if (f->exact.colors[slot]) {
            indices[i] = (uint8_t)f->exact.indices[slot];
            continue;
        }
        uint8_t pixel[4];
        memcpy(pixel, &pixels[i], 4);
        const int color[3] = {pixel[0], pixel[1], pixel[2]};
        indices[i] = (uint8_t)nearest(f, color);
    }
}

static inline int clamp(int value) { return value < 0 ? 0 : value > 255 ? 255 : value; }

/// One row by Floyd and Steinberg; `errors` and `below` are in sixteenths, with a pixel of room on both
/// sides.
static void dither_row(finder *f, const uint32_t *pixels, size_t width, bool backwards, const int *errors,
                       int *below, uint8_t transparent, uint8_t *indices) {
    const ptrdiff_t step = backwards ? -1 : 1;
    int ahead[3] = {0};
    for (size_t i = 0; i < width; i++) {
        const size_t x = backwards ? width - 1 - i : i;
        const int *error = errors + 3 * (x + 1);
        int *under = below + 3 * (x + 1);
        if (!pixels[x]) {
            // What was lost does not cross pixels that are not painted.
            indices[x] = transparent;
            memset(ahead, 0, sizeof ahead);
            continue;
        }
        uint8_t pixel[4];
        memcpy(pixel, &pixels[x], 4);
        int color[3];
        for (int c = 0; c < 3; c++) color[c] = clamp(pixel[c] + (error[c] + ahead[c] + 8) / 16);
        const unsigned found = nearest(f, color);
        indices[x] = (uint8_t)found;
        for (int c = 0; c < 3; c++) {
            const int lost = color[c] - f->colors.channels[c][found];
            ahead[c] = 7 * lost;
            under[c - 3 * step] += 3 * lost;
            under[c] += 5 * lost;
            under[c + 3 * step] += lost;
        }
    }
}

static bool map_dithered(finder *f, const uint32_t *pixels, size_t width, size_t height, uint8_t transparent,
                         uint8_t *indices) {
    const size_t length = 3 * (width + 2);
    int *rows = calloc(2 * length, sizeof *rows);
    if (!rows) return false;
    for (size_t y = 0; y < height; y++) {
        int *errors = rows + (y % 2) * length, *below = rows + (1 - y % 2) * length;
        memset(below, 0, length * sizeof *below);
        dither_row(f, pixels + y * width, width, y % 2 == 1, errors, below, transparent, indices + y * width);
    }
    free(rows);
    return true;
}

bool wi_gif_map(const uint32_t *pixels, size_t width, size_t height, const uint32_t palette[256], size_t used,
                uint8_t transparent, bool dithers, uint8_t *indices) {
    finder *f = make_finder(palette, used);
    if (!f) return false;
    bool is_done = true;
    if (dithers) {
        is_done = map_dithered(f, pixels, width, height, transparent, indices);
    } else {
        map_plainly(f, pixels, width * height, transparent, indices);
    }
    free(f);
    return is_done;
}
