// SPDX-License-Identifier: MIT
#include "PNGShim.h"

#include <string.h>

/// value / 255 to the nearest, for values up to 255 * 255.
static inline uint32_t by_255(uint32_t value) {
    const uint32_t t = value + 128;
    return (t + (t >> 8)) >> 8;
}

/// The "over" of PNG (section 13.16) on colours that are not multiplied by alpha.
static inline void blend_pixel(const uint8_t *above, uint8_t *below) {
    const uint32_t alpha = above[3], rest = 255 - alpha;
    if (below[3] == 255) {
        for (int c = 0; c < 3; c++) below[c] = (uint8_t)by_255(above[c] * alpha + below[c] * rest);
        return;
    }
    // Alphas times 255, so that nothing is rounded before the end.
    const uint32_t upper = alpha * 255, lower = below[3] * rest, sum = upper + lower;
    for (int c = 0; c < 3; c++)
        below[c] = (uint8_t)((above[c] * upper + below[c] * lower + sum / 2) / sum);
    below[3] = (uint8_t)by_255(sum);
}

void wi_png_paint_row(const uint8_t *above, uint8_t *below, size_t width, bool blends) {
    if (!blends) {
        memcpy(below, above, 4 * width);
        return;
    }
    for (size_t x = 0; x < width; x++, above += 4, below += 4) {
        if (above[3] == 255 || (above[3] != 0 && below[3] == 0)) {
            memcpy(below, above, 4);
        } else if (above[3] != 0) {
            blend_pixel(above, below);
        }
    }
}
