// SPDX-License-Identifier: MIT
// Included once for each instruction set, with WI_LOOPS naming the table and WI_TARGET the functions' attributes.
#include "Blur.h"

#pragma STDC FP_CONTRACT OFF

#define WI_INLINE WI_TARGET __attribute__((always_inline)) static inline

#include <string.h>

typedef float wi_lane8 __attribute__((vector_size(32)));
typedef float wi_lane8_unaligned __attribute__((vector_size(32), aligned(4)));
typedef int32_t wi_whole8 __attribute__((vector_size(32)));
typedef uint8_t wi_narrow8 __attribute__((vector_size(8)));
typedef uint16_t wi_wide8 __attribute__((vector_size(16)));

/// All lanes of a pixel: one vector, or as many as the instruction set needs for them.
typedef float wi_lanes __attribute__((vector_size(4 * WI_BLUR_LANES)));
typedef float wi_lanes_unaligned __attribute__((vector_size(4 * WI_BLUR_LANES), aligned(4)));

#define WI_LANES(pointer) (*(wi_lanes_unaligned *)(pointer))
#define WI_CONST_LANES(pointer) (*(const wi_lanes_unaligned *)(pointer))
#define WI_LANE8(pointer) (*(wi_lane8_unaligned *)(pointer))
/// Lines `j` and `j + 1` of pixel `i`.
#define WI_PAIR(planes, i, j) \
    WI_LANE8((planes)[(j) / WI_BLUR_PLANE_LINES] + (i) * WI_BLUR_LANES + 4 * ((j) % WI_BLUR_PLANE_LINES))
#define WI_ALPHAS(pixels) __builtin_shufflevector(pixels, pixels, 3, 3, 3, 3, 7, 7, 7, 7)
#define WI_SWAPPED(pixels) __builtin_shufflevector(pixels, pixels, 2, 1, 0, 3, 6, 5, 4, 7)
#define WI_WITH_ALPHAS(pixels, alphas) __builtin_shufflevector(pixels, alphas, 0, 1, 2, 11, 4, 5, 6, 15)

/// Two pixels, from 0 to 65,535.
WI_INLINE void read_two(const uint8_t *first, const uint8_t *second, int bits, wi_lane8 *pixels) {
    wi_narrow8 narrow;
    wi_wide8 wide;
    if (bits == 8) {
        memcpy(&narrow, first, 4);
        memcpy((uint8_t *)&narrow + 4, second, 4);
        *pixels = __builtin_convertvector(narrow, wi_lane8) * 257.0f;
    } else {
        memcpy(&wide, first, 8);
        memcpy((uint8_t *)&wide + 8, second, 8);
        *pixels = __builtin_convertvector(wide, wi_lane8);
    }
}

WI_INLINE void load_lines(const wi_blur_pass *pass, size_t line, int bits, bool multiplies, float *const *planes) {
    const wi_lines *lines = &pass->source_lines;
    const uint8_t *start[WI_BLUR_LINES];
    for (size_t j = 0; j < WI_BLUR_LINES; j++) {
        size_t index = line + j < pass->count ? line + j : pass->count - 1;
        start[j] = pass->source + (ptrdiff_t)index * lines->jump;
    }
    const wi_lane8 zero = {0}, scale = zero + 1.0f / 65535, one = zero + 1;
    for (size_t i = 0; i < pass->length; i++) {
        for (size_t j = 0; j < WI_BLUR_LINES; j += 2) {
            ptrdiff_t at = (ptrdiff_t)i * lines->step;
            wi_lane8 pixels;
            read_two(start[j] + at, start[j + 1] + at, bits, &pixels);
            if (multiplies) {
                wi_lane8 alphas = WI_ALPHAS(pixels) * scale;
                pixels *= WI_WITH_ALPHAS(alphas, one);
            }
            WI_PAIR(planes, i, j) = lines->swaps ? WI_SWAPPED(pixels) : pixels;
        }
    }
}

WI_TARGET static void load(const wi_blur_pass *pass, size_t line, float *const *planes) {
    // Told apart out here, so that the loop is compiled for each.
    bool multiplies = pass->source_lines.alpha == WI_ALPHA_MULTIPLY;
    if (pass->source_lines.bits == 8) {
        if (multiplies) {
            load_lines(pass, line, 8, true, planes);
        } else {
            load_lines(pass, line, 8, false, planes);
        }
    } else if (multiplies) {
        load_lines(pass, line, 16, true, planes);
    } else {
        load_lines(pass, line, 16, false, planes);
    }
}

/// Premultiplied pixels with their colours divided by alpha; what rounds to transparent has no colour.
WI_INLINE void divide(wi_lane8 *pixels, float scale) {
    const wi_lane8 zero = {0};
    wi_lane8 alphas = WI_ALPHAS(*pixels);
    wi_lane8 limited = __builtin_elementwise_min(*pixels, alphas) * 65535.0f / (alphas + 1e-20f);
    wi_whole8 has_colour = alphas * scale >= zero + 0.5f;
    *pixels = (wi_lane8)((wi_whole8)WI_WITH_ALPHAS(limited, alphas) & has_colour);
}

/// Rounds and clamps two pixels; colours stay at or below `limits`.
WI_INLINE void write_two(
    const wi_lane8 *pixels, bool limits, int bits, bool swaps, uint8_t *first, uint8_t *second) {
    const wi_whole8 zero = {0}, most = zero + (bits == 8 ? 255 : 65535);
    wi_whole8 whole = __builtin_convertvector(*pixels + 0.5f, wi_whole8);
    whole = __builtin_elementwise_min(__builtin_elementwise_max(whole, zero), most);
    if (limits) {
        whole = __builtin_elementwise_min(whole, WI_ALPHAS(whole));
    }
    whole = swaps ? WI_SWAPPED(whole) : whole;
    if (bits == 8) {
        wi_narrow8 narrow = __builtin_convertvector(whole, wi_narrow8);
        memcpy(first, &narrow, 4);
        memcpy(second, (const uint8_t *)&narrow + 4, 4);
    } else {
        wi_wide8 wide = __builtin_convertvector(whole, wi_wide8);
        memcpy(first, &wide, 8);
        memcpy(second, (const uint8_t *)&wide + 8, 8);
    }
}

WI_INLINE void store_lines(
    const wi_blur_pass *pass, size_t line, float *const *planes, int bits, wi_alpha alpha) {
    const wi_lines *lines = &pass->target_lines;
    const wi_lane8 zero = {0}, most = zero + 65535;
    const float scale = bits == 8 ? 1.0f / 257 : 1;
    uint8_t *start[WI_BLUR_LINES], spare[8];
    ptrdiff_t step[WI_BLUR_LINES];
    for (size_t j = 0; j < WI_BLUR_LINES; j++) {
        bool is_there = line + j < pass->count;
        start[j] = is_there ? pass->target + (ptrdiff_t)(line + j) * lines->jump : spare;
        step[j] = is_there ? lines->step : 0;
    }
    for (size_t i = 0; i < pass->length; i++) {
        for (size_t j = 0; j < WI_BLUR_LINES; j += 2) {
            wi_lane8 pixels = WI_PAIR(planes, i, j);
            if (alpha == WI_ALPHA_DIVIDE) {
                divide(&pixels, scale);
            } else if (alpha == WI_ALPHA_FILL) {
                pixels = WI_WITH_ALPHAS(pixels, most);
            }
            pixels *= scale;
            write_two(
                &pixels, alpha == WI_ALPHA_KEEP, bits, lines->swaps, start[j] + (ptrdiff_t)i * step[j],
                start[j + 1] + (ptrdiff_t)i * step[j + 1]);
        }
    }
}

WI_TARGET static void store(const wi_blur_pass *pass, size_t line, float *const *planes) {
    bool is_narrow = pass->target_lines.bits == 8;
    switch (pass->target_lines.alpha) {
    case WI_ALPHA_DIVIDE:
        is_narrow ? store_lines(pass, line, planes, 8, WI_ALPHA_DIVIDE)
                  : store_lines(pass, line, planes, 16, WI_ALPHA_DIVIDE);
        break;
    case WI_ALPHA_FILL:
        is_narrow ? store_lines(pass, line, planes, 8, WI_ALPHA_FILL)
                  : store_lines(pass, line, planes, 16, WI_ALPHA_FILL);
        break;
    default:
        is_narrow ? store_lines(pass, line, planes, 8, WI_ALPHA_KEEP)
                  : store_lines(pass, line, planes, 16, WI_ALPHA_KEEP);
    }
}

WI_TARGET static void sample(
    const wi_blur_kernel *kernel, const float *source, size_t length, float *restrict target) {
    for (size_t i = 0; i < length * WI_BLUR_LANES; i += WI_BLUR_LANES) {
        wi_lanes sum = kernel->taps[0] * WI_CONST_LANES(source + i);
        for (size_t t = 1; t <= kernel->reach; t++) {
            const float *before = source + i - t * WI_BLUR_LANES, *after = source + i + t * WI_BLUR_LANES;
            sum += kernel->taps[t] * (WI_CONST_LANES(before) + WI_CONST_LANES(after));
        }
        WI_LANES(target + i) = sum;
    }
}

/// One direction. `adds` puts the sum onto what is there.
WI_INLINE void recurse_once(
    const wi_blur_kernel *kernel, const float *source, size_t length, float *target, ptrdiff_t step, bool adds) {
    const wi_blur_term a = kernel->terms[0], b = kernel->terms[1];
    const float centre = -kernel->half_centre;
    const wi_lanes first = WI_CONST_LANES(source);
    wi_lanes a_real = a.steady_real * first, a_imaginary = a.steady_imaginary * first;
    wi_lanes b_real = b.steady_real * first, b_imaginary = b.steady_imaginary * first;
    for (size_t i = 0; i < length; i++, source += step, target += step) {
        const wi_lanes x = WI_CONST_LANES(source), ar = a_real, br = b_real;
        a_real = a.weight_real * x + (a.turn_real * ar - a.turn_imaginary * a_imaginary);
        a_imaginary = a.weight_imaginary * x + (a.turn_real * a_imaginary + a.turn_imaginary * ar);
        b_real = b.weight_real * x + (b.turn_real * br - b.turn_imaginary * b_imaginary);
        b_imaginary = b.weight_imaginary * x + (b.turn_real * b_imaginary + b.turn_imaginary * br);
        const wi_lanes sum = centre * x + a_real + b_real;
        WI_LANES(target) = adds ? WI_CONST_LANES(target) + sum : sum;
    }
}

WI_TARGET static void recurse(
    const wi_blur_kernel *kernel, const float *source, size_t length, float *restrict target) {
    recurse_once(kernel, source, length, target, WI_BLUR_LANES, false);
    size_t last = (length - 1) * WI_BLUR_LANES;
    recurse_once(kernel, source + last, length, target + last, -(ptrdiff_t)WI_BLUR_LANES, true);
}

const wi_blur_loops WI_LOOPS = {load, store, sample, recurse};
