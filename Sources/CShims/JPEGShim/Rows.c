// SPDX-License-Identifier: MIT
#include "Common.h"

// a * b / 255, rounded to the nearest.
static inline uint8_t times(uint32_t a, uint32_t b) {
    uint32_t t = a * b + 128;
    return (uint8_t)((t + (t >> 8)) >> 8);
}

// Adobe stores ink inverted: what is written as cyan is already the light that is left.
void wi_jpeg_cmyk_row(const uint8_t *from, uint8_t *to, size_t width, bool inverted, bool bgra) {
    const uint8_t flip = inverted ? 0 : 255;
    const size_t red = bgra ? 2 : 0;
    for (size_t x = 0; x < width; x++, from += 4, to += 4) {
        const uint32_t k = from[3] ^ flip;
        to[red] = times(from[0] ^ flip, k);
        to[1] = times(from[1] ^ flip, k);
        to[2 - red] = times(from[2] ^ flip, k);
        to[3] = 255;
    }
}
