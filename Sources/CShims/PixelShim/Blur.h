// SPDX-License-Identifier: MIT
// Not part of the module's interface: what the blur's loops are given. Values go from 0 to 65,535 in them.
#ifndef WI_BLUR_H
#define WI_BLUR_H

#include "PixelBlur.h"

enum {
    /// Lines that are loaded and stored together: of neighbouring columns, whole cache lines.
    WI_BLUR_LINES = 8,
    /// Lines that are blurred together: their state stays in registers.
    WI_BLUR_PLANE_LINES = 4,
    WI_BLUR_LANES = 4 * WI_BLUR_PLANE_LINES,
    WI_BLUR_PLANES = WI_BLUR_LINES / WI_BLUR_PLANE_LINES,
    /// The longest half of a sampled kernel.
    WI_BLUR_MOST_TAPS = 12,
    /// Terms of the recursive kernel.
    WI_BLUR_TERMS = 2,
};

/// Half a Gaussian as a sum of damped rotations: term `k` is the real part of `weight * turn^distance`.
typedef struct wi_blur_term {
    float turn_real, turn_imaginary, weight_real, weight_imaginary;
    /// The state of the term after endless repetition of one value, divided by that value.
    float steady_real, steady_imaginary;
} wi_blur_term;

typedef struct wi_blur_kernel {
    /// Distances that a sampled kernel reaches; 0 for a recursive one.
    size_t reach;
    float taps[WI_BLUR_MOST_TAPS + 1];
    wi_blur_term terms[WI_BLUR_TERMS];
    /// Half of what the terms give at distance 0, which both directions see.
    float half_centre;
} wi_blur_kernel;

typedef struct wi_blur_loops {
    /// Lines `line` onwards as floats, plane by plane, in each pixel by pixel; lines that are not there are copies of the last.
    void (*load)(const wi_blur_pass *pass, size_t line, float *const *planes);
    void (*store)(const wi_blur_pass *pass, size_t line, float *const *planes);
    /// `source` has `reach` pixels of border on both sides.
    void (*sample)(const wi_blur_kernel *kernel, const float *source, size_t length, float *target);
    /// `target` must not be `source`.
    void (*recurse)(const wi_blur_kernel *kernel, const float *source, size_t length, float *target);
} wi_blur_loops;

extern const wi_blur_loops wi_blur_loops_baseline;
#if defined(__x86_64__)
extern const wi_blur_loops wi_blur_loops_avx2;
bool wi_has_avx2(void);
#endif

#endif
