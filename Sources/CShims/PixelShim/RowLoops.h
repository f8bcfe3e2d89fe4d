// SPDX-License-Identifier: MIT
// Included once for each instruction set, with WI_LOOPS naming the table and WI_TARGET the functions'
// attributes.
#include "Rows.h"

#include <string.h>

#pragma STDC FP_CONTRACT OFF

#define WI_INLINE WI_TARGET __attribute__((always_inline)) static inline

typedef float wi_float4 __attribute__((vector_size(16)));
typedef float wi_float8 __attribute__((vector_size(32)));
typedef uint8_t wi_byte8 __attribute__((vector_size(8)));
typedef uint16_t wi_word8 __attribute__((vector_size(16)));
typedef int32_t wi_int4 __attribute__((vector_size(16)));
typedef float wi_float8_unaligned __attribute__((vector_size(32), aligned(4)));
typedef float wi_float4_unaligned __attribute__((vector_size(16), aligned(4)));

/// Two pixels with their colours multiplied by alpha.
WI_INLINE void multiply(wi_float8 *pixels) {
    const wi_float8 one = {1, 1, 1, 1, 1, 1, 1, 1};
    wi_float8 alpha = __builtin_shufflevector(*pixels, *pixels, 3, 3, 3, 3, 7, 7, 7, 7);
    *pixels *= __builtin_shufflevector(alpha, one, 0, 1, 2, 8, 4, 5, 6, 8);
}

WI_INLINE void load_samples(const uint8_t *source, size_t pixels, int bits, bool straight, float *target) {
    size_t x = 0;
    for (; x + 2 <= pixels; x += 2) {
        wi_byte8 narrow;
        wi_word8 wide;
        if (bits == 8) {
            memcpy(&narrow, source + 4 * x, sizeof narrow);
        } else {
            memcpy(&wide, source + 8 * x, sizeof wide);
        }
        wi_float8 samples =
            bits == 8 ? __builtin_convertvector(narrow, wi_float8) : __builtin_convertvector(wide, wi_float8);
        if (straight) {
            multiply(&samples);
        }
        *(wi_float8_unaligned *)(target + 4 * x) = samples;
    }
    for (size_t i = 4 * x; i < 4 * pixels; i++) {
        uint16_t sample = source[i];
        if (bits == 16) {
            memcpy(&sample, source + 2 * i, sizeof sample);
        }
        target[i] = (float)sample;
    }
    for (; straight && x < pixels; x++) {
        for (size_t c = 0; c < 3; c++) {
            target[4 * x + c] *= target[4 * x + 3];
        }
    }
}

WI_TARGET static void load(const uint8_t *source, size_t pixels, int bits, bool straight, float *target) {
    // Told apart out here, so that the loop is compiled for each.
    if (bits == 8) {
        if (straight) {
            load_samples(source, pixels, 8, true, target);
        } else {
            load_samples(source, pixels, 8, false, target);
        }
    } else if (straight) {
        load_samples(source, pixels, 16, true, target);
    } else {
        load_samples(source, pixels, 16, false, target);
    }
}

WI_TARGET static void shrink(const float *source, size_t pixels, size_t factor, float *target) {
    for (size_t x = 0; x < pixels; x += factor, target += 4) {
        size_t count = pixels - x < factor ? pixels - x : factor;
        wi_float4 sum = {0};
        for (size_t i = 0; i < count; i++) {
            sum += *(const wi_float4_unaligned *)(source + 4 * (x + i));
        }
        *(wi_float4_unaligned *)target = sum / (float)count;
    }
}

WI_TARGET static void add(float *restrict target, const float *source, size_t count) {
    for (size_t i = 0; i < count; i++) {
        target[i] += source[i];
    }
}

WI_TARGET static void scale(float *target, size_t count, float factor) {
    for (size_t i = 0; i < count; i++) {
        target[i] *= factor;
    }
}

// By pointer: a vector as an argument has an ABI that depends on the instruction set.
WI_INLINE void store_folded(const wi_float8 *sums, float *target) {
    *(wi_float4_unaligned *)target =
        __builtin_shufflevector(*sums, *sums, 0, 1, 2, 3) + __builtin_shufflevector(*sums, *sums, 4, 5, 6, 7);
}

WI_TARGET static void across(
    const wi_weights *weights, const float *source, size_t source_stride, float *restrict target,
    size_t target_stride) {
    for (size_t x = 0; x < weights->size; x++) {
        wi_window window = weights->windows[x];
        const float *k = weights->real + x * weights->taps, *p = source + (size_t)window.start * 4;
        wi_float8 s0 = {0}, s1 = {0}, s2 = {0}, s3 = {0};
        for (int32_t t = 0; t < window.count; t += 2, p += 8) {
            wi_float8 w = {k[t], k[t], k[t], k[t], k[t + 1], k[t + 1], k[t + 1], k[t + 1]};
            s0 += w * *(const wi_float8_unaligned *)p;
            s1 += w * *(const wi_float8_unaligned *)(p + source_stride);
            s2 += w * *(const wi_float8_unaligned *)(p + 2 * source_stride);
            s3 += w * *(const wi_float8_unaligned *)(p + 3 * source_stride);
        }
        store_folded(&s0, target + 4 * x);
        store_folded(&s1, target + 4 * x + target_stride);
        store_folded(&s2, target + 4 * x + 2 * target_stride);
        store_folded(&s3, target + 4 * x + 3 * target_stride);
    }
}

WI_TARGET static void down(
    const float *const *rows, const float *weights, size_t count, float *restrict target, size_t floats) {
    size_t x = 0;
    for (; x + 32 <= floats; x += 32) {
        wi_float8 s0 = {0}, s1 = {0}, s2 = {0}, s3 = {0};
        for (size_t t = 0; t < count; t++) {
            const float *row = rows[t] + x, w = weights[t];
            s0 += w * *(const wi_float8_unaligned *)row;
            s1 += w * *(const wi_float8_unaligned *)(row + 8);
            s2 += w * *(const wi_float8_unaligned *)(row + 16);
            s3 += w * *(const wi_float8_unaligned *)(row + 24);
        }
        *(wi_float8_unaligned *)(target + x) = s0;
        *(wi_float8_unaligned *)(target + x + 8) = s1;
        *(wi_float8_unaligned *)(target + x + 16) = s2;
        *(wi_float8_unaligned *)(target + x + 24) = s3;
    }
    for (; x < floats; x += 4) {
        wi_float4 sum = {0};
        for (size_t t = 0; t < count; t++) {
            sum += weights[t] * *(const wi_float4_unaligned *)(rows[t] + x);
        }
        *(wi_float4_unaligned *)(target + x) = sum;
    }
}

/// One pixel, rounded: samples from 0 to `most`.
WI_INLINE void finish(const float *pixel, float most, bool straight, wi_int4 *samples) {
    wi_float4 p = *(const wi_float4_unaligned *)pixel, zero = {0}, half = zero + 0.5f;
    float alpha = pixel[3] < 0 ? 0 : pixel[3] > most ? most : pixel[3];
    wi_float4 limit = zero + (straight ? most : alpha);
    wi_float4 colour = straight ? p / (zero + (alpha >= 0.5f ? alpha : 1)) : p;
    colour = __builtin_elementwise_min(__builtin_elementwise_max(colour, zero), limit);
    colour[3] = alpha;
    // What rounds to transparent has no colour.
    *samples = straight && alpha < 0.5f ? (wi_int4){0} : __builtin_convertvector(colour + half, wi_int4);
}

WI_TARGET static void store(
    const float *source, size_t pixels, int bits, bool straight, uint8_t *restrict target) {
    for (size_t x = 0; x < pixels; x++) {
        wi_int4 samples;
        finish(source + 4 * x, bits == 8 ? 255 : 65535, straight, &samples);
        for (size_t c = 0; c < 4; c++) {
            if (bits == 8) {
                target[4 * x + c] = (uint8_t)samples[c];
            } else {
                uint16_t sample = (uint16_t)samples[c];
                memcpy(target + 8 * x + 2 * c, &sample, sizeof sample);
            }
        }
    }
}

const wi_row_loops WI_LOOPS = {load, shrink, add, scale, across, down, store};
