// SPDX-License-Identifier: MIT
// Not part of the module's interface: the two passes in fixed point and what goes between them.
//
// Between the passes a sample is 16 bits: the value less 128, times 128, so that overshoot has room on both
// sides. Two neighbouring pixels lie interleaved (r0 r1 g0 g1 b0 b1 a0 a1), which is how the multiply-and-add
// of the second pass wants them.
#ifndef WI_PIXEL_FIXED_H
#define WI_PIXEL_FIXED_H

#include "Weights.h"

enum {
    WI_MIDDLE_BITS = 7,
    /// Takes the 14 bits of the first weights down to the 7 of the middle, rounded, and the 128 off.
    WI_FIRST_SHIFT = WI_WEIGHT_BITS - WI_MIDDLE_BITS,
    WI_FIRST_START = (1 << (WI_FIRST_SHIFT - 1)) - (128 << WI_WEIGHT_BITS),
    WI_SECOND_SHIFT = WI_WEIGHT_BITS + WI_MIDDLE_BITS,
    WI_SECOND_START = (1 << (WI_SECOND_SHIFT - 1)) + (128 << WI_SECOND_SHIFT),
    /// Target rows that the second pass makes at a time.
    WI_ROW_GROUP = 4,
    /// Pixels that the second pass may read, at weight 0, beyond a window's end.
    WI_SLACK = 8,
};

/// Two source rows, by their distance in bytes from the first row of the source, and what they weigh in two
/// target rows: the weight of the upper source row in the low half.
typedef struct wi_row_pair {
    size_t upper, lower;
    uint32_t first, second;
} wi_row_pair;

/// What two neighbouring target rows are made of. They share most of their source rows: those are read once
/// for both.
typedef struct wi_row_plan {
    /// Pairs that only the first row needs, then those for both, then those for the second alone.
    size_t first_count, both_count, second_count;
    wi_row_pair *pairs;
} wi_row_plan;

/// Makes `pixels` pixels of two rows of the middle from the source columns at `source`.
typedef void wi_first_pass(
    const wi_row_plan *plan, const uint8_t *source, size_t pixels, int16_t *first, int16_t *second);

/// Makes the target pixels `from..<to` of four rows; `base` is the source column at which the middle begins.
typedef void wi_second_pass(
    const wi_weights *weights, size_t from, size_t to, size_t base, const int16_t *const *middle,
    uint8_t *const *target);

wi_first_pass wi_first_pass_scalar;
wi_second_pass wi_second_pass_scalar;

#if defined(__x86_64__)
bool wi_has_avx2(void);
wi_first_pass wi_first_pass_avx2;
wi_second_pass wi_second_pass_avx2;
#endif

#endif
