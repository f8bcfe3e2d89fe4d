// SPDX-License-Identifier: MIT
// Gaussian blur of lines of pixels, along their length. Beyond its ends a line goes on with its first and last pixel.
#ifndef WI_PIXEL_BLUR_H
#define WI_PIXEL_BLUR_H

#include "PixelFloats.h"

/// Where the pixels of lines lie: pixel `i` of line `j` at `i * step + j * jump` bytes from the first.
typedef struct wi_lines {
    ptrdiff_t step;
    ptrdiff_t jump;
    /// 8 or 16 per channel.
    int bits;
    /// Blue lies first.
    bool swaps;
    /// What is done about alpha: of the source before the blur, of the target after it.
    wi_alpha alpha;
} wi_lines;

typedef struct wi_blur_pass {
    const uint8_t *source;
    wi_lines source_lines;
    uint8_t *target;
    wi_lines target_lines;
    /// Pixels of a line.
    size_t length;
    /// Lines that there are.
    size_t count;
    /// Pixels; above 0 and at most the length of a side.
    double sigma;
    bool scalar;
} wi_blur_pass;

/// Blurs the lines `from..<to`; false when there is no memory. The result is the same whichever lines are asked for
/// together, and mirrored lines have mirrored results.
bool wi_blur_lines(const wi_blur_pass *pass, size_t from, size_t to);

/// Bytes that `wi_blur_lines` holds while it works.
size_t wi_blur_bytes(const wi_blur_pass *pass);

#endif
