// SPDX-License-Identifier: MIT
#include "GIFEncode.h"

#include <string.h>

void wi_gif_threshold(uint32_t *pixels, size_t count, uint8_t threshold) {
    for (size_t i = 0; i < count; i++) {
        uint8_t pixel[4];
        memcpy(pixel, &pixels[i], 4);
        const bool is_seen = pixel[3] >= threshold;
        pixel[3] = 255;
        memcpy(&pixels[i], pixel, 4);
        if (!is_seen) pixels[i] = 0;
    }
}

/// A rectangle that grows with the spans put into it.
typedef struct bounds {
    size_t left, right, top, bottom;
} bounds;

static void include(bounds *b, size_t left, size_t right, size_t y) {
    if (left < b->left) b->left = left;
    if (right > b->right) b->right = right;
    if (y < b->top) b->top = y;
    b->bottom = y + 1;
}

static wi_gif_rectangle rectangle(const bounds *b) {
    if (b->right == 0) return (wi_gif_rectangle){0};
    return (wi_gif_rectangle){b->left, b->top, b->right - b->left, b->bottom - b->top};
}

void wi_gif_compare(const uint32_t *shown, const uint32_t *next, size_t width, size_t height,
                    wi_gif_rectangle *painted, wi_gif_rectangle *cleared) {
    bounds paint = {SIZE_MAX, 0, SIZE_MAX, 0}, clear = paint;
    for (size_t y = 0; y < height; y++, shown += width, next += width) {
        if (memcmp(shown, next, 4 * width) == 0) continue;
        for (size_t x = 0; x < width; x++) {
            if (shown[x] == next[x]) continue;
            include(next[x] ? &paint : &clear, x, x + 1, y);
        }
    }
    *painted = rectangle(&paint);
    *cleared = rectangle(&clear);
}

void wi_gif_cut_out(const uint32_t *shown, const uint32_t *next, size_t width, wi_gif_rectangle area,
                    uint32_t *target) {
    for (size_t y = area.y; y < area.y + area.height; y++, target += area.width) {
        const size_t start = width * y + area.x;
        if (!shown) {
            memcpy(target, next + start, 4 * area.width);
            continue;
        }
        for (size_t x = 0; x < area.width; x++)
            target[x] = shown[start + x] == next[start + x] ? 0 : next[start + x];
    }
}

bool wi_gif_has_holes(const uint32_t *pixels, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (!pixels[i]) return true;
    return false;
}
