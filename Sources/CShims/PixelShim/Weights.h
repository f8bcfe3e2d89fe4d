// SPDX-License-Identifier: MIT
// Not part of the module's interface.
#ifndef WI_PIXEL_WEIGHTS_H
#define WI_PIXEL_WEIGHTS_H

#include "PixelResample.h"

enum {
    /// The weights of one output in fixed point sum to exactly this.
    WI_WEIGHT_BITS = 14,
    WI_WEIGHT_ONE = 1 << WI_WEIGHT_BITS,
    /// The magnitudes of one output's weights sum to no more, so that no accumulator overflows.
    WI_WEIGHT_MOST = WI_WEIGHT_ONE * 19 / 10,
};

/// Which source pixels an output is made of: `count` from `start` on.
typedef struct wi_window {
    int32_t start;
    int32_t count;
} wi_window;

/// The windows and weights of one direction; output `i` has its weights at `i * taps`, zeros behind them.
typedef struct wi_weights {
    size_t size;
    size_t taps;
    wi_window *windows;
    /// One of the two, as asked for.
    int16_t *fixed;
    float *real;
} wi_weights;

/// How many pixels a kernel covers at most.
size_t wi_weights_taps(wi_filter filter, wi_direction direction);

/// Bytes that one output takes at most in a table of real weights made by `wi_weights_make`.
size_t wi_weights_bytes(wi_filter filter, wi_direction direction);

/// Fills `weights`. Windows start at a multiple of `align`, and `taps` is a multiple of `round`: both only
/// add zeros, so a window with its taps may pass the end of the source.
wi_resample_result wi_weights_make(
    wi_weights *weights, wi_filter filter, wi_direction direction, size_t align, size_t round, bool fixed);
void wi_weights_free(wi_weights *weights);

#endif
