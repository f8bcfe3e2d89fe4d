// SPDX-License-Identifier: MIT
#include "PixelShim.h"

#include <string.h>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

/// A side of the square that is turned at once: a cache line of pixels, so that each line is read and written
/// once.
enum { WI_TILE = 16 };

static inline void copy_pixels(
    const uint8_t *source, ptrdiff_t across, uint8_t *target, size_t count, size_t pixel_bytes) {
    for (size_t x = 0; x < count; x++) {
        memcpy(target + x * pixel_bytes, source + (ptrdiff_t)x * across, pixel_bytes);
    }
}

#if defined(__SSE2__)
/// Four by four pixels of four bytes. `down` is 4 or -4: a run of source pixels becomes a column.
static inline void turn_square(
    const uint8_t *source, ptrdiff_t across, ptrdiff_t down, uint8_t *target, size_t stride) {
    const uint8_t *first = down > 0 ? source : source + 3 * down;
    __m128i a = _mm_loadu_si128((const __m128i *)first);
    __m128i b = _mm_loadu_si128((const __m128i *)(first + across));
    __m128i c = _mm_loadu_si128((const __m128i *)(first + 2 * across));
    __m128i d = _mm_loadu_si128((const __m128i *)(first + 3 * across));
    __m128i ab = _mm_unpacklo_epi32(a, b), cd = _mm_unpacklo_epi32(c, d);
    __m128i AB = _mm_unpackhi_epi32(a, b), CD = _mm_unpackhi_epi32(c, d);
    uint8_t *row = down > 0 ? target : target + 3 * stride;
    ptrdiff_t step = down > 0 ? (ptrdiff_t)stride : -(ptrdiff_t)stride;
    _mm_storeu_si128((__m128i *)row, _mm_unpacklo_epi64(ab, cd));
    _mm_storeu_si128((__m128i *)(row + step), _mm_unpackhi_epi64(ab, cd));
    _mm_storeu_si128((__m128i *)(row + 2 * step), _mm_unpacklo_epi64(AB, CD));
    _mm_storeu_si128((__m128i *)(row + 3 * step), _mm_unpackhi_epi64(AB, CD));
}
#endif

static void turn_tile(
    const uint8_t *source, ptrdiff_t across, ptrdiff_t down, uint8_t *target, size_t stride, size_t width,
    size_t height, size_t pixel_bytes) {
    size_t y = 0;
#if defined(__SSE2__)
    if (pixel_bytes == 4 && (down == 4 || down == -4)) {
        for (; y + 4 <= height; y += 4) {
            size_t x = 0;
            for (; x + 4 <= width; x += 4) {
                turn_square(
                    source + (ptrdiff_t)x * across + (ptrdiff_t)y * down, across, down,
                    target + y * stride + x * 4, stride);
            }
            for (size_t rest = y; rest < y + 4; rest++) {
                copy_pixels(
                    source + (ptrdiff_t)x * across + (ptrdiff_t)rest * down, across,
                    target + rest * stride + x * 4, width - x, 4);
            }
        }
    }
#endif
    for (; y < height; y++) {
        const uint8_t *row = source + (ptrdiff_t)y * down;
        if (pixel_bytes == 4) {
            copy_pixels(row, across, target + y * stride, width, 4);
        } else {
            copy_pixels(row, across, target + y * stride, width, 8);
        }
    }
}

/// A row from its last pixel to its first; steps that the compiler knows become vectors.
static void mirror_row(const uint8_t *source, uint8_t *target, size_t width, size_t pixel_bytes) {
    if (pixel_bytes == 4) {
        copy_pixels(source, -4, target, width, 4);
    } else {
        copy_pixels(source, -8, target, width, 8);
    }
}

void wi_pixels_turn(
    const uint8_t *source, ptrdiff_t across, ptrdiff_t down, uint8_t *target, size_t width, size_t height,
    size_t pixel_bytes) {
    size_t stride = width * pixel_bytes;
    if (across == -(ptrdiff_t)pixel_bytes) {
        for (size_t y = 0; y < height; y++) {
            mirror_row(source + (ptrdiff_t)y * down, target + y * stride, width, pixel_bytes);
        }
        return;
    }
    if (across == (ptrdiff_t)pixel_bytes) {
        for (size_t y = 0; y < height; y++) {
            memcpy(target + y * stride, source + (ptrdiff_t)y * down, stride);
        }
        return;
    }
    for (size_t y = 0; y < height; y += WI_TILE) {
        size_t rows = height - y < WI_TILE ? height - y : WI_TILE;
        for (size_t x = 0; x < width; x += WI_TILE) {
            turn_tile(
                source + (ptrdiff_t)x * across + (ptrdiff_t)y * down, across, down,
                target + y * stride + x * pixel_bytes, stride, width - x < WI_TILE ? width - x : WI_TILE,
                rows, pixel_bytes);
        }
    }
}
