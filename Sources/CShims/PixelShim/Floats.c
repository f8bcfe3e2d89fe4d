// SPDX-License-Identifier: MIT
#include "PixelFloats.h"

#include <string.h>

#pragma STDC FP_CONTRACT OFF

#define WI_INLINE __attribute__((always_inline)) static inline

typedef float wi_sample4 __attribute__((vector_size(16)));
typedef float wi_sample4_unaligned __attribute__((vector_size(16), aligned(4)));
typedef uint8_t wi_narrow4 __attribute__((vector_size(4)));
typedef uint16_t wi_wide4 __attribute__((vector_size(8)));
typedef int32_t wi_whole4 __attribute__((vector_size(16)));

WI_INLINE wi_sample4 read_samples(const uint8_t *source, int bits) {
    if (bits == 8) {
        wi_narrow4 narrow;
        memcpy(&narrow, source, sizeof narrow);
        return __builtin_convertvector(narrow, wi_sample4);
    }
    wi_wide4 wide;
    memcpy(&wide, source, sizeof wide);
    return __builtin_convertvector(wide, wi_sample4);
}

/// Samples of at least 0, rounded.
WI_INLINE void write_samples(wi_sample4 samples, int bits, uint8_t *target) {
    wi_whole4 whole = __builtin_convertvector(samples + 0.5f, wi_whole4);
    if (bits == 8) {
        wi_narrow4 narrow = __builtin_convertvector(whole, wi_narrow4);
        memcpy(target, &narrow, sizeof narrow);
    } else {
        wi_wide4 wide = __builtin_convertvector(whole, wi_wide4);
        memcpy(target, &wide, sizeof wide);
    }
}

WI_INLINE wi_sample4 swapped(wi_sample4 pixel) { return __builtin_shufflevector(pixel, pixel, 2, 1, 0, 3); }

/// What is done about the alpha of a pixel of floats whose greatest value is `most`.
WI_INLINE wi_sample4 with_alpha(wi_sample4 pixel, wi_alpha alpha, float most) {
    float a = pixel[3];
    if (alpha == WI_ALPHA_MULTIPLY) {
        pixel *= a / most;
        pixel[3] = a;
    } else if (alpha == WI_ALPHA_DIVIDE) {
        pixel *= a > 0 ? most / a : 0;
        pixel[3] = a;
    } else if (alpha == WI_ALPHA_FILL) {
        pixel[3] = most;
    }
    return pixel;
}

WI_INLINE void read_row(
    const uint8_t *source, size_t pixels, int bits, bool swaps, wi_alpha alpha, float *target) {
    size_t size = bits == 8 ? 4 : 8;
    float most = bits == 8 ? 255 : 65535;
    for (size_t x = 0; x < pixels; x++) {
        wi_sample4 pixel = read_samples(source + x * size, bits) / most;
        pixel = with_alpha(swaps ? swapped(pixel) : pixel, alpha, 1);
        *(wi_sample4_unaligned *)(target + 4 * x) = pixel;
    }
}

void wi_floats_read(const uint8_t *source, size_t pixels, wi_pixel_form form, float *target) {
    if (form.bits == 8) {
        read_row(source, pixels, 8, form.swaps, form.alpha, target);
    } else {
        read_row(source, pixels, 16, form.swaps, form.alpha, target);
    }
}

/// From 0 to `most`; what is no number becomes 0.
WI_INLINE wi_sample4 clamped(wi_sample4 pixel, wi_sample4 most) {
    return __builtin_elementwise_min(__builtin_elementwise_max(pixel, (wi_sample4){0}), most);
}

WI_INLINE void write_row(
    const float *source, size_t pixels, int bits, wi_pixel_form form, bool limits, uint8_t *target) {
    size_t size = bits == 8 ? 4 : 8;
    float most = bits == 8 ? 255 : 65535;
    const wi_sample4 one = {1, 1, 1, 1};
    for (size_t x = 0; x < pixels; x++) {
        wi_sample4 pixel = *(const wi_sample4_unaligned *)(source + 4 * x);
        pixel[3] = clamped(pixel, one)[3];
        if (form.alpha == WI_ALPHA_DIVIDE && pixel[3] * most < 0.5f) {
            pixel = (wi_sample4){0};
        }
        pixel = clamped(with_alpha(pixel, form.alpha, 1), limits ? one * pixel[3] : one);
        write_samples((form.swaps ? swapped(pixel) : pixel) * most, bits, target + x * size);
    }
}

void wi_floats_write(const float *source, size_t pixels, wi_pixel_form form, bool limits, uint8_t *target) {
    if (form.bits == 8) {
        write_row(source, pixels, 8, form, limits, target);
    } else {
        write_row(source, pixels, 16, form, limits, target);
    }
}
