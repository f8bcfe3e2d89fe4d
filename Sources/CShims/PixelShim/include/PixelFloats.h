// SPDX-License-Identifier: MIT
#ifndef WI_PIXEL_FLOATS_H
#define WI_PIXEL_FLOATS_H

#include "PixelConvert.h"

/// How pixels lie in memory, and what is done about their alpha on the way to floats or back.
typedef struct wi_pixel_form {
    /// 8 or 16 per channel.
    int bits;
    /// Blue lies first.
    bool swaps;
    wi_alpha alpha;
} wi_pixel_form;

/// Pixels as floats from 0 to 1: red, green, blue, alpha.
void wi_floats_read(const uint8_t *source, size_t pixels, wi_pixel_form form, float *target);

/// Floats as pixels: rounded, clamped. Where the form divides, the floats are premultiplied, and what rounds to
/// transparent has no colour. `limits` keeps colours at or below alpha.
void wi_floats_write(const float *source, size_t pixels, wi_pixel_form form, bool limits, uint8_t *target);

#endif
