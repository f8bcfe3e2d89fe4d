// SPDX-License-Identifier: MIT
#include "PixelShim.h"

#include <string.h>

// x * a / 255, rounded to nearest, for x and a up to 255.
static inline uint8_t times_alpha(uint32_t x, uint32_t a) {
    uint32_t t = x * a + 128;
    return (uint8_t)((t + (t >> 8)) >> 8);
}

void wi_premultiply8(const uint8_t *source, uint8_t *target, size_t pixels) {
    for (size_t i = 0; i < pixels; i++, source += 4, target += 4) {
        uint32_t a = source[3];
        target[0] = times_alpha(source[0], a);
        target[1] = times_alpha(source[1], a);
        target[2] = times_alpha(source[2], a);
        target[3] = (uint8_t)a;
    }
}

static inline uint8_t by_alpha(uint32_t x, uint32_t a) {
    uint32_t t = (x * 255 + a / 2) / a;
    return (uint8_t)(t > 255 ? 255 : t);
}

void wi_unpremultiply8(const uint8_t *source, uint8_t *target, size_t pixels) {
    for (size_t i = 0; i < pixels; i++, source += 4, target += 4) {
        uint32_t a = source[3];
        if (a == 255) {
            memmove(target, source, 4);
        } else if (a == 0) {
            memset(target, 0, 4);
        } else {
            target[0] = by_alpha(source[0], a);
            target[1] = by_alpha(source[1], a);
            target[2] = by_alpha(source[2], a);
            target[3] = (uint8_t)a;
        }
    }
}

void wi_premultiply16(const uint16_t *source, uint16_t *target, size_t pixels) {
    for (size_t i = 0; i < pixels * 4; i += 4) {
        uint64_t a = source[i + 3];
        for (size_t c = 0; c < 3; c++) target[i + c] = (uint16_t)((source[i + c] * a + 32767) / 65535);
        target[i + 3] = (uint16_t)a;
    }
}

void wi_unpremultiply16(const uint16_t *source, uint16_t *target, size_t pixels) {
    for (size_t i = 0; i < pixels * 4; i += 4) {
        uint64_t a = source[i + 3];
        for (size_t c = 0; c < 3; c++) {
            uint64_t t = a ? (source[i + c] * 65535ull + a / 2) / a : 0;
            target[i + c] = (uint16_t)(t > 65535 ? 65535 : t);
        }
        target[i + 3] = (uint16_t)a;
    }
}

void wi_swap_red_blue8(const uint8_t *source, uint8_t *target, size_t pixels) {
    for (size_t i = 0; i < pixels; i++) {
        uint32_t p;
        memcpy(&p, source + 4 * i, 4);
        p = (p & 0xff00ff00u) | (p >> 16 & 0xffu) | (p & 0xffu) << 16;
        memcpy(target + 4 * i, &p, 4);
    }
}

void wi_narrow16(const uint16_t *source, uint8_t *target, size_t pixels, bool swaps) {
    size_t red = swaps ? 2 : 0;
    for (size_t i = 0; i < pixels * 4; i += 4) {
        target[i + red] = (uint8_t)(source[i] >> 8);
        target[i + 1] = (uint8_t)(source[i + 1] >> 8);
        target[i + 2 - red] = (uint8_t)(source[i + 2] >> 8);
        target[i + 3] = (uint8_t)(source[i + 3] >> 8);
    }
}

void wi_widen8(const uint8_t *source, uint16_t *target, size_t pixels, bool swaps) {
    size_t red = swaps ? 2 : 0;
    for (size_t i = 0; i < pixels * 4; i += 4) {
        target[i] = (uint16_t)(source[i + red] * 257);
        target[i + 1] = (uint16_t)(source[i + 1] * 257);
        target[i + 2] = (uint16_t)(source[i + 2 - red] * 257);
        target[i + 3] = (uint16_t)(source[i + 3] * 257);
    }
}

bool wi_is_opaque8(const uint8_t *source, size_t pixels) {
    enum { BLOCK = 1024 };
    for (size_t i = 0; i < pixels; i += BLOCK) {
        size_t end = i + BLOCK < pixels ? i + BLOCK : pixels;
        uint8_t all = 255;
        for (size_t k = i; k < end; k++) all &= source[4 * k + 3];
        if (all != 255) return false;
    }
    return true;
}

bool wi_is_opaque16(const uint16_t *source, size_t pixels) {
    for (size_t i = 0; i < pixels; i++)
        if (source[4 * i + 3] != 65535) return false;
    return true;
}

void wi_fill_alpha8(uint8_t *target, size_t pixels) {
    for (size_t i = 0; i < pixels; i++) target[4 * i + 3] = 255;
}

void wi_fill_alpha16(uint16_t *target, size_t pixels) {
    for (size_t i = 0; i < pixels; i++) target[4 * i + 3] = 65535;
}

// Where the source pixel of target (x, y) lies: origin + x * dx + y * dy, in pixels and rows of the source.
typedef struct {
    ptrdiff_t origin, dx, dy;
} walk;

static walk walk_for(int orientation, ptrdiff_t stride, ptrdiff_t pixel, ptrdiff_t width, ptrdiff_t height) {
    const ptrdiff_t right = (width - 1) * pixel, bottom = (height - 1) * stride;
    switch (orientation) {
    case 2: return (walk){right, -pixel, stride};
    case 3: return (walk){right + bottom, -pixel, -stride};
    case 4: return (walk){bottom, pixel, -stride};
    case 5: return (walk){0, stride, pixel};
    case 6: return (walk){bottom, -stride, pixel};
    case 7: return (walk){right + bottom, -stride, -pixel};
    case 8: return (walk){right, stride, -pixel};
    default: return (walk){0, pixel, stride};
    }
}

#define ORIENT(NAME, TYPE)                                                                                             \
    static void NAME(const uint8_t *source, walk w, uint8_t *target, size_t stride, size_t width, size_t height) {     \
        enum { BLOCK = 32 };                                                                                           \
        for (size_t by = 0; by < height; by += BLOCK)                                                                  \
            for (size_t bx = 0; bx < width; bx += BLOCK) {                                                             \
                size_t ey = by + BLOCK < height ? by + BLOCK : height, ex = bx + BLOCK < width ? bx + BLOCK : width;   \
                for (size_t y = by; y < ey; y++) {                                                                     \
                    const uint8_t *from = source + w.origin + (ptrdiff_t)y * w.dy + (ptrdiff_t)bx * w.dx;              \
                    TYPE *to = (TYPE *)(target + y * stride) + bx;                                                     \
                    for (size_t x = bx; x < ex; x++, from += w.dx) *to++ = *(const TYPE *)from;                        \
                }                                                                                                      \
            }                                                                                                          \
    }
ORIENT(orient4, uint32_t)
ORIENT(orient8, uint64_t)

void wi_orient(const uint8_t *source, size_t source_stride, uint8_t *target, size_t target_stride, size_t width,
               size_t height, size_t bytes_per_pixel, int orientation) {
    walk w = walk_for(orientation, (ptrdiff_t)source_stride, (ptrdiff_t)bytes_per_pixel, (ptrdiff_t)width,
                      (ptrdiff_t)height);
    size_t target_width = orientation >= 5 ? height : width, target_height = orientation >= 5 ? width : height;
    // Blocks keep the rows that a quarter turn crosses in the cache.
    (bytes_per_pixel == 4 ? orient4 : orient8)(source, w, target, target_stride, target_width, target_height);
}
