// SPDX-License-Identifier: MIT
// Not part of the module's interface: the loops of the row resampler, in floating point.
//
// The same source is compiled for the baseline and for AVX2. Products are rounded before they are added
// everywhere, so that every machine gives the same pixels.
#ifndef WI_PIXEL_ROWS_H
#define WI_PIXEL_ROWS_H

#include "Weights.h"

enum {
    /// Source rows that are narrowed at a time: they share the weights.
    WI_ROWS_GROUP = 4,
};

typedef struct wi_row_loops {
    /// Samples as floats, colours multiplied by alpha where `straight`.
    void (*load)(const uint8_t *source, size_t pixels, int bits, bool straight, float *target);
    /// Means of `factor` neighbouring pixels; the last one of what is left.
    void (*shrink)(const float *source, size_t pixels, size_t factor, float *target);
    /// target += source.
    void (*add)(float *target, const float *source, size_t count);
    /// target *= factor.
    void (*scale)(float *target, size_t count, float factor);
    /// Narrows WI_ROWS_GROUP rows, `source_stride` and `target_stride` floats apart.
    void (*across)(
        const wi_weights *weights, const float *source, size_t source_stride, float *target,
        size_t target_stride);
    /// The weighted sum of `count` rows.
    void (*down)(const float *const *rows, const float *weights, size_t count, float *target, size_t floats);
    /// Rounded and clamped samples, colours divided by alpha where `straight` and never above it otherwise.
    void (*store)(const float *source, size_t pixels, int bits, bool straight, uint8_t *target);
} wi_row_loops;

extern const wi_row_loops wi_row_loops_baseline;
#if defined(__x86_64__)
extern const wi_row_loops wi_row_loops_avx2;
bool wi_has_avx2(void);
#endif

#endif
