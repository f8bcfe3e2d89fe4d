// SPDX-License-Identifier: MIT
#include "PixelFloats.h"

#include <string.h>

#pragma STDC FP_CONTRACT OFF

typedef float wi_vector4 __attribute__((vector_size(16)));
typedef uint8_t wi_bytes4 __attribute__((vector_size(4)));
typedef uint16_t wi_words4 __attribute__((vector_size(8)));

static inline wi_vector4 pixel(const uint8_t *row, ptrdiff_t column, int bits) {
    if (bits == 8) {
        wi_bytes4 narrow;
        memcpy(&narrow, row + 4 * column, sizeof narrow);
        return __builtin_convertvector(narrow, wi_vector4);
    }
    wi_words4 wide;
    memcpy(&wide, row + 8 * column, sizeof wide);
    return __builtin_convertvector(wide, wi_vector4);
}

static inline ptrdiff_t clamped(ptrdiff_t index, ptrdiff_t side) {
    return index < 0 ? 0 : index < side ? index : side - 1;
}

/// What the pixels at distances -1, 0, 1 and 2 weigh for a point at `t` of the way from 0 to 1.
static inline void weigh(float t, float *weights) {
    float t2 = t * t, t3 = t2 * t;
    weights[0] = -0.5f * t3 + t2 - 0.5f * t;
    weights[1] = 1.5f * t3 - 2.5f * t2 + 1;
    weights[2] = -1.5f * t3 + 2 * t2 + 0.5f * t;
    weights[3] = 0.5f * t3 - 0.5f * t2;
}

void wi_sample_cubic(const wi_sampled *source, double x, double y, float *color) {
    ptrdiff_t width = (ptrdiff_t)source->width, height = (ptrdiff_t)source->height;
    ptrdiff_t left = (ptrdiff_t)__builtin_floor(x - 0.5), top = (ptrdiff_t)__builtin_floor(y - 0.5);
    float across[4], down[4];
    weigh((float)(x - 0.5 - (double)left), across);
    weigh((float)(y - 0.5 - (double)top), down);
    ptrdiff_t columns[4];
    for (int i = 0; i < 4; i++) {
        columns[i] = clamped(left + i - 1, width);
    }
    wi_vector4 sum = {0};
    for (int j = 0; j < 4; j++) {
        const uint8_t *row = source->pixels + (size_t)clamped(top + j - 1, height) * source->stride;
        wi_vector4 part = across[0] * pixel(row, columns[0], source->bits);
        for (int i = 1; i < 4; i++) {
            part += across[i] * pixel(row, columns[i], source->bits);
        }
        sum += down[j] * part;
    }
    // What rings beyond what can be is cut: alpha at 1, colours at alpha.
    sum /= source->bits == 8 ? 255.0f : 65535.0f;
    const wi_vector4 zero = {0};
    float alpha = sum[3] < 0 ? 0 : sum[3] > 1 ? 1 : sum[3];
    sum = __builtin_elementwise_min(__builtin_elementwise_max(sum, zero), zero + alpha);
    memcpy(color, &sum, sizeof sum);
}
