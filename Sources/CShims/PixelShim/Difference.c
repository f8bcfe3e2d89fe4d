// SPDX-License-Identifier: MIT
#include "PixelShim.h"

#include <string.h>

// The first pixel of the row that differs, `width` where none does.
static size_t first_difference(const uint8_t *one, const uint8_t *other, size_t width) {
    size_t x = 0;
    while (x < width && memcmp(one + 4 * x, other + 4 * x, 4) == 0) x++;
    return x;
}

// One behind the last pixel that differs, not below `least`.
static size_t end_of_difference(const uint8_t *one, const uint8_t *other, size_t least, size_t width) {
    size_t x = width;
    while (x > least && memcmp(one + 4 * (x - 1), other + 4 * (x - 1), 4) == 0) x--;
    return x;
}

wi_pixels_area wi_pixels_difference(const uint8_t *one, const uint8_t *other, size_t stride, size_t width,
                                    size_t height) {
    size_t left = width, right = 0, top = height, bottom = 0;
    for (size_t y = 0; y < height; y++) {
        const uint8_t *a = one + y * stride, *b = other + y * stride;
        if (memcmp(a, b, 4 * width) == 0) continue;
        if (top == height) top = y;
        bottom = y + 1;
        const size_t first = first_difference(a, b, left);
        if (first < left) left = first;
        right = end_of_difference(a, b, right, width);
    }
    if (bottom == 0) return (wi_pixels_area){0};
    return (wi_pixels_area){left, top, right - left, bottom - top};
}
