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

/// A picture that is asked for colours between its pixels; premultiplied or opaque, `bits` per channel.
typedef struct wi_sampled {
    const uint8_t *pixels;
    size_t stride;
    size_t width;
    size_t height;
    int bits;
} wi_sampled;

/// The colour at a point not far from the picture, from 0 to 1, where the first pixel's centre is at (0.5, 0.5): by the cubic
/// kernel of Keys over four by four pixels, kept within what can be. Around the picture its border goes on.
void wi_sample_cubic(const wi_sampled *source, double x, double y, float *color);

#endif
