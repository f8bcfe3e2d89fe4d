// SPDX-License-Identifier: MIT
#include "PixelShim.h"

#include <string.h>

static void swap_row(const uint8_t *restrict source, uint8_t *restrict target, size_t width) {
    for (size_t x = 0; x < width; x++) {
        uint32_t p;
        memcpy(&p, source + 4 * x, 4);
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
        p = (p & 0xFF00FF00u) | (p & 0xFFu) << 16 | (p >> 16 & 0xFFu);
#else
        p = (p & 0x00FF00FFu) | (p & 0xFF00u) << 16 | (p >> 16 & 0xFF00u);
#endif
        memcpy(target + 4 * x, &p, 4);
    }
}

static void narrow_row(const uint16_t *restrict source, uint8_t *restrict target, size_t width, bool swap) {
    for (size_t i = 0; i < 4 * width; i++) {
        target[i] = (uint8_t)(source[i] >> 8);
    }
    for (size_t x = 0; swap && x < width; x++) {
        uint8_t first = target[4 * x];
        target[4 * x] = target[4 * x + 2];
        target[4 * x + 2] = first;
    }
}

static void widen_row(const uint8_t *restrict source, uint16_t *restrict target, size_t width, bool swap) {
    for (size_t i = 0; i < 4 * width; i++) {
        target[i] = (uint16_t)(source[i] * 257u);
    }
    for (size_t x = 0; swap && x < width; x++) {
        uint16_t first = target[4 * x];
        target[4 * x] = target[4 * x + 2];
        target[4 * x + 2] = first;
    }
}

/// The nearest integer to value * alpha / 255; there are no ties, as 255 is odd.
static inline uint8_t multiplied8(uint32_t value, uint32_t alpha) {
    uint32_t t = value * alpha + 128;
    return (uint8_t)((t + (t >> 8)) >> 8);
}

static void multiply_row8(uint8_t *row, size_t width) {
    for (size_t x = 0; x < width; x++) {
        uint32_t alpha = row[4 * x + 3];
        row[4 * x] = multiplied8(row[4 * x], alpha);
        row[4 * x + 1] = multiplied8(row[4 * x + 1], alpha);
        row[4 * x + 2] = multiplied8(row[4 * x + 2], alpha);
    }
}

static inline uint16_t multiplied16(uint32_t value, uint32_t alpha) {
    uint32_t t = value * alpha + 32768;
    return (uint16_t)((t + (t >> 16)) >> 16);
}

static void multiply_row16(uint16_t *row, size_t width) {
    for (size_t x = 0; x < width; x++) {
        uint32_t alpha = row[4 * x + 3];
        row[4 * x] = multiplied16(row[4 * x], alpha);
        row[4 * x + 1] = multiplied16(row[4 * x + 1], alpha);
        row[4 * x + 2] = multiplied16(row[4 * x + 2], alpha);
    }
}

/// The nearest integer to value * maximum / alpha, halves up, at most the maximum; 0 where alpha is 0.
static inline uint32_t divided(uint32_t value, uint32_t alpha, uint32_t maximum) {
    if (alpha == 0) {
        return 0;
    }
    return value >= alpha ? maximum : (value * maximum + alpha / 2) / alpha;
}

static void divide_row8(uint8_t *row, size_t width) {
    for (size_t x = 0; x < width; x++) {
        uint32_t alpha = row[4 * x + 3];
        if (alpha == 255) {
            continue;
        }
        for (size_t c = 0; c < 3; c++) {
            row[4 * x + c] = (uint8_t)divided(row[4 * x + c], alpha, 255);
        }
    }
}

static void divide_row16(uint16_t *row, size_t width) {
    for (size_t x = 0; x < width; x++) {
        uint32_t alpha = row[4 * x + 3];
        if (alpha == 65535) {
            continue;
        }
        for (size_t c = 0; c < 3; c++) {
            row[4 * x + c] = (uint16_t)divided(row[4 * x + c], alpha, 65535);
        }
    }
}

static void alpha_row8(uint8_t *row, size_t width, wi_alpha alpha) {
    switch (alpha) {
    case WI_ALPHA_KEEP: break;
    case WI_ALPHA_MULTIPLY: multiply_row8(row, width); break;
    case WI_ALPHA_DIVIDE: divide_row8(row, width); break;
    case WI_ALPHA_FILL:
        for (size_t x = 0; x < width; x++) {
            row[4 * x + 3] = 255;
        }
        break;
    }
}

static void alpha_row16(uint16_t *row, size_t width, wi_alpha alpha) {
    switch (alpha) {
    case WI_ALPHA_KEEP: break;
    case WI_ALPHA_MULTIPLY: multiply_row16(row, width); break;
    case WI_ALPHA_DIVIDE: divide_row16(row, width); break;
    case WI_ALPHA_FILL:
        for (size_t x = 0; x < width; x++) {
            row[4 * x + 3] = 65535;
        }
        break;
    }
}

static void sample_row(
    const uint8_t *source, uint8_t *target, size_t width, wi_samples samples, int target_bits) {
    switch (samples) {
    case WI_SAMPLES_KEEP: memcpy(target, source, width * (size_t)target_bits / 2); break;
    case WI_SAMPLES_SWAP: swap_row(source, target, width); break;
    case WI_SAMPLES_NARROW: narrow_row((const uint16_t *)(const void *)source, target, width, false); break;
    case WI_SAMPLES_NARROW_SWAP:
        narrow_row((const uint16_t *)(const void *)source, target, width, true);
        break;
    case WI_SAMPLES_WIDEN: widen_row(source, (uint16_t *)(void *)target, width, false); break;
    case WI_SAMPLES_WIDEN_SWAP: widen_row(source, (uint16_t *)(void *)target, width, true); break;
    }
}

void wi_pixels_convert(
    const uint8_t *source, size_t source_stride, uint8_t *target, size_t target_stride, size_t width,
    size_t height, wi_samples samples, wi_alpha alpha, int target_bits) {
    for (size_t y = 0; y < height; y++) {
        uint8_t *row = target + y * target_stride;
        sample_row(source + y * source_stride, row, width, samples, target_bits);
        if (target_bits == 8) {
            alpha_row8(row, width, alpha);
        } else {
            alpha_row16((uint16_t *)(void *)row, width, alpha);
        }
    }
}

bool wi_pixels_are_opaque(const uint8_t *source, size_t stride, size_t width, size_t height, int bits) {
    for (size_t y = 0; y < height; y++) {
        const uint8_t *row = source + y * stride;
        uint16_t all = 0xFFFF;
        if (bits == 8) {
            uint8_t narrow = 0xFF;
            for (size_t x = 0; x < width; x++) {
                narrow &= row[4 * x + 3];
            }
            all = narrow == 0xFF ? 0xFFFF : 0;
        } else {
            const uint16_t *wide = (const uint16_t *)(const void *)row;
            for (size_t x = 0; x < width; x++) {
                all &= wide[4 * x + 3];
            }
        }
        if (all != 0xFFFF) {
            return false;
        }
    }
    return true;
}
